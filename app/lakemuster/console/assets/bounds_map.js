// Draw files as intervals of one column, overlaid with the interval that the filter selects.
import { asText, count, millisOf, plural } from "./format.js";
import { html, useMemo } from "./html.js";
import { useWidth } from "./parts.js";
import { rectangle } from "./shapes.js";

const LEFT = 8;
const BOTTOM = 22;
const TALLEST = 360;
// Maximum width of a letter on the axis, in pixels.
const LETTER = 7.5;
const LITERAL = /^(?:DATE|TIMESTAMP|TIMESTAMPTZ|TIMESTAMP WITH TIME ZONE)?\s*'((?:[^']|'')*)'$|^(-?[\d.]+(?:[eE][-+]?\d+)?)$/i;

function literal(text) {
  const found = LITERAL.exec(text.trim());
  return found ? (found[1] !== undefined ? found[1].replaceAll("''", "'") : found[2]) : null;
}

// Return the interval of a column that simple comparisons among a filter's conjuncts select; null if there are none.
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

// Return a time as a number; an infinite one if it is out of the range of JavaScript's dates.
function momentOf(value) {
  const millis = millisOf(value.replace(" ", "T"));
  return Number.isNaN(millis) ? (value.startsWith("-") ? -Infinity : Infinity) : millis;
}

// Return a value as a number; NaN is after infinity, as in the order of engines.
function numberOf(value) {
  const number = Number(value);
  return Number.isNaN(number) ? Infinity : number;
}

// Return a scale of values: linear for numbers and times, by rank for others. It includes the edges of the filter.
function scaleOf(bounds, type, asked) {
  const edges = asked ? [asked.lower, asked.upper].filter((value) => value !== null) : [];
  const values = [...bounds, ...edges];
  const isTime = /^(date|timestamp)/i.test(type);
  const isNumber = /^(int|long|float|double|decimal|bigint|smallint|tinyint)/i.test(type);
  if (isTime || isNumber) {
    const of = isTime ? (value) => momentOf(String(value)) : numberOf;
    const found = values.map(of).filter(Number.isFinite);
    if (!found.length) found.push(0);
    return { of, least: Math.min(...found), greatest: Math.max(...found), isRank: false };
  }
  const distinct = [...new Set(values.map(String))].sort();
  const rank = new Map(distinct.map((value, place) => [value, place]));
  return { of: (value) => rank.get(String(value)), least: 0, greatest: distinct.length - 1, isRank: true };
}

// Return the function from values of a scale to x coordinates; infinite values are at the edges.
function placing(scale, width) {
  const span = scale.greatest - scale.least || 1;
  return (value) => LEFT + Math.max(0, Math.min(1, (scale.of(value) - scale.least) / span)) * (width - 2 * LEFT);
}

const barOf = (start, end, top, tall) => rectangle(start, top, Math.max(2, end - start), tall);

const greatestOf = (values, scale) => values.reduce((most, value) => (scale.of(value) > scale.of(most) ? value : most));

// The common parts of both maps: the interval of the filter, and the axis.
function Drawing({ frame, width, tall, kind, label, scale, x, asked, least, greatest, pick, children }) {
  const from = asked && asked.lower !== null ? x(asked.lower) : 0;
  const to = asked && asked.upper !== null ? x(asked.upper) : width;
  const edges = asked ? [asked.lower !== null && from, asked.upper !== null && to].filter((edge) => edge !== false) : [];
  const clipped = (value) => {
    const text = asText(value);
    const most = Math.floor((width / 2 - LEFT) / LETTER);
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
  };
  return html`<div ref=${frame} class=${`bounds ${kind}`}>${width > 0 && html`<svg width=${width} height=${tall + BOTTOM} role="img" onClick=${pick} aria-label=${label}>
    ${asked && html`<rect class="asked" x=${Math.min(from, to)} width=${Math.max(2, Math.abs(to - from))} height=${tall} />`}
    ${children}
    ${edges.map((edge) => html`<path class="edge" d=${`M${edge} 0V${tall}`} />`)}
    <text x=${LEFT} y=${tall + 16}>${clipped(least)}</text><text class="right" x=${width - LEFT} y=${tall + 16}>${clipped(greatest)}</text>
  </svg>${scale.isRank && html`<p class="legend dim">In order of value, not to scale.</p>`}`}</div>`;
}

// Draw each file as a bar from its lower to its upper bound.
export function BoundsMap({ files, column, type, asked, chosen, choose }) {
  const [frame, width] = useWidth();
  const bounded = useMemo(() => files
    .map((file) => ({ file, lower: file.lower_bounds?.[column] ?? null, upper: file.upper_bounds?.[column] ?? null }))
    .filter(({ lower, upper }) => lower !== null && upper !== null), [files, column]);
  const scale = useMemo(() => scaleOf(bounded.flatMap(({ lower, upper }) => [lower, upper]), type, asked), [bounded, type, asked?.lower, asked?.upper]);
  if (!bounded.length) return html`<p class="dim">No file here has both bounds of this column.</p>`;
  const rows = [...bounded].sort((one, other) => scale.of(one.lower) - scale.of(other.lower) || scale.of(one.upper) - scale.of(other.upper));
  const step = Math.max(1, Math.min(14, TALLEST / rows.length));
  const bar = Math.max(1, step * 0.7);
  const x = placing(scale, width);
  const shapes = (state) => rows.map(({ file, lower, upper }, place) => (file.state === state ? barOf(x(lower), x(upper), place * step, bar) : "")).join("");
  const own = rows.findIndex(({ file }) => file.file_path === chosen);
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const row = rows[Math.floor((event.clientY - box.top) / step)];
    if (row) choose(row.file.file_path);
  };
  const kept = rows.filter(({ file }) => file.state === "kept").length;
  return html`<${Drawing} frame=${frame} width=${width} tall=${step * rows.length} kind="files-map" label=${`${plural(rows.length, "file")} as intervals of ${column}, ${count(kept)} kept`}
      scale=${scale} x=${x} asked=${asked} least=${rows[0].lower} greatest=${greatestOf(rows.map((row) => row.upper), scale)} pick=${pick}>
    <path class="dropped" d=${shapes("dropped")} /><path class="kept" d=${shapes("kept")} />
    ${own >= 0 && html`<rect class="own" x=${x(rows[own].lower) - 2} y=${own * step - 1.5} width=${Math.max(2, x(rows[own].upper) - x(rows[own].lower)) + 4} height=${bar + 3} />`}
  </${Drawing}>`;
}

// Draw files in groups of equal size: a bar extends from the least lower bound to the greatest upper bound, and its
// strong part to the median upper bound.
export function BoundsGroups({ map, type, asked }) {
  const [frame, width] = useWidth();
  const { groups } = map;
  const scale = useMemo(() => scaleOf(groups.flatMap((one) => [one.lower_bound, one.median_upper_bound, one.upper_bound]), type, asked), [groups, type, asked?.lower, asked?.upper]);
  if (!groups.length) return html`<p class="dim">No file has both bounds of this column.</p>`;
  const step = Math.max(2, Math.min(14, TALLEST / groups.length));
  const bar = Math.max(1, step * 0.8);
  const x = placing(scale, width);
  return html`<${Drawing} frame=${frame} width=${width} tall=${step * groups.length} kind="groups" label=${`${count(map.files)} files in ${plural(groups.length, "group")} as intervals of ${map.column}, ${count(map.kept_files)} kept`}
      scale=${scale} x=${x} asked=${asked} least=${groups[0].lower_bound} greatest=${greatestOf(groups.map((one) => one.upper_bound), scale)}>
    ${groups.map((one, place) => {
      const state = one.kept === 0 ? "dropped" : one.kept === one.files ? "kept" : "some";
      const [start, middle, end] = [x(one.lower_bound), x(one.median_upper_bound), x(one.upper_bound)];
      return html`<g class=${state}><title>${`${plural(one.files, "file")}, ${count(one.kept)} kept: from ${asText(one.lower_bound)} … ${asText(one.last_lower_bound)} to ${asText(one.upper_bound)}, half of them to ${asText(one.median_upper_bound)}`}</title>
        <path class="all" d=${barOf(start, end, place * step, bar)} /><path d=${barOf(start, middle, place * step, bar)} /></g>`;
    })}
  </${Drawing}>`;
}
