// The HTTP API; errors carry the server's one sentence.

/** @typedef {import("../page").Source} Source */

/** @param {string} path @param {unknown} [body] @param {AbortSignal} [signal] */
async function send(path, body, signal) {
  let response;
  try {
    response = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw new Error("the server does not answer; is erm serve still running?", { cause: error });
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new Error(answer.error ?? `the server answered ${response.status}`);
  }
  return response;
}

/** @param {string} path @param {unknown} [body] */
const json = async (path, body) => (await send(path, body)).json();

/** @returns {Promise<import("../page").Overview>} */
export const overview = () => json("api/tasks");
/** @param {Source} puzzle @returns {Promise<import("../page").Puzzle>} */
export const readPuzzle = (puzzle) => json("api/puzzle", puzzle);
/** @param {Source} puzzle @param {string} answer @returns {Promise<import("../page").Verdict>} */
export const check = (puzzle, answer) => json("api/check", { ...puzzle, answer });

/** @param {Source} puzzle @param {string} answer @returns {Promise<import("../page").Hint>} */
export const hint = (puzzle, answer) => json("api/hint", { ...puzzle, answer });
/** @param {Source} puzzle @returns {Promise<import("../page").Walk>} */
export const walk = (puzzle) => json("api/explain", puzzle);

/**
 * Watch a search: calls on[event](data) for every server-sent event until the stream ends.
 * @param {unknown} request
 * @param {Record<string, (data: any) => void>} on
 * @param {AbortSignal} signal
 */
export async function search(request, on, signal) {
  const response = await send("api/search", request, signal);
  if (!response.body) throw new Error("the server answered nothing");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split("\n").map((line) => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
        }),
      );
      if (fields.event) on[fields.event]?.(JSON.parse(fields.data));
    }
  }
}
