"use strict";
const root = document.documentElement, svg = document.querySelector("svg.picture");
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

let pinned = new Set();
const boxOf = event => event.target.closest?.(".box");
svg.addEventListener("pointerover", e => { const b = boxOf(e); if (b && e.pointerType === "mouse") light(path(b.id)); });
svg.addEventListener("pointerout", e => { if (e.pointerType === "mouse") light(pinned); });
svg.addEventListener("focusin", e => { const b = boxOf(e); if (b?.matches(":focus-visible")) light(path(b.id)); });
svg.addEventListener("focusout", () => light(pinned));

// pin keeps the path of a box lit, or ends that.
function pin(b) {
  pinned = b && !(pinned.size && pinned.has(b.id)) ? path(b.id) : new Set();
  light(pinned); save(b && pinned.size ? b.dataset.urn.split("::").pop() : "");
}
svg.addEventListener("click", e => { if (!e.target.closest("a")) pin(boxOf(e)); });
svg.addEventListener("keydown", e => {
  if ((e.key === "Enter" || e.key === " ") && e.target.matches(".box")) { e.preventDefault(); pin(e.target); }
});
document.addEventListener("keydown", e => { if (e.key === "Escape") { pinned = new Set(); light(pinned); save(""); } });
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
});
document.getElementById("controls").addEventListener("submit", e => {
  e.preventDefault();
  svg.querySelector(".match")?.scrollIntoView({ block: "center", inline: "center", behavior: "smooth" });
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
const start = view.has("lit") && boxes.find(b => b.dataset.urn.split("::").pop() === view.get("lit"));
if (start) { lit = view.get("lit"); pinned = path(start.id); light(pinned); }
