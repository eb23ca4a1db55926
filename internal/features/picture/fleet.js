"use strict";
const root = document.documentElement, body = document.querySelector("tbody"), rows = [...body.rows];
const search = document.getElementById("search");
search.addEventListener("input", () => {
  const want = search.value.trim().toLowerCase();
  for (const row of rows) row.hidden = want !== "" && !row.textContent.toLowerCase().includes(want);
});
document.getElementById("controls").addEventListener("submit", e => e.preventDefault());
let by = -1, up = true;
for (const head of document.querySelectorAll("th")) head.addEventListener("click", () => {
  up = by === head.cellIndex ? !up : true; by = head.cellIndex;
  const value = row => row.cells[by].textContent;
  rows.sort((a, b) => (up ? 1 : -1) * value(a).localeCompare(value(b), undefined, { numeric: true }));
  body.append(...rows);
  for (const other of document.querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
});
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark"; history.replaceState(null, "", "#theme=" + root.dataset.theme);
});
const theme = new URLSearchParams(location.hash.slice(1)).get("theme");
if (theme) root.dataset.theme = theme;
