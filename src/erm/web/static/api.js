// The HTTP API; errors carry the server's one sentence.

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
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer; is erm serve still running?");
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new Error(answer.error ?? `the server answered ${response.status}`);
  }
  return response;
}

const json = async (path, body) => (await send(path, body)).json();

export const overview = () => json("api/tasks");
export const examples = () => json("examples.json");
export const readPuzzle = (puzzle) => json("api/puzzle", puzzle);
export const check = (puzzle, answer) => json("api/check", { ...puzzle, answer });

/** Watch a search: calls on[event](data) for every server-sent event until the stream ends. */
export async function search(request, on, signal) {
  const response = await send("api/search", request, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
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
