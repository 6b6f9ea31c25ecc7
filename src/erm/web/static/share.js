// What leaves the page: a link on the clipboard, a result as a file.

import { byId, h } from "./dom.js";

const SAID_MS = 2000;

/** @param {string} name @param {unknown} result */
export function download(name, result) {
  const file = new Blob([JSON.stringify(result, null, 1)], { type: "application/json" });
  const url = URL.createObjectURL(file);
  const anchor = h("a", { href: url, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export async function copyLink() {
  const node = byId("share");
  try {
    await navigator.clipboard.writeText(location.href);
    node.textContent = "Copied";
  } catch {
    node.textContent = "Copy it from the address bar";
  }
  setTimeout(() => (node.textContent = "Copy link"), SAID_MS);
}
