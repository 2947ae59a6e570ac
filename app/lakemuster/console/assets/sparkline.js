// A table's last commits by day, as bars, and its size, as a line; loaded when the row becomes visible.
import { get, tablePath } from "./api.js";
import { bytes, plural } from "./format.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { rectangle } from "./shapes.js";

const DAYS = 40;
const WIDTH = 120;
const HEIGHT = 24;
const WIDEST = 8;
const AT_ONCE = 4;
const waiting = [];
let running = 0;

// Limit the concurrent requests: a list may have thousands of rows.
function inTurn(work) {
  return new Promise((resolve, reject) => {
    waiting.push(() => work().then(resolve, reject).finally(() => { running -= 1; next(); }));
    next();
  });
}

function next() {
  if (running >= AT_ONCE || waiting.length === 0) return;
  running += 1;
  waiting.shift()();
}

export function Sparkline({ table, snapshots, changes }) {
  const place = useRef(null);
  const [days, setDays] = useState(null);
  useEffect(() => {
    if (!snapshots) return undefined;
    const cancel = new AbortController();
    const load = () => inTurn(async () => {
      if (cancel.signal.aborted) return;
      const asked = { bucket: "day", page_size: DAYS, fields: "start,commits,total_bytes" };
      const answer = await get(tablePath(table, "/timeline"), asked, { signal: cancel.signal });
      setDays(answer.timeline.reverse());
    }).catch(() => undefined);
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      load();
    });
    seen.observe(place.current);
    return () => { seen.disconnect(); cancel.abort(); };
  }, [table, snapshots, changes]);
  return html`<span class="spark" ref=${place}>${days && days.length > 0 && html`<${Drawing} days=${days} />`}</span>`;
}

function Drawing({ days }) {
  const step = Math.min(WIDEST, WIDTH / days.length);
  const most = Math.max(...days.map((day) => day.commits));
  const sizes = days.map((day) => (day.total_bytes === null ? null : Number(day.total_bytes)));
  const largest = Math.max(1, ...sizes.map((size) => size ?? 0));
  const x = (place) => place * step;
  const y = (size) => HEIGHT - 2 - (size / largest) * (HEIGHT - 5);
  const line = sizes.map((size, place) => (size === null ? "" : `${x(place) + step / 2},${y(size)}`)).filter(Boolean).join(" ");
  const bar = (day, left) => {
    const height = Math.max(2, (day.commits / most) * (HEIGHT - 4));
    return rectangle(left, HEIGHT - height, Math.max(1, step - 1), height);
  };
  const commits = days.reduce((sum, day) => sum + day.commits, 0);
  const last = sizes[sizes.length - 1];
  const label = `${plural(commits, "commit")} on ${plural(days.length, "day")}, now ${bytes(last)}`;
  return html`<svg width=${WIDTH} height=${HEIGHT} role="img" aria-label=${label}><title>${label}</title>
    <path d=${days.map((day, place) => bar(day, x(place))).join("")} />
    <polyline points=${line} /></svg>`;
}
