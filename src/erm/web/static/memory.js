// What a player has written, kept in this browser so that a reload loses nothing.

const KEY = "erm.played";
const KEPT = 30;

/** @typedef {{ task: string, text: string, played: string, notes: string[] }} Play */

/** @returns {Play[]} */
function all() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** @param {import("../page").Puzzle} puzzle @param {Play} play */
const isOf = ({ task, text }, play) => play.task === task && play.text === text;

/** What was written on this board before, or null. @param {import("../page").Puzzle} puzzle */
export function recall(puzzle) {
  const cells = puzzle.height * puzzle.width;
  const found = all().find((play) => isOf(puzzle, play));
  return found?.played.length === cells && found.notes.length === cells ? found : null;
}

/** @param {import("../page").Puzzle} puzzle @param {string} played @param {string[]} notes */
export function remember(puzzle, played, notes) {
  const { task, text } = puzzle;
  const others = all().filter((play) => !isOf(puzzle, play));
  const touched = played !== puzzle.start || notes.some((note) => note !== "");
  const kept = touched ? [{ task, text, played, notes }, ...others].slice(0, KEPT) : others;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing, as in private windows, still plays.
  }
}
