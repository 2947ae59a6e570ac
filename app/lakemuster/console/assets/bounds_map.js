// Files as intervals on one column, with the interval that the filter asks for over them.
import { asText, count, plural } from "./format.js";
import { html, useMemo } from "./html.js";
import { useWidth } from "./parts.js";

const LEFT = 8;
const BOTTOM = 22;
const TALLEST = 360;
const LITERAL = /^(?:DATE|TIMESTAMP|TIMESTAMPTZ|TIMESTAMP WITH TIME ZONE)?\s*'((?:[^']|'')*)'$|^(-?[\d.]+(?:[eE][-+]?\d+)?)$/i;

function literal(text) {
  const found = LITERAL.exec(text.trim());
  return found ? (found[1] !== undefined ? found[1].replaceAll("''", "'") : found[2]) : null;
}

// The interval of a column that comparisons of a filter's conjuncts ask for; null where none is so simple.
export function askedFor(conjuncts, column) {
  const names = [column, `\`${column}\``, `"${column}"`];
  let lower = null, upper = null, known = false;
  for (const text of conjuncts) {
    const name = names.find((one) => text.startsWith(`${one} `) || text.startsWith(`${one}=`));
    if (!name) continue;
    const rest = text.slice(name.length).trim();
    const between = /^BETWEEN (.+) AND (.+)$/i.exec(rest);
    const compared = /^(<=|>=|=|<|>)\s*(.+)$/.exec(rest);
    const values = between ? [literal(between[1]), literal(between[2])] : compared ? [literal(compared[2])] : [null];
    if (values.includes(null)) continue;
    known = true;
    if (between) [lower, upper] = values;
    else {
      if (compared[1] !== "<" && compared[1] !== "<=") lower = values[0];
      if (compared[1] !== ">" && compared[1] !== ">=") upper = values[0];
    }
  }
  return known ? { lower, upper } : null;
}

// A scale of values: by size for numbers and times, by rank for all others.
function scaleOf(values, type) {
  const isTime = /^(date|timestamp)/i.test(type);
  const isNumber = /^(int|long|float|double|decimal|bigint|smallint|tinyint)/i.test(type);
  const number = isTime ? (value) => Date.parse(/[zZ]|[+-]\d\d:\d\d$/.test(value) || !String(value).includes("T") && !String(value).includes(" ") ? value : `${String(value).replace(" ", "T")}Z`) : Number;
  if (isTime || isNumber) {
    const found = values.map(number).filter(Number.isFinite);
    const least = Math.min(...found);
    const greatest = Math.max(...found);
    return { of: number, least, greatest, isRank: false };
  }
  const distinct = [...new Set(values.map(String))].sort();
  const rank = new Map(distinct.map((value, place) => [value, place]));
  return { of: (value) => rank.get(String(value)), least: 0, greatest: distinct.length - 1, isRank: true };
}

export function BoundsMap({ files, column, type, asked, chosen, choose }) {
  const [frame, width] = useWidth();
  const bounded = useMemo(() => files
    .map((file) => ({ file, lower: (file.lower_bounds || {})[column], upper: (file.upper_bounds || {})[column] }))
    .filter(({ lower, upper }) => lower !== undefined && upper !== undefined && lower !== null && upper !== null), [files, column]);
  const scale = useMemo(() => {
    const edges = asked ? [asked.lower, asked.upper].filter((value) => value !== null) : [];
    return scaleOf([...bounded.flatMap(({ lower, upper }) => [lower, upper]), ...edges], type);
  }, [bounded, type, asked && asked.lower, asked && asked.upper]);
  if (!bounded.length) return html`<p class="dim">No file here has both bounds of this column.</p>`;
  const rows = [...bounded].sort((one, other) => scale.of(one.lower) - scale.of(other.lower) || scale.of(one.upper) - scale.of(other.upper));
  const step = Math.max(1, Math.min(14, TALLEST / rows.length));
  const bar = Math.max(1, step * 0.7);
  const tall = step * rows.length;
  const span = scale.greatest - scale.least || 1;
  const x = (value) => LEFT + ((scale.of(value) - scale.least) / span) * (width - 2 * LEFT);
  const way = (state) => rows.map(({ file, lower, upper }, place) => (file.state === state
    ? `M${x(lower).toFixed(1)} ${(place * step).toFixed(1)}h${Math.max(2, x(upper) - x(lower)).toFixed(1)}v${bar.toFixed(1)}h${-Math.max(2, x(upper) - x(lower)).toFixed(1)}z` : "")).join("");
  const own = rows.findIndex(({ file }) => file.file_path === chosen);
  const from = asked && asked.lower !== null ? x(asked.lower) : 0;
  const to = asked && asked.upper !== null ? x(asked.upper) : width;
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = rows[Math.floor((event.clientY - box.top) / step)];
    if (row) choose(row.file.file_path);
  };
  const kept = rows.filter(({ file }) => file.state === "kept").length;
  const ends = rows.reduce((most, row) => (scale.of(row.upper) > scale.of(most) ? row.upper : most), rows[0].upper);
  return html`<div ref=${frame} class="bounds">${width > 0 && html`<svg width=${width} height=${tall + BOTTOM} role="img" onClick=${pick}
      aria-label=${`${plural(rows.length, "file")} as intervals of ${column}, ${count(kept)} kept`}>
    ${asked && html`<rect class="asked" x=${Math.min(from, to)} width=${Math.max(2, Math.abs(to - from))} height=${tall} />`}
    <path class="dropped" d=${way("dropped")} /><path class="kept" d=${way("kept")} />
    ${own >= 0 && html`<rect class="own" x=${x(rows[own].lower) - 2} y=${own * step - 1.5} width=${Math.max(2, x(rows[own].upper) - x(rows[own].lower)) + 4} height=${bar + 3} />`}
    ${asked && asked.lower !== null && html`<path class="edge" d=${`M${from} 0V${tall}`} />`}${asked && asked.upper !== null && html`<path class="edge" d=${`M${to} 0V${tall}`} />`}
    <text x=${LEFT} y=${tall + 16}>${clipped(rows[0].lower)}</text><text class="right" x=${width - LEFT} y=${tall + 16}>${clipped(ends)}</text>
    ${scale.isRank && html`<text class="middle" x=${width / 2} y=${tall + 16}>in order of value, not to scale</text>`}
  </svg>`}</div>`;
}

// All files in groups of equally many: a bar reaches from the least lower bound to the greatest upper one; half of the
// group's files end within its darker part.
export function BoundsGroups({ map, column, type, asked }) {
  const [frame, width] = useWidth();
  const { groups } = map;
  const scale = useMemo(() => {
    const edges = asked ? [asked.lower, asked.upper].filter((value) => value !== null) : [];
    return scaleOf([...groups.flatMap((one) => [one.lower_bound, one.median_upper_bound, one.upper_bound]), ...edges], type);
  }, [groups, type, asked && asked.lower, asked && asked.upper]);
  if (!groups.length) return html`<p class="dim">No file has both bounds of this column.</p>`;
  const step = Math.max(2, Math.min(14, TALLEST / groups.length));
  const bar = Math.max(1, step * 0.8);
  const tall = step * groups.length;
  const span = scale.greatest - scale.least || 1;
  const x = (value) => LEFT + ((scale.of(value) - scale.least) / span) * (width - 2 * LEFT);
  const from = asked && asked.lower !== null ? x(asked.lower) : 0;
  const to = asked && asked.upper !== null ? x(asked.upper) : width;
  const greatest = groups.reduce((most, one) => (scale.of(one.upper_bound) > scale.of(most) ? one.upper_bound : most), groups[0].upper_bound);
  return html`<div ref=${frame} class="bounds groups">${width > 0 && html`<svg width=${width} height=${tall + BOTTOM} role="img"
      aria-label=${`${count(map.files)} files in ${plural(groups.length, "group")} as intervals of ${column}, ${count(map.kept_files)} kept`}>
    ${asked && html`<rect class="asked" x=${Math.min(from, to)} width=${Math.max(2, Math.abs(to - from))} height=${tall} />`}
    ${groups.map((one, place) => {
      const state = one.kept === 0 ? "dropped" : one.kept === one.files ? "kept" : "some";
      const [start, middle, end] = [x(one.lower_bound), x(one.median_upper_bound), x(one.upper_bound)];
      return html`<g class=${state}><title>${`${plural(one.files, "file")}, ${count(one.kept)} kept: from ${asText(one.lower_bound)} … ${asText(one.last_lower_bound)} to ${asText(one.upper_bound)}, half of them to ${asText(one.median_upper_bound)}`}</title>
        <rect class="all" x=${start} y=${place * step} width=${Math.max(2, end - start)} height=${bar} /><rect x=${start} y=${place * step} width=${Math.max(2, middle - start)} height=${bar} /></g>`;
    })}
    ${asked && asked.lower !== null && html`<path class="edge" d=${`M${from} 0V${tall}`} />`}${asked && asked.upper !== null && html`<path class="edge" d=${`M${to} 0V${tall}`} />`}
    <text x=${LEFT} y=${tall + 16}>${clipped(groups[0].lower_bound)}</text><text class="right" x=${width - LEFT} y=${tall + 16}>${clipped(greatest)}</text>
    ${scale.isRank && html`<text class="middle" x=${width / 2} y=${tall + 16}>in order of value, not to scale</text>`}
  </svg>`}</div>`;
}

const clipped = (value) => {
  const text = asText(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};
