// Permalinks: every state of the console is in the address's fragment, `#/part/part?key=value`.
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

export function go(parts, params) {
  window.location.hash = href(parts, params);
}

// Change parameters of the current state; `replace` leaves no entry in the history, for what is typed or dragged.
export function change(changes, { replace = false } = {}) {
  const { parts, params } = parse(window.location.hash);
  const next = href(parts, { ...params, ...changes });
  if (next === (window.location.hash || "#/")) return;
  // Told at once: the browser's own event comes later than the next key that is held down.
  window.history[replace ? "replaceState" : "pushState"](null, "", next);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(() => parse(window.location.hash));
  // Before the browser may tell of a change: one between the first state and a later effect would be lost.
  useLayoutEffect(() => {
    const changed = () => setRoute(parse(window.location.hash));
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}
