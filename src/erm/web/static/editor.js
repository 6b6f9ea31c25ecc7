// Pointer and keyboard on the board: the cursor, brushes, undo.

import { byId, h } from "./dom.js";
import { cellAt, copy } from "./geometry.js";
import { toggleBorder } from "./kinds/heyawake.js";
import { KINDS } from "./kinds/index.js";
import { state } from "./state.js";

const ARROWS = { ArrowUp: [-1, 0, "up"], ArrowDown: [1, 0, "down"], ArrowLeft: [0, -1, "left"], ArrowRight: [0, 1, "right"] };
const TYPING_MS = 1500;

export class Editor {
  /** `changed(what)` is called after every edit with "givens" or "played", `moved()` with the cursor. */
  constructor(svg, changed, moved) {
    [this.svg, this.changed, this.moved] = [svg, changed, moved];
    this.history = [];
    this.typed = { cell: null, text: "", time: 0 };
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => (this.stroke = null));
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  brushes() {
    const kind = KINDS[state.puzzle.task];
    if (state.mode === "edit") return kind.brushes(state.puzzle);
    return state.mode === "play" ? kind.play(state.puzzle) : [];
  }

  /** Digits are written into a chosen cell; walls, bulbs and borders are drawn with a brush. */
  usualBrush() {
    const kind = KINDS[state.puzzle.task];
    return kind.cellFirst?.includes(state.mode) ? null : (this.brushes()[0]?.id ?? null);
  }

  palette() {
    const brushes = this.brushes();
    byId("palette").replaceChildren(
      ...brushes.map((brush) =>
        h("button", {
          type: "button", "data-brush": brush.id,
          title: brush.hint ?? (brush.keys[0] ? `key ${brush.keys[0]}` : null),
          "aria-pressed": String(brush.id === state.brush),
          onclick: () => this.take(brush.id),
        }, brush.label),
      ),
      ...(brushes.length && this.history.length
        ? [h("button", { type: "button", class: "undo", title: "key Ctrl+Z", onclick: () => this.undo() }, "undo")]
        : []),
    );
  }

  /** A pressed brush writes into the chosen cell, or else becomes the one that cells are pressed with. */
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

  press(event) {
    const at = cellAt(this.svg, event, state.puzzle.height, state.puzzle.width);
    if (!at) return;
    state.cursor = at.cell;
    if (state.brush !== null && event.isPrimary && event.button === 0) {
      this.svg.setPointerCapture(event.pointerId);
      this.remember();
      // One stroke draws or wipes, as its first cell says.
      this.stroke = { cell: at.cell, brush: this.toggled(at.cell), drawing: undefined };
      this.apply(at.cell, this.stroke.brush, this.place(at));
    }
    this.moved();
  }

  drag(event) {
    if (!this.stroke) return;
    const kind = KINDS[state.puzzle.task];
    const at = cellAt(this.svg, event, state.puzzle.height, state.puzzle.width);
    if (!at || (at.cell === this.stroke.cell && state.brush !== "|")) return;
    if (kind.appends && state.mode === "edit") return;
    this.stroke.cell = at.cell;
    state.cursor = at.cell;
    this.apply(at.cell, this.stroke.brush, this.place(at));
    this.moved();
  }

  place(at) {
    const stroke = this.stroke;
    return {
      dx: at.dx, dy: at.dy,
      get drawing() { return stroke.drawing; },
      set drawing(value) { stroke.drawing = value; },
    };
  }

  /** Pressing a cell that already is what the brush makes clears it again. */
  toggled(cell) {
    return state.mode === "play" && state.played[cell] === state.brush ? "." : state.brush;
  }

  key(event) {
    if (event.altKey || event.metaKey && event.key !== "z") return;
    if ((event.ctrlKey || event.metaKey) && event.key === "z") {
      this.undo();
      event.preventDefault();
      return;
    }
    if (event.ctrlKey) return;
    const { height, width } = state.puzzle;
    const cell = state.cursor ?? 0;
    const [r, c] = [Math.floor(cell / width), cell % width];
    const arrow = ARROWS[event.key];
    if (arrow) {
      event.preventDefault();
      if (event.shiftKey && state.mode === "edit" && KINDS[state.puzzle.task].borders) {
        this.remember();
        const givens = copy(state.puzzle.givens);
        toggleBorder(givens, r, c, arrow[2]);
        this.set({ givens });
      } else if (state.cursor === null) {
        state.cursor = 0;
      } else {
        const [nr, nc] = [r + arrow[0], c + arrow[1]];
        if (nr >= 0 && nc >= 0 && nr < height && nc < width) state.cursor = nr * width + nc;
      }
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

  /** The brush that a key stands for; digits typed one after the other make one number. */
  brushOf(key, cell, time) {
    const brushes = this.brushes();
    if (!brushes.length) return null;
    if (key === "Enter" || key === " ") return state.brush === null ? null : this.toggled(cell);
    if (state.mode === "edit" && KINDS[state.puzzle.task].numbers && /^[0-9]$/.test(key)) {
      const going = this.typed.cell === cell && time - this.typed.time < TYPING_MS;
      const text = going && this.typed.text.length < 3 ? this.typed.text + key : key;
      this.typed = { cell, text, time };
      return text;
    }
    return brushes.find((brush) => brush.keys.includes(key))?.id ?? null;
  }

  apply(cell, brush, place) {
    const { width, fixed } = state.puzzle;
    if (state.mode === "play") {
      if (fixed[cell] === "1") return;
      this.set({ played: state.played.slice(0, cell) + brush + state.played.slice(cell + 1) });
      return;
    }
    const givens = copy(state.puzzle.givens);
    KINDS[state.puzzle.task].edit(givens, Math.floor(cell / width), cell % width, brush, place);
    this.set({ givens });
  }

  set({ givens, played }) {
    if (givens && JSON.stringify(givens) !== JSON.stringify(state.puzzle.givens)) {
      state.puzzle = { ...state.puzzle, givens };
      this.changed("givens");
    } else if (played !== undefined && played !== state.played) {
      state.played = played;
      this.changed("played");
    }
  }

  remember() {
    const { givens } = state.puzzle;
    this.history.push(state.mode === "edit" ? { givens: copy(givens) } : { played: state.played });
    if (this.history.length > 200) this.history.shift();
  }

  undo() {
    const last = this.history.pop();
    if (last) this.set(last);
    this.moved();
  }

  reset() {
    this.history = [];
    this.stroke = null;
    state.cursor = null;
    state.brush = this.usualBrush();
  }
}
