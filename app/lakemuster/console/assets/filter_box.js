// The filter of a query: SQL text with completion of column names and marked errors.
import { Name } from "./format.js";
import { html, useEffect, useRef, useState } from "./html.js";
import { useWidth } from "./parts.js";

const WORDS = ["AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "DATE", "TIMESTAMP", "TRUE", "FALSE"];
const MOST = 8;
const STRING = /'(?:[^']|'')*'?/g;

// Return the identifier that ends at the caret; null inside a string.
function wordAt(text, caret) {
  const before = text.slice(0, caret);
  if ((before.match(/'/g) || []).length % 2 === 1) return null;
  const found = /[\p{L}_][\p{L}\p{N}_.]*$/u.exec(before);
  return found ? { start: found.index, text: found[0] } : null;
}

const plain = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const written = (name) => (plain.test(name) ? name : `\`${name.replaceAll("`", "``")}\``);

function suggestions(word, columns) {
  if (word === null) return [];
  const typed = word.text.toLowerCase();
  const names = columns.map((column) => ({ label: column.name, text: written(column.name), note: column.type }));
  const all = [...names, ...WORDS.map((text) => ({ label: text, text, note: "" }))];
  const starting = all.filter((one) => one.label.toLowerCase().startsWith(typed));
  const inside = names.filter((one) => !one.label.toLowerCase().startsWith(typed) && one.label.toLowerCase().includes(typed));
  const found = [...starting, ...inside].slice(0, MOST);
  return found.length === 1 && found[0].text === word.text ? [] : found;
}

export function FilterBox({ value, onInput, onDone, columns, error }) {
  const area = useRef(null);
  const [word, setWord] = useState(null);
  const [active, setActive] = useState(0);
  const found = suggestions(word, columns);
  const look = () => {
    const own = area.current;
    setWord(own.selectionStart === own.selectionEnd ? wordAt(own.value, own.selectionStart) : null);
    setActive(0);
  };
  const take = (one) => {
    const own = area.current;
    const end = own.selectionStart;
    const next = `${own.value.slice(0, word.start)}${one.text} ${own.value.slice(end).replace(/^ /, "")}`;
    const caret = word.start + one.text.length + 1;
    // Set the value synchronously, so that the next keystroke follows it.
    own.value = next;
    own.focus();
    own.setSelectionRange(caret, caret);
    onInput(next);
    setWord(null);
  };
  const onKey = (event) => {
    if (found.length > 0) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        setActive((active + step + found.length) % found.length);
        return;
      }
      if (event.key === "Tab" && !event.shiftKey || event.key === "Enter") {
        event.preventDefault();
        take(found[active]);
        return;
      }
      if (event.key === "Escape") {
        event.preventDefault();
        setWord(null);
        return;
      }
    }
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      onDone();
    }
  };
  const [box, width] = useWidth();
  useEffect(() => {
    const own = area.current;
    own.style.height = "0";
    own.style.height = `${own.scrollHeight + 2}px`;
  }, [value, width]);
  return html`<div class="filter">
    <label for="filter">Rows where</label>
    <div class="box" ref=${box}>
      <div class="under" aria-hidden="true"><${Marked} text=${value} error=${error} /></div>
      <textarea id="filter" ref=${area} rows="1" spellcheck=${false} autocomplete="off" autocapitalize="off" placeholder="all rows – type a condition, as in a WHERE clause"
        value=${value} aria-autocomplete="list" aria-haspopup="listbox" aria-controls="completions" aria-keyshortcuts="/"
        aria-activedescendant=${found.length > 0 ? `completion-${active}` : undefined} aria-invalid=${error ? "true" : "false"} aria-describedby="filter-error"
        onInput=${(event) => { onInput(event.target.value); look(); }} onKeyDown=${onKey} onClick=${look} onBlur=${() => setWord(null)} />
      <ul id="completions" role="listbox" aria-label="Completions" class="completions" hidden=${found.length === 0}>${found.map((one, place) => html`<li key=${one.label} id=${`completion-${place}`} role="option" aria-selected=${place === active ? "true" : "false"}
        onMouseDown=${(event) => { event.preventDefault(); take(one); }}><${Name} value=${one.label} /><span class="dim">${one.note}</span></li>`)}</ul>
    </div>
    <p id="filter-error" class="problem" role="alert">${error ? error.message : ""}</p>
  </div>`;
}

// The text behind the box, with the erroneous word underlined.
function Marked({ text, error }) {
  const found = error && /^character (\d+)$/.exec(error.details.position || "");
  if (!found) return text;
  // The server counts code points of the trimmed text.
  const start = text.length - text.trimStart().length + [...text.trimStart()].slice(0, Number(found[1]) - 1).join("").length;
  STRING.lastIndex = start;
  const own = text.slice(start).match(/^(?:'(?:[^']|'')*'?|`[^`]*`?|[\p{L}\p{N}_.]+|\s*\S?)/u)[0];
  return html`${text.slice(0, start)}<mark>${own || " "}</mark>${text.slice(start + own.length)}`;
}
