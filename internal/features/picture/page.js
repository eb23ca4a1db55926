"use strict";
const root = document.documentElement, svg = document.querySelector("svg.picture");
const canvas = svg.parentElement; // an SVG that listens to the focus is a stop of the Tab key
const edges = [...svg.querySelectorAll(".edge")], boxes = [...svg.querySelectorAll(".box")];
const next = new Map(), before = new Map();
const add = (map, from, to) => map.has(from) ? map.get(from).push(to) : map.set(from, [to]);
for (const e of edges) { add(next, e.dataset.from, e.dataset.to); add(before, e.dataset.to, e.dataset.from); }

// reach is every box that can be reached from one along a map of edges.
function reach(map, from, found = new Set()) {
  found.add(from);
  for (const to of map.get(from) ?? []) if (!found.has(to)) reach(map, to, found);
  return found;
}

// light shows the boxes and the edges between them, and dims the rest; none shows all alike.
function light(ids) {
  svg.classList.toggle("lighting", ids.size > 0);
  for (const b of boxes) b.classList.toggle("lit", ids.has(b.id));
  for (const e of edges) e.classList.toggle("lit", ids.has(e.dataset.from) && ids.has(e.dataset.to));
}
const path = id => new Set([...reach(next, id), ...reach(before, id)]);

// name is that of a box in the address and in messages; tell reads a message aloud.
const nameOf = b => (b.dataset.urn ?? b.dataset.outside).split("::").pop();
const tell = text => { document.getElementById("status").textContent = text; };

let pinned = new Set();
const boxOf = event => event.target.closest?.(".box");
svg.addEventListener("pointerover", e => { const b = boxOf(e); if (b && e.pointerType === "mouse") light(path(b.id)); });
svg.addEventListener("pointerout", e => { if (e.pointerType === "mouse") light(pinned); });
canvas.addEventListener("focusin", e => { const b = boxOf(e); if (b?.matches(":focus-visible")) light(path(b.id)); });
canvas.addEventListener("focusout", () => light(pinned));

// pin keeps the path of a box lit, or ends that.
function pin(b) {
  pinned = b && !(pinned.size && pinned.has(b.id)) ? path(b.id) : new Set();
  light(pinned); save(b && pinned.size ? nameOf(b) : "");
  tell(pinned.size ? `The path of ${nameOf(b)} is lit: ${pinned.size} boxes` : "No path is lit");
}
// neighbour is the box that an arrow key goes to: right along the first arrow, left against it, up and down in the order of the page.
function neighbour(b, key) {
  const at = boxes.indexOf(b), along = map => {
    const ids = map.get(b.id) ?? [], id = ids.find(id => drawn.has(b.id + id)) ?? ids[0];
    return boxes.find(o => o.id === id);
  };
  return { ArrowRight: () => along(next), ArrowLeft: () => along(before), ArrowDown: () => boxes[at + 1], ArrowUp: () => boxes[at - 1] }[key]?.();
}
const drawn = new Set(edges.filter(e => e.hasAttribute("d") && !e.classList.contains("implied")).flatMap(e => [e.dataset.from + e.dataset.to, e.dataset.to + e.dataset.from]));
svg.addEventListener("click", e => { if (!e.target.closest("a")) pin(boxOf(e)); });
svg.addEventListener("keydown", e => {
  if (!e.target.matches(".box") || e.ctrlKey || e.altKey || e.metaKey) return;
  if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pin(e.target); }
  const to = neighbour(e.target, e.key);
  if (to) { e.preventDefault(); to.focus(); }
});
document.addEventListener("keydown", e => { if (e.key === "Escape") { pinned = new Set(); light(pinned); save(""); tell("No path is lit"); } });
for (const button of document.querySelectorAll("[data-boxes]")) button.addEventListener("click", () => {
  pinned = new Set(button.dataset.boxes.split(" ").filter(Boolean)); light(pinned);
});

const layers = [...document.querySelectorAll("[data-layer]")];
const show = () => layers.forEach(l => svg.classList.toggle("no-" + l.dataset.layer, !l.checked));
layers.forEach(l => l.addEventListener("change", () => { show(); save(); }));

const search = document.getElementById("search");
search.addEventListener("input", () => {
  const want = search.value.trim().toLowerCase();
  svg.classList.toggle("searching", want !== "");
  for (const b of boxes) b.classList.toggle("match", want !== "" && b.textContent.toLowerCase().includes(want));
  const found = svg.querySelectorAll(".match").length;
  tell(want === "" ? "" : found === 1 ? "1 box found" : `${found} boxes found`);
});
document.getElementById("controls").addEventListener("submit", e => {
  e.preventDefault();
  const found = svg.querySelector(".match"), still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  found?.focus({ preventScroll: true });
  found?.scrollIntoView({ block: "center", inline: "center", behavior: still ? "instant" : "smooth" });
});
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark"; save();
});

// The address keeps what is switched off and what is lit, so that a view can be passed on: #theme=dark&off=cost&lit=network-igw
let lit = "";
function save(name) {
  if (name !== undefined) lit = name;
  const view = new URLSearchParams();
  if (root.dataset.theme) view.set("theme", root.dataset.theme);
  const off = layers.filter(l => !l.checked).map(l => l.dataset.layer).join(",");
  if (off) view.set("off", off);
  if (lit) view.set("lit", lit);
  history.replaceState(null, "", "#" + view);
}
const view = new URLSearchParams(location.hash.slice(1));
if (view.has("theme")) root.dataset.theme = view.get("theme");
for (const l of layers) if ((view.get("off") ?? "").split(",").includes(l.dataset.layer)) l.checked = false;
show();
const start = view.has("lit") && boxes.find(b => nameOf(b) === view.get("lit"));
if (start) { lit = view.get("lit"); pinned = path(start.id); light(pinned); }

// A narrow window has the boxes one below the other, under their headings and zones, and the arrows beside them where a path is lit.
const narrow = matchMedia("(max-width: 640px)"), side = 12, inside = 264, width = inside + 2 * side;
const placed = [...svg.querySelectorAll(".heading, .zone, .box")].map(element => {
  const [x, y] = element.matches(".box") ? element.getAttribute("transform").match(/\d+/g).map(Number) : [+element.getAttribute("x"), +element.getAttribute("y")];
  return { element, x, y };
});
const rect = svg.querySelector(".page"), size = [+svg.getAttribute("width"), +svg.getAttribute("height")];
const curves = edges.map(e => e.getAttribute("d"));
function resize(w, h) {
  svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
  for (const element of [svg, rect]) { element.setAttribute("width", w); element.setAttribute("height", h); }
  if (narrow.matches) { svg.setAttribute("width", "100%"); svg.removeAttribute("height"); } // the boxes fill the window
}
// A narrow window shows whole texts, in letters that are hardly smaller than those of a wide one.
const shortened = [...svg.querySelectorAll("[data-whole]")].map(element => ({ element, short: element.textContent }));
function fit({ element, short }) {
  element.style.fontSize = "";
  element.textContent = narrow.matches ? element.dataset.whole : short;
  if (!narrow.matches) return;
  const size = parseFloat(getComputedStyle(element).fontSize), fitting = Math.min(1, element.dataset.room / element.getComputedTextLength());
  if (fitting < inside / innerWidth) element.textContent = short;
  else element.style.fontSize = `${size * fitting}px`;
}
function put({ element }, x, y) {
  if (element.matches(".box")) element.setAttribute("transform", `translate(${x} ${y})`);
  else { element.setAttribute("x", x); element.setAttribute("y", y); }
}
// inOneColumn is the order of a single column: row by row, but account by account, and the VPC before its zones.
function inOneColumn() {
  const headings = placed.filter(p => p.element.matches(".heading")), part = p => headings.findLastIndex(h => h.y <= p.y + 16);
  const accounts = headings.findIndex(h => h.element.matches(".accounts")), network = headings.findIndex(h => h.element.matches(".network"));
  const left = Math.min(...placed.filter(p => part(p) === network && p.element.matches(".zone")).map(p => p.x));
  const column = p => p.element.matches(".heading") ? 0 : part(p) === accounts ? p.x : part(p) === network && p.x >= left ? 2 : 1;
  return placed.toSorted((a, b) => part(a) - part(b) || column(a) - column(b) || a.y - b.y || a.x - b.x);
}
function arrange() {
  svg.classList.toggle("narrow", narrow.matches);
  shortened.forEach(fit);
  if (!narrow.matches) {
    resize(...size);
    placed.forEach(p => put(p, p.x, p.y));
    edges.forEach((e, i) => curves[i] && e.setAttribute("d", curves[i]));
    return;
  }
  let y = 0;
  const middle = new Map();
  for (const p of inOneColumn()) {
    if (p.element.matches(".heading")) { y += 32; put(p, side, y); y += 12; continue; }
    if (p.element.matches(".zone")) { y += 16; put(p, side, y); y += 8; continue; }
    const h = +p.element.querySelector(".frame").getAttribute("height");
    put(p, side, y); middle.set(p.element.id, y + 26); y += h + 10;
  }
  for (const e of edges) {
    const from = middle.get(e.dataset.from), to = middle.get(e.dataset.to), x = side + inside;
    if (e.hasAttribute("d")) e.setAttribute("d", `M${x} ${from}C${x + 10} ${from} ${x + 10} ${to} ${x + 2} ${to}`);
  }
  resize(width, y + side);
}
narrow.addEventListener("change", arrange);
addEventListener("resize", () => shortened.forEach(fit));
arrange();
