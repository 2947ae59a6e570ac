// The files that an expiry of snapshots would remove, for a cutoff set by a slider.
import { get, tablePath, useAnswer } from "./api.js";
import { Bytes, Count, Time, bytes, count, millisOf, plural, plus, time } from "./format.js";
import { html, useEffect, useMemo, useState } from "./html.js";
import { Failure, Loading, Sheet, useSettled } from "./parts.js";
import { change } from "./route.js";

// Return the expiry for the cutoff in the address, and the ids of the snapshots that it would remove.
export function useExpiry(name, params, version) {
  const asked = { older_than: params.older_than, retain_last: params.retain_last };
  const key = params.older_than === undefined ? null : JSON.stringify([name, asked, version]);
  const answer = useAnswer(key, (signal) => get(tablePath(name, "/expiry"), asked, { signal }));
  const data = key === null ? null : answer.data;
  const gone = useMemo(() => new Set(data ? data.snapshots.map((one) => one.snapshot_id) : []), [data]);
  return { ...answer, data, gone };
}

export function Expiry({ commits, expiry, params }) {
  // Positions of the slider: before the first commit, then after each; the cutoff is exclusive. Times of writers whose
  // clocks differ may be out of order; RFC 3339 has no times out of the years 0 to 9999.
  const times = [...new Set(commits.map((commit) => commit.committed_at).filter((text) => /^\d/.test(text)).map(millisOf))].sort((one, other) => one - other);
  const stops = [...times.slice(0, 1), ...times.map((millis) => millis + 1)].map((millis) => new Date(millis).toISOString());
  const of = params.older_than === undefined ? 0 : Math.max(0, stops.findLastIndex((stop) => millisOf(stop) <= millisOf(params.older_than)));
  const [place, setPlace] = useState(of);
  useEffect(() => setPlace(of), [of]);
  const settled = useSettled(place, 60);
  useEffect(() => {
    if (settled !== of) change({ older_than: settled === 0 ? undefined : stops[settled] }, { replace: true });
  }, [settled]);
  const retain = params.retain_last || "";
  return html`<${Sheet} id="expiry" title="Expire snapshots">
    <div class="cutoff"><label for="cutoff">Older than</label>
      <input id="cutoff" type="range" min="0" max=${Math.max(0, stops.length - 1)} value=${place} onInput=${(event) => setPlace(Number(event.target.value))}
        aria-valuetext=${place === 0 ? "nothing" : time(stops[place])} />
      <output for="cutoff">${place === 0 ? html`<span class="dim">drag to choose a time</span>` : html`<${Time} value=${stops[place]} />`}</output></div>
    <div class="cutoff"><label for="retain">Keep at least</label><input id="retain" type="number" min="1" max="10000" placeholder="the table's setting" value=${retain}
      onInput=${(event) => change({ retain_last: event.target.value || undefined }, { replace: true })} /></div>
    <${Freed} expiry=${expiry} />
  </${Sheet}>`;
}

function Freed({ expiry }) {
  const { data, error, reload, loading } = expiry;
  if (error) return html`<${Failure} error=${error} retry=${reload} />`;
  if (data === null) return loading ? html`<${Loading} what="Computing" />` : html`<p class="dim">Exactly what would go is shown here and in the timeline. Nothing is removed.</p>`;
  const known = data.totals.filter((total) => total.bytes !== null);
  const sum = known.reduce((all, total) => plus(all, total.bytes), 0);
  const files = data.totals.reduce((all, total) => all + total.files, 0);
  return html`<div aria-live="polite" aria-busy=${loading ? "true" : "false"} class="freed">
    ${data.refused && html`<p class="notice"><strong>It would fail.</strong> ${data.refused}</p>`}
    <p class="headline"><strong>${plural(data.snapshots.length, "snapshot")}</strong> of ${count(data.snapshots.length + data.retained)}, <strong>${plural(files, "file")}</strong>, ${known.length < data.totals.length ? "at least " : ""}<strong title=${`${count(sum)} bytes`}>${bytes(sum)}</strong> freed</p>
    ${data.totals.length > 0 && html`<table class="grid plain"><thead><tr><th scope="col">Kind</th><th scope="col" class="end">Files</th><th scope="col" class="end">Size</th></tr></thead>
      <tbody>${data.totals.map((total) => html`<tr><th scope="row">${total.kind}</th><td class="end"><${Count} value=${total.files} /></td><td class="end"><${Bytes} value=${total.bytes} why=${total.reason} /></td></tr>`)}</tbody></table>`}
    ${data.refs.length > 0 && html`<p>Refs that would go: ${data.refs.map((ref) => ref.name).join(", ")}</p>`}
  </div>`;
}
