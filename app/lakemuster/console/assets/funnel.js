// The levels of pruning as bars: the width is what reached the level, the right parts are dropped by conjuncts.
import { count, percent, plural } from "./format.js";
import { html } from "./html.js";

const LABELS = {
  manifests: "Manifests", segments: "Segments", zones: "Zones", entries: "Files", indexes: "File indexes", groups: "Merge groups",
};
const MEANING = {
  manifests: "by their partition bounds in the manifest list",
  segments: "one index segment for each manifest, by the bounds of its zones",
  zones: "neighbouring files of a segment, by their common bounds",
  entries: "one by one, by their own bounds",
  indexes: "by Bloom filters and other indexes in their manifests",
  groups: "files that are merged on read, dropped as a whole",
};
const LEAST = 0.06;
const HUES = 6;

const hueOf = (conjuncts, text) => `hue-${Math.max(0, conjuncts.indexOf(text)) % HUES}`;

export function Funnel({ funnel, conjuncts, chosen, choose }) {
  let share = 1;
  return html`<ol class="funnel" aria-label="Levels of pruning">${funnel.map((level) => {
    const wide = Math.max(LEAST, share);
    const kept = level.seen === 0 ? 0 : level.kept / level.seen;
    share *= kept;
    return html`<li key=${level.level}>
      <div class="level"><strong>${LABELS[level.level]}</strong> <span class="dim">${MEANING[level.level]}</span></div>
      <div class="track"><${Bar} level=${level} wide=${wide} kept=${kept} conjuncts=${conjuncts} chosen=${chosen} choose=${choose} /></div>
      <div class="counts"><span class="number"><strong>${count(level.kept)}</strong> of ${count(level.seen)}</span> <span class="dim">${level.seen === 0 ? "" : percent(kept)}</span></div>
      ${level.dropped_by.length > 0 && html`<ul class="droppers">${level.dropped_by.map((part) => {
        const isChosen = chosen && chosen.level === level.level && chosen.filter === part.filter;
        return html`<li key=${part.filter}><button type="button" class="dropper" aria-pressed=${isChosen ? "true" : "false"} onClick=${() => choose(isChosen ? null : { level: level.level, filter: part.filter })}>
          <span class=${`swatch ${hueOf(conjuncts, part.filter)}`} aria-hidden="true"></span>${count(part.dropped)} <span class="dim">dropped by</span> <code><bdi class="name">${part.filter}</bdi></code></button></li>`;
      })}</ul>`}
    </li>`;
  })}</ol>`;
}

function Bar({ level, wide, kept, conjuncts, chosen, choose }) {
  let at = wide * kept;
  const parts = level.dropped_by.map((part) => {
    const own = { ...part, at, wide: level.seen === 0 ? 0 : (part.dropped / level.seen) * wide };
    at += own.wide;
    return own;
  });
  const text = (value) => `${(value * 100).toFixed(3)}%`;
  return html`<svg class="bar" width="100%" height="22" role="img" aria-label=${`${plural(level.kept, "kept", "kept")} of ${count(level.seen)}`}>
    <rect class="kept" width=${text(Math.max(wide * kept, level.kept > 0 ? 0.002 : 0))} height="22" />
    ${parts.map((part) => html`<rect key=${part.filter} class=${`part ${hueOf(conjuncts, part.filter)} ${chosen && chosen.level === level.level && chosen.filter === part.filter ? "chosen" : ""}`} x=${text(part.at)} width=${text(Math.max(0.001, part.wide))} height="22"
      onClick=${() => choose({ level: level.level, filter: part.filter })}><title>${`${part.filter} dropped ${count(part.dropped)}`}</title></rect>`)}
  </svg>`;
}
