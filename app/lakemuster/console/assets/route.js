// Permalinks: the fragment of the address holds the state of the console, `#/part/part?key=value`.
import { useLayoutEffect, useState } from "./html.js";

export function parse(hash) {
  const text = hash.replace(/^#\/?/, "");
  const cut = text.indexOf("?");
  const path = cut < 0 ? text : text.slice(0, cut);
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { parts, params: Object.fromEntries(new URLSearchParams(cut < 0 ? "" : text.slice(cut + 1))) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function href(parts, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

// Return a value that a parameter holds as JSON; null if there is none or it is damaged.
export function stored(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

export function go(parts, params) {
  window.location.hash = href(parts, params);
}

// Change parameters of the current state; with `replace`, add no entry to the history, as for typing and dragging.
export function change(changes, { replace = false } = {}) {
  const { parts, params } = parse(window.location.hash);
  const next = href(parts, { ...params, ...changes });
  if (next === (window.location.hash || "#/")) return;
  // Dispatch the event synchronously: the browser's own event comes after the next repeated key.
  window.history[replace ? "replaceState" : "pushState"](null, "", next);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(() => parse(window.location.hash));
  // In a layout effect: a change between the first state and a later effect would be lost.
  useLayoutEffect(() => {
    const changed = () => setRoute(parse(window.location.hash));
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}
