// The server's events, over one connection. It is closed while the page is hidden: browsers limit them by host.
import { get } from "./api.js";

const TYPES = [
  "table.committed", "table.ref_changed", "table.altered", "table.registered", "table.removed", "table.renamed",
  "table.quarantined", "table.recovered", "health.changed", "partition.ready", "events.lost",
];
const RETRY_MS = 5000;
const listeners = new Set();
const watchers = new Set();
let source = null;
let last = "latest";
let state = "connecting";
let timer = 0;

function became(next) {
  state = next;
  watchers.forEach((told) => told(next));
}

// Ask for the position before the first stream: a stream that begins at "latest" does not tell its position to the page,
// so that the page would miss the events between that stream and the next one.
async function open() {
  window.clearTimeout(timer);
  if (source !== null || document.hidden || listeners.size === 0) return;
  if (last === "latest") {
    try {
      last = (await get("events", { after: last, page_size: 1 })).last_event_id;
    } catch {
      became("lost");
      timer = window.setTimeout(open, RETRY_MS);
      return;
    }
    if (source !== null || document.hidden || listeners.size === 0) return;
  }
  const made = new EventSource(`api/v1/events?after=${encodeURIComponent(last)}`);
  source = made;
  made.onopen = () => became("live");
  made.onerror = () => {
    became("lost");
    if (made.readyState === EventSource.CLOSED) {
      close();
      timer = window.setTimeout(open, RETRY_MS);
      // The stream does not report why it was refused: a request for a page of the log shows the sign-in if necessary.
      get("events", { after: last, page_size: 1 }).catch(() => {});
    }
  };
  const take = (message) => {
    last = message.lastEventId || last;
    const event = JSON.parse(message.data);
    listeners.forEach((told) => told(event));
  };
  TYPES.forEach((type) => made.addEventListener(type, take));
}

function close() {
  if (source !== null) source.close();
  source = null;
}

document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));

// Call `told` with each event from now on; return a function that ends this.
export function listen(told) {
  listeners.add(told);
  open();
  return () => {
    listeners.delete(told);
    if (listeners.size === 0) close();
  };
}

// Call `told` with each state of the connection: "connecting", "live" or "lost"; return a function that ends this.
export function watch(told) {
  watchers.add(told);
  told(state);
  return () => watchers.delete(told);
}
