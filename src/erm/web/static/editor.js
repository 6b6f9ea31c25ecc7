// Pointer and keyboard on the board: the cursor, brushes, undo and redo.

import { byId, h } from "./dom.js";
import { pointAt } from "./geometry.js";
import { kindOf } from "./kinds.js";
import { layoutOf } from "./layout.js";
import { puzzle, state } from "./state.js";

/** @typedef {import("../page").Side} Side */
/** @typedef {{ givens?: import("../page").Givens, played?: string, notes?: string[] }} Edit */

/** @type {Record<string, [number, number, Side]>} */
const ARROWS = {
  ArrowUp: [-1, 0, "up"],
  ArrowDown: [1, 0, "down"],
  ArrowLeft: [0, -1, "left"],
  ArrowRight: [0, 1, "right"],
};
const TYPING_MS = 1500;
const REMEMBERED = 200;

export class Editor {
  /**
   * @param {SVGSVGElement} svg
   * @param {(what: "givens" | "played") => void} changed called after every edit
   * @param {() => void} moved called when the cursor has moved
   */
  constructor(svg, changed, moved) {
    this.svg = svg;
    this.changed = changed;
    this.moved = moved;
    /** @type {Edit[]} */
    this.past = [];
    /** @type {Edit[]} */
    this.future = [];
    /** @type {{ cell: number, brush: string, drawing: any } | null} */
    this.stroke = null;
    /** @type {{ cell: number | null, text: string, time: number }} */
    this.typed = { cell: null, text: "", time: 0 };
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"])
      svg.addEventListener(name, () => (this.stroke = null));
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  brushes() {
    const kind = kindOf(puzzle().task);
    if (state.mode === "edit") return kind.brushes(puzzle());
    return state.mode === "play" ? kind.play(puzzle()) : [];
  }

  /** Digits are written into a chosen cell; walls, bulbs and borders are drawn with a brush. */
  usualBrush() {
    const kind = kindOf(puzzle().task);
    return kind.cellFirst.includes(state.mode) ? null : (this.brushes()[0]?.id ?? null);
  }

  /** The palette as it is now. It is made anew when pressed, and the board has the keys again. */
  palette() {
    const pressed = byId("palette").contains(document.activeElement);
    const brushes = this.brushes();
    const step = (/** @type {string} */ name, /** @type {Edit[]} */ stack, /** @type {string} */ keys, /** @type {() => void} */ work) =>
      brushes.length && stack.length
        ? [h("button", { type: "button", class: name, title: `key ${keys}`, onclick: work }, name)]
        : [];
    byId("palette").replaceChildren(
      ...brushes.map((brush) =>
        h("button", {
          type: "button", "data-brush": brush.id,
          title: brush.hint ?? (brush.keys[0] ? `key ${brush.keys[0]}` : null),
          "aria-pressed": String(brush.id === state.brush),
          onclick: () => this.take(brush.id),
        }, brush.label),
      ),
      ...(this.takesNotes()
        ? [h("button", {
          type: "button", class: "pencil", title: "key Shift+N: write small notes",
          "aria-pressed": String(state.pencil), onclick: () => this.togglePencil(),
        }, "notes")]
        : []),
      ...step("undo", this.past, "Ctrl+Z", () => this.undo()),
      ...step("redo", this.future, "Ctrl+Y", () => this.redo()),
    );
    if (pressed) this.svg.focus({ preventScroll: true });
  }

  /** Whether cells hold symbols, of which a player may note several. */
  takesNotes() {
    return state.mode === "play" && kindOf(puzzle().task).cellFirst.includes("play");
  }

  togglePencil() {
    state.pencil = !state.pencil;
    this.palette();
  }

  /**
   * A pressed brush writes into the chosen cell, or else becomes the one that cells are pressed with.
   * @param {string} brush
   */
  take(brush) {
    if (state.brush === null && state.cursor !== null) {
      this.remember();
      this.apply(state.cursor, brush);
      this.moved();
    } else {
      state.brush = state.brush === brush ? this.usualBrush() : brush;
    }
    this.palette();
  }

  /** @param {PointerEvent} event */
  press(event) {
    const at = layoutOf(puzzle()).at(pointAt(this.svg, event));
    if (!at) return;
    state.cursor = at.cell;
    if (state.brush !== null && event.isPrimary && event.button === 0) {
      this.svg.setPointerCapture(event.pointerId);
      this.remember();
      // One stroke draws or wipes, as its first cell says.
      this.stroke = { cell: at.cell, brush: this.toggled(at.cell, state.brush), drawing: undefined };
      this.apply(at.cell, this.stroke.brush, this.place(at, this.stroke));
    }
    this.moved();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.stroke) return;
    const at = layoutOf(puzzle()).at(pointAt(this.svg, event));
    const edges = this.brushes().find((brush) => brush.id === state.brush)?.edges;
    if (!at || (at.cell === this.stroke.cell && !edges)) return;
    if (kindOf(puzzle().task).appends && state.mode === "edit") return;
    this.stroke.cell = at.cell;
    state.cursor = at.cell;
    this.apply(at.cell, this.stroke.brush, this.place(at, this.stroke));
    this.moved();
  }

  /** @param {{ dx: number, dy: number }} at @param {{ drawing: any }} stroke */
  place(at, stroke) {
    return {
      dx: at.dx, dy: at.dy,
      get drawing() { return stroke.drawing; },
      set drawing(value) { stroke.drawing = value; },
    };
  }

  /** Pressing a cell that already is what the brush makes clears it again. */
  toggled(/** @type {number} */ cell, /** @type {string} */ brush) {
    return state.mode === "play" && state.played[cell] === brush ? "." : brush;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      const key = event.key.toLowerCase();
      const redo = key === "y" || (key === "z" && event.shiftKey);
      if (!redo && key !== "z") return;
      if (redo) this.redo();
      else this.undo();
      event.preventDefault();
      return;
    }
    if (event.key === "N" && event.shiftKey && this.takesNotes()) {
      this.togglePencil();
      return;
    }
    const cell = state.cursor ?? 0;
    const arrow = ARROWS[event.key];
    if (arrow) {
      event.preventDefault();
      this.arrow(cell, arrow, event.shiftKey);
      this.moved();
      return;
    }
    const brush = this.brushOf(event.key, cell, event.timeStamp);
    if (brush === null) return;
    event.preventDefault();
    state.cursor = cell;
    this.remember();
    this.apply(cell, brush);
    this.moved();
  }

  /** @param {number} cell @param {[number, number, Side]} arrow @param {boolean} shift */
  arrow(cell, [dr, dc, side], shift) {
    const { task, width, givens } = puzzle();
    const [r, c] = [Math.floor(cell / width), cell % width];
    const { editSide } = kindOf(task);
    if (shift && state.mode === "edit" && editSide) {
      this.remember();
      const edited = structuredClone(givens);
      editSide(edited, r, c, side);
      this.set({ givens: edited });
    } else if (state.cursor === null) {
      state.cursor = 0;
    } else {
      state.cursor = layoutOf(puzzle()).beside(cell, dr, dc);
    }
  }

  /**
   * The brush that a key stands for; digits typed one after the other make one number.
   * @param {string} key
   * @param {number} cell
   * @param {number} time
   */
  brushOf(key, cell, time) {
    const brushes = this.brushes();
    if (!brushes.length) return null;
    if (key === "Enter" || key === " ")
      return state.brush === null ? null : this.toggled(cell, state.brush);
    if (state.mode === "edit" && kindOf(puzzle().task).numbers && /^[0-9]$/.test(key)) {
      const going = this.typed.cell === cell && time - this.typed.time < TYPING_MS;
      const text = going && this.typed.text.length < 3 ? this.typed.text + key : key;
      this.typed = { cell, text, time };
      return text;
    }
    return brushes.find((brush) => brush.keys.includes(key))?.id ?? null;
  }

  /** @param {number} cell @param {string} brush @param {import("../page").Place} [place] */
  apply(cell, brush, place) {
    const { width, fixed, givens, task } = puzzle();
    if (state.mode === "play") {
      if (fixed[cell] === "1") return;
      if (state.pencil && this.takesNotes()) this.note(cell, brush);
      else this.set({ played: state.played.slice(0, cell) + brush + state.played.slice(cell + 1) });
      return;
    }
    const edited = structuredClone(givens);
    kindOf(task).edit(edited, Math.floor(cell / width), cell % width, brush, puzzle(), place);
    this.set({ givens: edited });
  }

  /** Fill a cell in, as if the player had. @param {number} cell @param {string} symbol */
  write(cell, symbol) {
    this.remember();
    this.set({ played: state.played.slice(0, cell) + symbol + state.played.slice(cell + 1) });
  }

  /** Note a symbol, or take its note away; "." takes all away. */
  note(/** @type {number} */ cell, /** @type {string} */ brush) {
    const { symbols } = puzzle();
    const noted = new Set(brush === "." ? "" : state.notes[cell]);
    if (brush !== "." && !noted.delete(brush)) noted.add(brush);
    const text = [...symbols].filter((symbol) => noted.has(symbol)).join("");
    this.set({ notes: state.notes.with(cell, text) });
  }

  /** @param {Edit} edit */
  set({ givens, played, notes }) {
    const noted = notes !== undefined && notes.join() !== state.notes.join();
    if (noted) state.notes = notes;
    if (givens && JSON.stringify(givens) !== JSON.stringify(puzzle().givens)) {
      state.puzzle = { ...puzzle(), givens };
      this.changed("givens");
    } else if (noted || (played !== undefined && played !== state.played)) {
      state.played = played ?? state.played;
      this.changed("played");
    }
  }

  /** @returns {Edit} */
  present() {
    return state.mode === "edit"
      ? { givens: structuredClone(puzzle().givens) }
      : { played: state.played, notes: state.notes };
  }

  /** Called before every edit; what was taken back is no longer ahead. */
  remember() {
    this.past.push(this.present());
    if (this.past.length > REMEMBERED) this.past.shift();
    this.future = [];
  }

  undo() {
    this.travel(this.past, this.future);
  }

  redo() {
    this.travel(this.future, this.past);
  }

  /** @param {Edit[]} from @param {Edit[]} to */
  travel(from, to) {
    const present = this.present();
    const same = JSON.stringify(present);
    let wanted = from.pop();
    // A brush that changed nothing is no step to go back.
    while (wanted && JSON.stringify(wanted) === same) wanted = from.pop();
    if (!wanted) return this.palette();
    to.push(present);
    this.set(wanted);
    this.palette();
    this.moved();
  }

  reset() {
    this.past = [];
    this.future = [];
    this.stroke = null;
    state.pencil = false;
    state.cursor = null;
    state.brush = this.usualBrush();
  }
}
