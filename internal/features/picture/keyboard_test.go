package picture

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/chromium"
)

// shortcuts are functions for the scripts of these tests.
const shortcuts = `const all = s => [...document.querySelectorAll(s)], called = b => (b.dataset.urn ?? b.dataset.outside).split("::").pop();`

// focused returns what has the focus: the name of a box, or the text of another element.
func focused(t *testing.T, page *chromium.Page) (text string) {
	t.Helper()
	require.NoError(t, page.Run(`(() => { `+shortcuts+` const e = document.activeElement;
		if (e.matches(".box")) return "box " + called(e);
		if (e.matches("svg a")) return "link " + e.textContent;
		return e.tagName.toLowerCase() + " " + (e.id || e.dataset.layer || e.getAttribute("aria-label") || e.textContent) })()`, &text))
	return text
}

func lit(t *testing.T, page *chromium.Page) (list []string) {
	t.Helper()
	require.NoError(t, page.Run(`(() => { `+shortcuts+` return all(".box.lit").map(called) })()`, &list))
	return list
}

func press(t *testing.T, page *chromium.Page, keys ...string) {
	t.Helper()
	require.NoError(t, page.Press(keys...))
}

// pageOf returns the page of an example.
func pageOf(t *testing.T, name string) []byte {
	t.Helper()
	page, err := HTML(input(t, name))
	require.NoError(t, err)
	return page
}

func TestInABrowserTheTabKeyReachesEverythingInOrderAndLeavesThePage(t *testing.T) {
	t.Parallel()
	for _, window := range []chromium.Window{{Width: 1280, Height: 900}, {Width: 320, Height: 640}} {
		content, err := HTML(layered(t))
		require.NoError(t, err)
		page := open(t, content, window)
		var want []string
		require.NoError(t, page.Run(`(() => { `+shortcuts+` 
			return all(".box").flatMap(b => ["box " + called(b), ...[...b.querySelectorAll("a")].map(a => "link " + a.textContent)]) })()`, &want))
		require.NotEmpty(t, want)
		want = append([]string{
			"input search", "input plan", "input path", "input cost", "input drift", "input policy", "button theme",
			"summary Paths",
			"summary Who may do what", "summary Cost", "div Picture",
		}, want...)
		var got []string
		for range want {
			press(t, page, "Tab")
			got = append(got, focused(t, page))
		}
		assert.Equal(t, want, got)
		press(t, page, "Tab")
		assert.Equal(t, want[0], func() string {
			press(t, page, "Tab")
			return focused(t, page)
		}(), "the key goes on to the browser, and then to the start")
	}
}

func TestInABrowserThePictureIsUsedWithTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	page := open(t, pageOf(t, "shared-vpc"), chromium.Window{Width: 1280, Height: 900})
	// The search goes to the first box that it finds, and says how many there are.
	press(t, page, "Tab")
	require.Equal(t, "input search", focused(t, page))
	require.NoError(t, page.Type("control-plane-operator"))
	var status string
	require.NoError(t, page.Run(`document.getElementById("status").textContent`, &status))
	assert.Regexp(t, `^\d+ boxes found$`, status)
	press(t, page, "Enter")
	require.Equal(t, "box service account kube-system/control-plane-operator", focused(t, page))
	assert.Subset(t, lit(t, page), []string{
		"service account kube-system/control-plane-operator", "roles-control-plane-operator", "shared-vpc-roles-route53",
		"network-local-zone",
	}, "from the service account through the role to the zone of another account")
	// The arrow keys follow the arrows: to the role, to what its policies allow, to the role that they allow to assume,
	// and back.
	for _, step := range []struct{ key, box string }{
		{"ArrowRight", "roles-control-plane-operator"}, {"ArrowLeft", "service account kube-system/control-plane-operator"},
		{"ArrowRight", "roles-control-plane-operator"}, {"ArrowDown", "roles-control-plane-operator"},
	} {
		press(t, page, step.key)
		assert.Equal(t, "box "+step.box, focused(t, page), step.key)
	}
	press(t, page, "ArrowRight")
	assert.Contains(t, focused(t, page), "box shared-vpc-roles-")
	// Enter keeps the path lit when the focus goes on, and Escape ends that.
	press(t, page, "Enter")
	kept := lit(t, page)
	require.NoError(t, page.Run(`document.getElementById("status").textContent`, &status))
	assert.Regexp(t, `^The path of shared-vpc-roles-\w+ is lit: \d+ boxes$`, status)
	require.NoError(t, page.Run(`document.activeElement.blur()`, nil))
	assert.Equal(t, kept, lit(t, page))
	press(t, page, "Escape")
	assert.Empty(t, lit(t, page))
	// Summaries are opened, layers switched and the colours changed.
	var seen struct {
		Open, Cost bool
		Rows       int
		Theme      string
	}
	require.NoError(t, page.Run(`document.querySelector("#access summary").focus()`, nil))
	press(t, page, "Enter")
	require.NoError(t, page.Run(`document.querySelector("[data-layer=cost]").focus()`, nil))
	press(t, page, " ")
	require.NoError(t, page.Run(`document.getElementById("theme").focus()`, nil))
	press(t, page, "Enter")
	require.NoError(t, page.Run(`({open: document.getElementById("access").open, rows: document.querySelectorAll("#access tbody tr").length,
		cost: getComputedStyle(document.querySelector("text.cost")).display !== "none", theme: document.documentElement.dataset.theme})`, &seen))
	assert.True(t, seen.Open)
	assert.Positive(t, seen.Rows)
	assert.False(t, seen.Cost)
	assert.Equal(t, "dark", seen.Theme)
}

func TestInABrowserTheFleetIsSortedWithTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	content, err := Fleet("as they are in AWS", members(t))
	require.NoError(t, err)
	page := open(t, content, chromium.Window{Width: 320, Height: 640})
	press(t, page, "Tab", "Tab", "Tab", "Tab")
	require.Equal(t, "button stack", focused(t, page))
	press(t, page, "Enter", "Enter")
	var seen struct{ First, Sort string }
	require.NoError(t, page.Run(`({first: document.querySelector("tbody tr").cells[0].textContent, sort: document.querySelector("th").getAttribute("aria-sort")})`, &seen))
	assert.Equal(t, "shared-vpc", seen.First)
	assert.Equal(t, "descending", seen.Sort)
}

func TestInABrowserNothingIsBeyondAWindowOf320Pixels(t *testing.T) {
	t.Parallel()
	first := map[string][]string{
		"shared-vpc": {
			"Accounts", "VPC owner account 210987654321", "vpc-owner-account", "Cluster account 123456789012", "default_6_83_4",
			"Network", "network-vpc",
			"us-east-2a (use2-az2)", "network-private-us-east-2a",
		},
		"complete": {"Accounts", "Account 123456789012", "default_6_83_4", "Account of the management cluster",
			"management-cluster", "Network", "network-vpc"},
	}
	for _, name := range []string{"shared-vpc", "complete", "capa-private"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := open(t, pageOf(t, name), chromium.Window{Width: 320, Height: 640})
			measure := `(() => { ` + shortcuts + `
				const rects = all(".box").map(b => b.querySelector(".frame").getBoundingClientRect()), tall = rects.map(r => [r.top, r.bottom]).sort((a, b) => a[0] - b[0]);
				return {errors: seen.errors, page: document.documentElement.scrollWidth, main: document.querySelector(".canvas").scrollWidth, right: Math.max(...rects.map(r => r.right)),
					overlaps: tall.filter((r, i) => i > 0 && r[0] < tall[i - 1][1]).length, boxes: rects.length,
					texts: all("svg text").filter(t => getComputedStyle(t).display !== "none" && t.getBoundingClientRect().right > 320).map(t => t.textContent)}
			})()`
			var got struct {
				Errors, Texts         []string
				Page, Main            int
				Right                 float64
				Overlaps, Boxes, Wide int
			}
			require.NoError(t, page.Run(measure, &got))
			assert.Empty(t, got.Errors)
			assert.LessOrEqual(t, got.Page, 320, "the page is not scrolled sideways")
			assert.LessOrEqual(t, got.Main, 320, "the picture is not scrolled sideways")
			assert.LessOrEqual(t, got.Right, 320.0)
			assert.Zero(t, got.Overlaps)
			assert.Empty(t, got.Texts, "texts that are cut")
			assert.Positive(t, got.Boxes)
			var column []string
			require.NoError(t, page.Run(`(() => { `+shortcuts+` 
				return all("svg .heading, svg .zone, svg .box").map(e => [e.getBoundingClientRect().top, e.matches(".box") ? called(e) : e.textContent])
				.sort((a, b) => a[0] - b[0]).map(pair => pair[1]) })()`, &column))
			assert.Equal(t, append([]string{}, first[name]...), column[:len(first[name])],
				"each account with its providers, and the VPC before its zones")
			// A wider window has the picture side by side again.
			require.NoError(t, page.Resize(chromium.Window{Width: 1400, Height: 900}))
			require.NoError(t, page.Run(measure, &got))
			assert.Greater(t, got.Right, 1000.0)
		})
	}
}

// cut are the texts of a picture that are beyond their frame or their window, and the pairs of boxes and of texts that
// overlap, and the names that are shortened.
const cut = `(() => {
	const all = s => [...document.querySelectorAll(s)], shown = e => e.getClientRects().length > 0;
	const round = r => [r.left, r.top, r.right, r.bottom].map(Math.round), beyond = [], over = [], wide = innerWidth;
	const beside = (r, q) => r.left < q.right && q.left < r.right;
	for (const box of all("svg .box")) {
		const frame = box.querySelector(".frame").getBoundingClientRect(), texts = [...box.querySelectorAll("text")].filter(shown);
		for (const text of texts) {
			const r = text.getBoundingClientRect();
			if (r.left < frame.left || r.right > frame.right + .5 || r.bottom > frame.bottom + .5) beyond.push(text.textContent);
		}
		texts.forEach((a, i) => texts.slice(i + 1).forEach(b => {
			const r = a.getBoundingClientRect(), q = b.getBoundingClientRect();
			const lap = Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top);
			if (lap > 4 && beside(r, q)) over.push(a.textContent + " / " + b.textContent);
		}));
	}
	const frames = all("svg .box > .frame").map(f => f.getBoundingClientRect());
	frames.forEach((r, i) => frames.slice(i + 1).forEach(q => {
		if (beside(r, q) && r.top < q.bottom && q.top < r.bottom) over.push(round(r) + " / " + round(q));
	}));
	for (const text of all("svg text, header *, .fleet td, .fleet th").filter(shown))
		if (text.getBoundingClientRect().right > wide + .5 && getComputedStyle(text).position !== "absolute") beyond.push(text.textContent.slice(0, 40));
	const small = all("svg text").filter(shown).filter(t => t.getBoundingClientRect().height < 9).map(t => t.textContent);
	const short = all("svg .name").filter(shown).map(t => t.textContent).filter(t => t.includes("…"));
	return {beyond, over, small, short, page: document.documentElement.scrollWidth};
})()`

func TestInABrowserNothingIsCutOverlapsOrIsTooSmall(t *testing.T) {
	t.Parallel()
	fleet, err := Fleet("as they are in AWS", members(t))
	require.NoError(t, err)
	layers, err := HTML(layered(t))
	require.NoError(t, err)
	pages := map[string][]byte{"fleet": fleet, "layers": layers}
	for _, name := range examples {
		pages[name] = pageOf(t, name)
	}
	for name, content := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := open(t, content, chromium.Window{Width: 1280, Height: 900})
			for _, width := range []int{1280, 390} {
				require.NoError(t, page.Resize(chromium.Window{Width: width, Height: 900}))
				var got struct {
					Beyond, Over, Small, Short []string
					Page                       int
				}
				require.NoError(t, page.Run(cut, &got))
				if width == 390 {
					assert.Empty(t, got.Short, "names that are shortened on a phone")
				}
				assert.Empty(t, got.Beyond, "texts that are cut at %d pixels", width)
				assert.Empty(t, got.Over, "what overlaps at %d pixels", width)
				assert.Empty(t, got.Small, "texts that are too small at %d pixels", width)
				assert.LessOrEqual(t, got.Page, width, "the page is not scrolled sideways")
			}
		})
	}
}

// axe returns the accessibility checker, which the test skips without.
func axe(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "bin", "browser", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("NOT TESTED: the picture by an accessibility checker, because axe-core is not in bin/browser: run `make browser`, which needs npm")
	}
	return string(text)
}

func TestAnAccessibilityCheckerHasNoFindings(t *testing.T) {
	t.Parallel()
	checker := axe(t)
	layers, err := HTML(layered(t))
	require.NoError(t, err)
	fleet, err := Fleet("as they are in AWS", members(t))
	require.NoError(t, err)
	for name, content := range map[string][]byte{
		"layers":      layers,
		"fleet":       fleet,
		"shared-vpc":  pageOf(t, "shared-vpc"),
		"privatelink": pageOf(t, "privatelink"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := open(t, content, chromium.Window{Width: 1280, Height: 900})
			require.NoError(t, page.Run(checker+`; for (const d of document.querySelectorAll("details")) d.open = true;`, nil))
			for _, window := range []chromium.Window{{Width: 1280, Height: 900}, {
				Width:  1280,
				Height: 900,
				Dark:   true,
			}, {Width: 320, Height: 640}, {Width: 320, Height: 640, Dark: true}} {
				require.NoError(t, page.Resize(window))
				var found struct {
					Passes     int
					Violations []json.RawMessage
				}
				require.NoError(t, page.Run(`axe.run(document).then(r => ({passes: r.passes.length,
					violations: r.violations.map(v => ({rule: v.id, help: v.help,
						at: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + n.failureSummary), nodes: v.nodes.length}))}))`, &found))
				assert.Greater(t, found.Passes, 10, "rules that the page keeps")
				for _, violation := range found.Violations {
					assert.Fail(t, "a finding", "%+v: %s", window, violation)
				}
			}
		})
	}
}
