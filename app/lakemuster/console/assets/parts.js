// Components that several views share.
import { html, useEffect, useRef, useState } from "./html.js";
import { change } from "./route.js";

export const Loading = ({ what = "Loading" }) => html`<p class="state" role="status"><span class="spinner" aria-hidden="true"></span>${what}…</p>`;

// A message that there is nothing to show; with `page`, it is the heading of the page.
export const Empty = ({ title, page, children }) => html`<div class="state empty">${page ? html`<h1 class="lead">${title}</h1>` : html`<p class="lead">${title}</p>`}${children}</div>`;

export function Failure({ lead = "This could not be loaded", error, retry }) {
  return html`<div class="state failure" role="alert">
    <p class="lead">${error.status === 404 ? "Not found" : lead}</p>
    <p>${error.message}</p>
    ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

// A failure, a first load, or the view of the loaded data. After a failure, the previous data stays visible.
export function Loaded({ answer, what, children }) {
  const { data, error, reload, loading } = answer;
  if (error && data === null) return html`<${Failure} error=${error} retry=${reload} />`;
  if (data === null) return html`<${Loading} what=${what} />`;
  return html`${error && html`<${Failure} error=${error} retry=${reload} />`}<div class="loaded" aria-busy=${loading ? "true" : "false"}>${children(data)}</div>`;
}

// The status of a health component, or the worst status of a table.
export const Status = ({ value }) =>
  value === null || value === undefined
    ? html`<span class="dim" title="not computed yet">–</span>`
    : html`<span class=${`tag ${{ warning: "warn", critical: "critical" }[value] ?? value}`}>${value}</span>`;

// The heading of a column, which sorts by it; `sort` is `field` or `-field`.
export function SortHeading({ field, label, sort, first = "-", end, title }) {
  const active = sort === field || sort === `-${field}`;
  const descending = sort === `-${field}`;
  const next = active ? (descending ? field : `-${field}`) : first + field;
  const mark = active ? (descending ? "↓" : "↑") : "";
  return html`<th scope="col" class=${end ? "end" : ""} title=${title} aria-sort=${active ? (descending ? "descending" : "ascending") : "none"}>
    <button type="button" class="sort" onClick=${() => change({ sort: next })}>${label}${active && html`<span class="mark" aria-hidden="true">${mark}</span>`}</button>
  </th>`;
}

export function Copy({ text, label = "Copy" }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = window.setTimeout(() => setDone(false), 1500);
    return () => window.clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without HTTPS, browsers have no clipboard API.
      const focused = document.activeElement;
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      focused?.focus({ preventScroll: true });
    }
    setDone(true);
  };
  return html`<button type="button" class="quiet" onClick=${copy} aria-live="polite">${done ? "Copied" : label}</button>`;
}

// Return a ref for an element, and the current width of the element.
export function useWidth() {
  const [element, setElement] = useState(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element) return undefined;
    const seen = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    seen.observe(element);
    return () => seen.disconnect();
  }, [element]);
  return [setElement, width];
}

export function useTitle(text) {
  useEffect(() => {
    document.title = text ? `${text} · Lakemuster` : "Lakemuster";
  }, [text]);
}

// Return a value once it has not changed for some milliseconds.
export function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), milliseconds);
    return () => window.clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

// Content that scrolls sideways in a narrow window; the keyboard can reach it there.
export function Scroll({ children, ...rest }) {
  const box = useRef(null);
  const [isWider, setWider] = useState(false);
  useEffect(() => {
    const seen = new ResizeObserver(([{ target }]) => setWider(target.scrollWidth > target.clientWidth));
    seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  return html`<div class="scroll" ref=${box} tabindex=${isWider ? "0" : undefined} ...${rest}>${children}</div>`;
}

export const Sheet = ({ title, aside, children, id }) => html`<section class="sheet" aria-labelledby=${id}>
  <header><h2 id=${id}>${title}</h2>${aside}</header><${Scroll}>${children}</${Scroll}></section>`;
