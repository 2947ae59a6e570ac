// A treemap of partitions on a canvas: the layout is computed once, and a viewport zooms into it.
import { hierarchy, treemapSquarify } from "./vendor/d3-hierarchy.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef } from "./html.js";
import { useWidth } from "./parts.js";

const HEIGHT = 460;
const SIDE = 10_000;
const STEPS = 10;
const ZOOM_MS = 220;
const AT_ONCE = 1000;
const LEAVES_AT_ONCE = 20_000;
const BUDGET_MS = 6;
const LEAST_EDGE = 8;
const LEAST_LABEL = 54;
// The luminance of backgrounds on which white and dark text have the same contrast.
const EQUAL_CONTRAST = 0.196;

// Return a node of the tree of partitions by their fields; leaves hold the rows.
const nodeOf = (key, field, value) => ({ key, field, value, children: [], by: null, row: null });

export const emptyTree = () => nodeOf(null);

export function addRows(tree, rows) {
  for (const row of rows) {
    let node = tree;
    for (const field in row.partition) {
      const value = row.partition[field];
      // Rows are sorted: most are in the group of the previous row.
      const last = node.children[node.children.length - 1];
      if (last !== undefined && last.field === field && last.value === value) node = last;
      else node = childOf(node, field, value);
    }
    if (node === tree || node.row !== null || node.children.length) {
      split(node);
      node.children.push(leafOf(row));
    } else node.row = row;
  }
}

// Partitions of several specs with the same fields and values are separate tiles.
const leafOf = (row) => ({ ...nodeOf(`spec ${row.spec_id}`), row });

function split(node) {
  if (node.row === null) return;
  node.children.push(leafOf(node.row));
  node.row = null;
}

function childOf(node, field, value) {
  const key = JSON.stringify([field, value ?? null]);
  node.by ??= new Map();
  let child = node.by.get(key);
  if (child === undefined) {
    split(node);
    child = nodeOf(key, field, value);
    node.by.set(key, child);
    node.children.push(child);
  }
  return child;
}

// End the current task, so that the browser can handle input.
export const pause = () => new Promise((resolve) => { window.setTimeout(resolve); });

// Lay out the tree in a square of SIDE, in tasks that are short even for 100,000 leaves. The leaves of a node are
// consecutive: from `first` to before `end` of all leaves.
export async function layOut(tree) {
  const own = ({ row }) => (row ? Number(row.total_data_file_size_in_bytes ?? 0) : 0);
  const root = hierarchy(tree);
  await pause();
  root.sum(own).sort((one, other) => other.value - one.value);
  await pause();
  Object.assign(root, { x0: 0, y0: 0, x1: SIDE, y1: (SIDE * 2) / 3 });
  let placed = 0;
  for (const node of root) {
    if (!node.children) continue;
    treemapSquarify(node, node.x0, node.y0, node.x1, node.y1);
    placed += node.children.length;
    if (placed > LEAVES_AT_ONCE) {
      placed = 0;
      await pause();
    }
  }
  await pause();
  let leaves = 0;
  root.eachBefore((node) => {
    node.first = leaves;
    if (!node.children) leaves += 1;
  });
  root.eachAfter((node) => { node.end = node.children ? node.children[node.children.length - 1].end : node.first + 1; });
  root.places = placesOf(root, leaves);
  return root;
}

// Return the edges of all leaves, four numbers each, in one array that a frame reads in order.
function placesOf(root, count) {
  const places = new Float64Array(4 * count);
  root.eachBefore((node) => {
    if (!node.children) places.set([node.x0, node.y0, node.x1, node.y1], 4 * node.first);
  });
  return places;
}

// Return the keys on the path from the root to a node.
export const pathOf = (node) => node.ancestors().reverse().slice(1).map((one) => one.data.key);

// Return the node at a path; the root if there is none.
export const find = (root, path) => {
  let node = root;
  for (const key of path) {
    node = (node.children || []).find((child) => child.data.key === key);
    if (node === undefined) return root;
  }
  return node;
};

const parsed = (text) => (/rgba?\(([^)]+)\)/.exec(text)?.[1] || "0,0,0").split(/[ ,/]+/).slice(0, 3).map(Number);

// Return the relative luminance of a colour as in WCAG, from 0 to 1.
function luminance(colour) {
  const [red, green, blue] = colour.map((part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function palette(element, low, high) {
  const probe = document.createElement("span");
  element.append(probe);
  const of = (name) => {
    probe.style.color = `var(${name})`;
    return parsed(getComputedStyle(probe).color);
  };
  const [from, to, ground, text] = [of(low), of(high), of("--ground"), of("--text")];
  probe.remove();
  const colours = Array.from({ length: STEPS }, (_, place) => from.map((part, index) => Math.round(part + ((to[index] - part) * place) / (STEPS - 1))));
  const shown = (colour) => `rgb(${colour.join(",")})`;
  return { fills: colours.map(shown), inks: colours.map((colour) => (luminance(colour) > EQUAL_CONTRAST ? "rgb(16,22,28)" : "rgb(255,255,255)")), ground: shown(ground), text: shown(text) };
}

export function Treemap({ root, zoom, shade, scheme, chosen, onZoom, onPoint, label, name }) {
  const [frame, width] = useWidth();
  const canvas = useRef(null);
  const painter = useRef(null);
  const node = find(root, zoom);
  const shades = useMemo(() => {
    const found = new Uint8Array(root.places.length / 4);
    root.eachBefore((leaf) => { if (!leaf.children) found[leaf.first] = Math.round(shade(leaf) * (STEPS - 1)); });
    return found;
  }, [root, shade]);
  useLayoutEffect(() => {
    if (!width || !canvas.current) return undefined;
    if (painter.current === null) painter.current = new Painter(canvas.current);
    painter.current.show({ root, shades, width, node, name, colours: palette(canvas.current.parentNode, ...scheme) });
    return undefined;
  }, [root, shades, width, node, scheme]);
  useEffect(() => {
    const repaint = () => { if (painter.current) painter.current.repaint(palette(canvas.current.parentNode, ...scheme)); };
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const seen = new MutationObserver(repaint);
    dark.addEventListener("change", repaint);
    seen.observe(document.documentElement, { attributeFilter: ["data-scheme"] });
    return () => { dark.removeEventListener("change", repaint); seen.disconnect(); };
  }, [scheme]);
  useEffect(() => () => painter.current && painter.current.stop(), []);
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    return painter.current && painter.current.at(event.clientX - box.left, event.clientY - box.top);
  };
  const point = (event) => {
    const leaf = at(event);
    onPoint(leaf ? pathOf(leaf) : null);
  };
  const click = (event) => {
    const leaf = at(event);
    if (!leaf) return;
    let next = leaf;
    while (next.parent && next.parent !== node) next = next.parent;
    onZoom(pathOf(next));
  };
  const box = chosen && width && chosen !== root ? boxOf(chosen, node, width) : null;
  return html`<div ref=${frame} class="treemap"><canvas ref=${canvas} role="img" aria-label=${label} height=${HEIGHT} onPointerMove=${point} onPointerLeave=${() => onPoint(null)} onClick=${click}></canvas>
    ${box && html`<svg class="over" width=${width} height=${HEIGHT} aria-hidden="true"><rect x=${box.x} y=${box.y} width=${Math.max(1, box.wide)} height=${Math.max(1, box.tall)} /></svg>`}</div>`;
}

function boxOf(node, view, width) {
  const [sx, sy] = [width / (view.x1 - view.x0), HEIGHT / (view.y1 - view.y0)];
  return { x: (node.x0 - view.x0) * sx, y: (node.y0 - view.y0) * sy, wide: (node.x1 - node.x0) * sx, tall: (node.y1 - node.y0) * sy };
}

const viewOf = ({ x0, y0, x1, y1 }) => ({ x0, y0, x1, y1 });

// Paints for a few milliseconds per frame; while it zooms, it transforms the last picture.
class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.picture = document.createElement("canvas");
    this.frame = 0;
    this.view = null;
  }

  show(given) {
    const before = this.view;
    const isZoom = before !== null && this.root === given.root && this.width === given.width && this.node !== given.node;
    Object.assign(this, given);
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(given.width * ratio)) {
      for (const one of [this.canvas, this.picture]) {
        one.width = Math.round(given.width * ratio);
        one.height = Math.round(HEIGHT * ratio);
      }
      this.canvas.style.width = `${given.width}px`;
      this.canvas.style.height = `${HEIGHT}px`;
    }
    this.ratio = ratio;
    this.stop();
    const after = viewOf(given.node);
    if (isZoom && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) this.zoom(before, after);
    else this.paint(after);
  }

  stop() {
    window.cancelAnimationFrame(this.frame);
  }

  repaint(colours) {
    this.stop();
    this.colours = colours;
    this.paint(this.view);
  }

  zoom(from, to) {
    this.picture.getContext("2d").drawImage(this.canvas, 0, 0);
    const start = performance.now();
    const wide = (view) => view.x1 - view.x0;
    const tall = (view) => view.y1 - view.y0;
    const step = (now) => {
      const part = Math.min(1, Math.max(0, (now - start) / ZOOM_MS));
      const ease = 1 - (1 - part) ** 3;
      const view = Object.fromEntries(Object.keys(to).map((key) => [key, from[key] + (to[key] - from[key]) * ease]));
      const { width: w, height: h } = this.canvas;
      this.context.fillStyle = this.colours.ground;
      this.context.fillRect(0, 0, w, h);
      this.context.drawImage(this.picture, ((from.x0 - view.x0) / wide(view)) * w, ((from.y0 - view.y0) / tall(view)) * h, (wide(from) / wide(view)) * w, (tall(from) / tall(view)) * h);
      if (part < 1) this.frame = window.requestAnimationFrame(step);
      else this.paint(to);
    };
    this.view = to;
    this.frame = window.requestAnimationFrame(step);
  }

  // Paint the leaves of the shown node, for some milliseconds per frame, and then the names.
  paint(view) {
    this.view = view;
    this.stop();
    delete this.canvas.dataset.painted;
    const { first, end } = this.node;
    this.done = first;
    this.named = 0;
    const step = () => {
      const until = performance.now() + BUDGET_MS;
      if (this.done === first) this.clear();
      while (this.done < end && performance.now() < until) this.tiles(view, Math.min(end, this.done + AT_ONCE));
      if (this.done === end) this.names(view, until);
      const isDone = this.done === end && this.named === (this.node.children || [this.node]).length;
      if (isDone) this.canvas.dataset.painted = String(end - first);
      else this.frame = window.requestAnimationFrame(step);
    };
    // Start large nodes in the next frame: the caller has used a part of this one.
    if (end - first > AT_ONCE) this.frame = window.requestAnimationFrame(step);
    else step();
  }

  clear() {
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.context.fillStyle = this.colours.ground;
    this.context.fillRect(0, 0, this.width, HEIGHT);
  }

  tiles(view, end) {
    const { context, shades, colours } = this;
    const { places } = this.root;
    const [sx, sy] = [this.width / (view.x1 - view.x0), HEIGHT / (view.y1 - view.y0)];
    const count = this.node.end - this.node.first;
    const gap = count > 20_000 ? 0.2 : count > 2000 ? 0.5 : 1;
    let last = -1;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    for (let leaf = this.done; leaf < end; leaf += 1) {
      if (shades[leaf] !== last) context.fillStyle = colours.fills[(last = shades[leaf])];
      const at = 4 * leaf;
      const wide = (places[at + 2] - places[at]) * sx - gap;
      const tall = (places[at + 3] - places[at + 1]) * sy - gap;
      context.fillRect((places[at] - view.x0) * sx, (places[at + 1] - view.y0) * sy, wide > 0.4 ? wide : 0.4, tall > 0.4 ? tall : 0.4);
    }
    this.done = end;
  }

  // Paint the names of the groups, or of tiles without groups, where there is room.
  names(view, until) {
    const context = this.context;
    const [sx, sy] = [this.width / (view.x1 - view.x0), HEIGHT / (view.y1 - view.y0)];
    const children = this.node.children || [this.node];
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "top";
    context.strokeStyle = this.colours.ground;
    context.lineWidth = 2;
    for (; this.named < children.length && performance.now() < until; this.named += 1) {
      const child = children[this.named];
      const [x, y] = [(child.x0 - view.x0) * sx, (child.y0 - view.y0) * sy];
      const [wide, tall] = [(child.x1 - child.x0) * sx, (child.y1 - child.y0) * sy];
      if (child.children && Math.min(wide, tall) > LEAST_EDGE) context.strokeRect(x, y, wide, tall);
      if (wide >= LEAST_LABEL && tall >= 20) this.label(child, x, y, wide, tall);
    }
  }

  label(child, x, y, wide, tall) {
    const context = this.context;
    context.save();
    context.beginPath();
    context.rect(x, y, wide - 4, tall);
    context.clip();
    const text = this.name(child.data);
    if (child.children) {
      context.fillStyle = this.colours.ground;
      context.fillRect(x + 3, y + 3, Math.min(wide - 8, context.measureText(text).width + 8), 18);
      context.fillStyle = this.colours.text;
      context.fillText(text, x + 7, y + 6);
    } else {
      context.fillStyle = this.colours.inks[this.shades[child.first]];
      context.fillText(text, x + 6, y + 5);
    }
    context.restore();
  }

  at(x, y) {
    const view = this.view;
    const px = view.x0 + (x / this.width) * (view.x1 - view.x0);
    const py = view.y0 + (y / HEIGHT) * (view.y1 - view.y0);
    let node = this.node;
    while (node.children) {
      const next = node.children.find((child) => px >= child.x0 && px < child.x1 && py >= child.y0 && py < child.y1);
      if (!next) return null;
      node = next;
    }
    return node;
  }
}
