// Every kind of puzzle that the page can draw and edit, by the task's name.

import { heyawake } from "./heyawake.js";
import { lightup } from "./lightup.js";
import { maze } from "./maze.js";
import { nurikabe } from "./nurikabe.js";
import { sudoku } from "./sudoku.js";
import { tapa } from "./tapa.js";

export const KINDS = { sudoku, maze, lightup, nurikabe, heyawake, tapa };
