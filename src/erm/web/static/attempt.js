// Asking the server: errors become one sentence on the page, and a long wait is reported.

import { state } from "./state.js";

const SLOW_MS = 1500;

/** @param {() => void} draw */
export const attempting = (draw) =>
  /**
   * @template T
   * @param {() => Promise<T>} work
   */
  async (work) => {
    let slow = 0;
    const timer = setTimeout(() => {
      state.slow += slow = 1;
      draw();
    }, SLOW_MS);
    try {
      state.error = null;
      return await work();
    } catch (error) {
      const told = error instanceof Error ? error : new Error(String(error));
      if (told.name !== "AbortError") state.error = sentence(told.message);
      return null;
    } finally {
      clearTimeout(timer);
      state.slow -= slow;
      draw();
    }
  };

/** @param {string} text */
const sentence = (text) =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
