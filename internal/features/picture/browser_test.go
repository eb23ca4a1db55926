package picture

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/chromium"
)

// browser returns the program that the test skips without.
func browser(t *testing.T) string {
	t.Helper()
	program := chromium.Find()
	if program == "" {
		t.Skip("NOT TESTED: the page in a browser, because there is no chromium on this machine")
	}
	return program
}

// open opens a page in a browser. Errors of the page's own script are in seen.errors.
func open(t *testing.T, page []byte, window chromium.Window) *chromium.Page {
	t.Helper()
	program, dir := browser(t), t.TempDir()
	text := strings.Replace(string(page), "<body>", `<body><script>const seen = {errors: []}; addEventListener("error", e => seen.errors.push(e.message));</script>`, 1)
	file := filepath.Join(dir, "page.html")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	opened, err := chromium.Open(program, dir, file, window)
	require.NoError(t, err)
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// inBrowser opens a page, runs a script that puts what it sees into the object seen, and decodes that.
func inBrowser(t *testing.T, page []byte, script string, seen any) {
	t.Helper()
	opened := open(t, page, chromium.Window{Width: 1600, Height: 1200})
	require.NoError(t, opened.Run(`(() => { "use strict"; `+script+`; return seen })()`, seen))
}

func TestInABrowserThePageOpensSwitchesItsLayersAndLightsAPath(t *testing.T) {
	t.Parallel()
	page, err := HTML(layered(t))
	require.NoError(t, err)
	var seen struct {
		Errors               []string
		Layers               map[string][2]bool
		Hover, Pinned, Other []string
		Dimmed, Broken       string
		After                int
		Found                []string
		Theme                [2]string
		Hash                 string
	}
	inBrowser(t, page, `
const all = s => [...document.querySelectorAll(s)], one = n => all(".box").find(b => b.dataset.urn.endsWith("::" + n));
const names = () => all(".box.lit").map(b => b.dataset.urn.split("::").pop());
const shown = e => getComputedStyle(e).display !== "none";
// Each layer: whether its marks are seen before and after its box is cleared.
seen.layers = {};
for (const [layer, mark] of Object.entries({cost: "text.cost", path: ".mark.break", drift: ".mark.drift", policy: ".mark.policy"})) {
  const of = document.querySelector(mark), before = shown(of), box = document.querySelector("[data-layer=" + layer + "]");
  box.click(); seen.layers[layer] = [before, shown(of)]; box.click();
}
const made = document.querySelector("[data-change-create]>.frame"), plan = document.querySelector("[data-layer=plan]");
const dashed = () => getComputedStyle(made).strokeDasharray !== "none";
const before = dashed(); plan.click(); seen.layers.plan = [before, dashed()]; plan.click();
// Pointing at a box lights its path, and leaving it ends that.
const pointer = (target, type) => target.dispatchEvent(new PointerEvent(type, {bubbles: true, pointerType: "mouse"}));
pointer(one("network-nat-us-east-1a"), "pointerover"); seen.hover = names();
seen.dimmed = String(document.querySelector("svg.picture").classList.contains("lighting"));
pointer(one("network-nat-us-east-1a"), "pointerout"); seen.after = names().length;
// A tap keeps the path, and Escape ends it.
one("network-nat-us-east-1b").dispatchEvent(new MouseEvent("click", {bubbles: true})); seen.pinned = names(); seen.hash = location.hash;
document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})); seen.other = names();
// The list of paths has the broken one, which lights its boxes.
const broken = document.querySelector("#paths .broken"); seen.broken = broken.textContent; broken.click();
seen.broken += ": " + names().join(" ");
const search = document.getElementById("search"); search.value = "10.0.128.0"; search.dispatchEvent(new Event("input"));
seen.found = all(".box.match").map(b => b.dataset.urn.split("::").pop());
const theme = () => getComputedStyle(document.body).backgroundColor;
const light = theme(); document.getElementById("theme").click(); seen.theme = [light, theme()];
`, &seen)
	require.Empty(t, seen.Errors)
	for _, layer := range []string{"plan", "path", "cost", "drift", "policy"} {
		assert.Equal(t, [2]bool{true, false}, seen.Layers[layer], "layer %s is seen until it is switched off", layer)
	}
	assert.Contains(t, seen.Hover, "network-private-us-east-1a")
	assert.NotContains(t, seen.Hover, "network-private-us-east-1b")
	assert.Equal(t, "true", seen.Dimmed)
	assert.Zero(t, seen.After)
	assert.Contains(t, seen.Pinned, "network-private-us-east-1b")
	assert.Contains(t, seen.Hash, "lit=network-nat-us-east-1b")
	assert.Empty(t, seen.Other)
	assert.Contains(t, seen.Broken, "node in us-east-1c -> internet: ")
	assert.Contains(t, seen.Broken, "network-nat-us-east-1c")
	assert.Equal(t, []string{"network-private-us-east-1a"}, seen.Found)
	assert.NotEqual(t, seen.Theme[0], seen.Theme[1])
}

func TestInABrowserTheFleetIsSortedAndSearched(t *testing.T) {
	t.Parallel()
	page, err := Fleet("as they are in AWS", members(t))
	require.NoError(t, err)
	var seen struct {
		Errors         []string
		Sorted, Search []string
	}
	inBrowser(t, page, `
const names = rows => rows.map(r => r.cells[0].textContent), body = document.querySelector("tbody");
const head = [...document.querySelectorAll("th")].find(h => h.textContent === "drift");
head.click(); head.click(); seen.sorted = names([...body.rows]);
const search = document.getElementById("search"); search.value = "management"; search.dispatchEvent(new Event("input"));
seen.search = names([...body.rows].filter(r => !r.hidden));
`, &seen)
	require.Empty(t, seen.Errors)
	assert.Equal(t, "private", seen.Sorted[0], "the stack with most drift")
	assert.Equal(t, []string{"management"}, seen.Search)
}

// pdfPage matches the start of a page's object in a PDF file, and not that of the list of pages.
var pdfPage = regexp.MustCompile(`/Type\s*/Page[^s]`)

func TestInABrowserThePageIsPrintedOnOnePage(t *testing.T) {
	t.Parallel()
	program := browser(t)
	for _, name := range []string{"complete", "capa-private"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, err := HTML(input(t, name))
			require.NoError(t, err)
			dir := t.TempDir()
			file, printed := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
			require.NoError(t, os.WriteFile(file, page, 0o600))
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, program,
				append(chromium.Flags(dir), "--no-pdf-header-footer", "--print-to-pdf="+printed, "file://"+file)...)
			command.Env = append(os.Environ(), "HOME="+dir)
			output, err := command.CombinedOutput()
			require.NoError(t, err, "%s", output)
			text, err := os.ReadFile(printed)
			require.NoError(t, err)
			assert.Len(t, pdfPage.FindAll(text, -1), 1)
		})
	}
}
