// The commits in order: a lane for each branch, tags above, size and changes below; a listbox for the keyboard.
import { bytes, count, time, worded } from "./format.js";
import { html, useEffect, useRef } from "./html.js";
import { useWidth } from "./parts.js";
import { rectangle } from "./shapes.js";

const TOP = 26;
const LANE = 26;
const SIZE = 56;
const MOVED = 22;
const LEFT = 88;
const NARROW = 12;
const WIDE = 104;

export function Timeline({ names, commits, refs, chosen, from, choose, gone }) {
  const [frame, width] = useWidth();
  const scroller = useRef(null);
  const step = Math.max(NARROW, Math.min(WIDE, width ? (width - LEFT - 24) / commits.length : NARROW));
  const wide = LEFT + step * commits.length + 12;
  const x = (place) => LEFT + step * (place + 0.5);
  const y = (lane) => TOP + LANE * (lane + 0.5);
  const lanesEnd = TOP + LANE * names.length;
  const sizeEnd = lanesEnd + 14 + SIZE;
  const middle = sizeEnd + 10 + MOVED;
  const height = middle + MOVED + 20;
  const places = new Map(commits.map((commit, place) => [commit.key, place]));
  const [low, high] = range(places, chosen, from);
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const at = x(places.get(chosen.key));
    if (at < box.scrollLeft + LEFT || at > box.scrollLeft + box.clientWidth - 20) box.scrollLeft = at - box.clientWidth + 60;
  }, [chosen.key, width, commits.length]);
  const onKey = (event) => {
    const place = places.get(chosen.key);
    const next = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: commits.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const commit = commits[Math.max(0, Math.min(commits.length - 1, next))];
    if (commit.key !== chosen.key) choose(commit.key, event.shiftKey);
  };
  const drag = useRef(null);
  const placeAt = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(commits.length - 1, Math.floor((event.clientX - box.left - LEFT) / step)));
  };
  const down = (event) => {
    if (event.button !== 0) return;
    drag.current = placeAt(event);
    choose(commits[drag.current].key, event.shiftKey);
  };
  const move = (event) => {
    if (drag.current === null || !(event.buttons & 1)) return;
    const place = placeAt(event);
    if (place !== drag.current && commits[place].key !== chosen.key) choose(commits[place].key, true);
  };
  return html`<div ref=${frame}><div class="timeline" ref=${scroller}>
    ${width > 0 && html`<svg width=${Math.max(wide, width)} height=${height} role="listbox" tabindex="0" aria-label="Commits, oldest first" aria-multiselectable="true"
        aria-activedescendant=${`commit-${places.get(chosen.key)}`} onKeyDown=${onKey} onPointerDown=${down} onPointerMove=${move} onPointerUp=${() => { drag.current = null; }}>
      <rect class="range" x=${x(low) - step / 2} y="0" width=${step * (high - low + 1)} height=${height - 16} aria-hidden="true" />
      ${names.map((name, lane) => html`<g key=${name} aria-hidden="true"><text class="lane" x="0" y=${y(lane) + 4}>${clipped(name)}<title>${name}</title></text></g>`)}
      <g aria-hidden="true"><text class="lane" x="0" y=${lanesEnd + 24}>Size</text><text class="lane" x="0" y=${middle + 4}>Change</text></g>
      <${Edges} commits=${commits} places=${places} x=${x} y=${y} />
      <${Sizes} commits=${commits} x=${x} step=${step} top=${lanesEnd + 14} end=${sizeEnd} />
      <${Changes} commits=${commits} x=${x} step=${step} middle=${middle} />
      ${commits.map((commit, place) => html`<g key=${commit.key} id=${`commit-${place}`} role="option" aria-selected=${place >= low && place <= high && (place === low || place === high) ? "true" : "false"} aria-label=${spoken(commit, names)}>
        <title>${spoken(commit, names)}</title>
        <circle class=${`commit ${commit.operation || ""} ${commit.state} ${gone.has(commit.snapshot_id) && commit.lane === 0 ? "gone" : ""}`} cx=${x(place)} cy=${y(commit.lane)} r=${place === low || place === high ? 6 : 4.5} />
        ${commit.state === "quarantined" && html`<path class="cross" d=${`M${x(place) - 3} ${y(commit.lane) - 3}l6 6m0 -6l-6 6`} />`}</g>`)}
      <${Flags} refs=${refs.filter((ref) => ref.type === "tag" || !names.includes(ref.name))} commits=${commits} x=${x} y=${y} />
      <${Dates} commits=${commits} x=${x} step=${step} y=${height - 3} />
    </svg>`}</div></div>`;
}

function range(places, chosen, from) {
  const one = places.get(chosen.key);
  const other = from === null ? one : places.get(from.key);
  return [Math.min(one, other), Math.max(one, other)];
}

const clipped = (name) => (name.length > 12 ? `${name.slice(0, 11)}…` : name);

const spoken = (commit, names) =>
  `${time(commit.committed_at)}: ${commit.operation || commit.commit_kind || "commit"} on ${names[commit.lane]}` +
  (commit.state === "published" ? "" : `, ${commit.state}`) +
  (commit.total_bytes === null ? "" : `; ${count(commit.total_data_files)} files, ${bytes(commit.total_bytes)}`);

function Edges({ commits, places, x, y }) {
  const ways = commits.map((commit, place) => {
    const parent = places.get(`${commit.branch} ${commit.parent_id}`);
    if (parent === undefined) return "";
    const [x1, y1, x2, y2] = [x(parent), y(commits[parent].lane), x(place), y(commit.lane)];
    return y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}C${x1 + 14} ${y1} ${x1} ${y2} ${Math.min(x2, x1 + 20)} ${y2}H${x2}`;
  });
  return html`<path class="edge" d=${ways.join("")} aria-hidden="true" />`;
}

// The size of main after each commit.
function Sizes({ commits, x, step, top, end }) {
  const own = commits.map((commit, place) => ({ commit, place })).filter(({ commit }) => commit.lane === 0 && commit.total_bytes !== null);
  const most = Math.max(1, ...own.map(({ commit }) => Number(commit.total_bytes)));
  if (!own.length) return null;
  const height = (commit) => end - (Number(commit.total_bytes) / most) * (end - top);
  let way = `M${x(own[0].place)} ${height(own[0].commit)}`;
  own.slice(1).forEach(({ commit, place }) => { way += `H${x(place)}V${height(commit)}`; });
  const right = x(commits.length - 1) + step / 2;
  way += `H${right}`;
  return html`<g aria-hidden="true"><path class="area" d=${`${way}V${end}H${x(own[0].place)}Z`} /><path class="size" d=${way} />
    <text class="scale" x=${LEFT - 12} y=${top + 8}>${bytes(most)}</text></g>`;
}

function Changes({ commits, x, step, middle }) {
  const most = Math.max(1, ...commits.flatMap((commit) => [Number(commit.added_bytes ?? 0), Number(commit.removed_bytes ?? 0)]));
  const wide = Math.max(3, Math.min(14, step - 4));
  const tall = (value) => (Number(value ?? 0) > 0 ? Math.max(1.5, (Number(value) / most) * MOVED) : 0);
  const bars = (key, down) => commits.map((commit, place) => rectangle(x(place) - wide / 2, middle, wide, down * tall(commit[key]))).join("");
  return html`<g aria-hidden="true"><path class="axis" d=${`M${LEFT} ${middle}H${x(commits.length - 1) + step / 2}`} />
    <path class="plus" d=${bars("added_bytes", -1)} /><path class="minus" d=${bars("removed_bytes", 1)} /></g>`;
}

// Labels of tags, and of branches without a lane, at their commits.
function Flags({ refs, commits, x, y }) {
  const by = new Map();
  for (const ref of refs) {
    const place = commits.findIndex((commit) => commit.snapshot_id === ref.snapshot_id && (ref.branch === commit.branch || ref.type === "branch"));
    if (place >= 0) by.set(place, [...(by.get(place) || []), ref.name]);
  }
  return html`<g aria-hidden="true">${[...by].map(([place, names]) => html`<g><path class="flag" d=${`M${x(place)} ${y(commits[place].lane) - 6}V18`} />
    <text class="flag-name" x=${x(place) + 4} y="14">${clipped(names[0])}${names.length > 1 ? ` +${names.length - 1}` : ""}<title>${names.join(", ")}</title></text></g>`)}</g>`;
}

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });

function Dates({ commits, x, step, y }) {
  const every = Math.max(1, Math.ceil(96 / step));
  const labels = commits.map((commit, place) => ({ text: worded(day, commit.committed_at), place }));
  return html`<g aria-hidden="true">${labels.filter(({ place }) => place % every === 0).map(({ text, place }, index, all) =>
    (index > 0 && all[index - 1].text === text ? null : html`<text class="date" x=${x(place)} y=${y}>${text}</text>`))}</g>`;
}
