// Command picturescreens writes the screenshots of the page of `hypershift-aws picture` for docs/appendix/screens.md: in windows of 320 and of 1280
// pixels, light and dark. Its arguments are the CLI, the folder of the examples and the folder to write to. It needs chromium.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/test/chromium"
)

// view is a part of the page of an example.
type view struct {
	// name is that of the files, and example the folder of the stack.
	name, example string
	// at is a selector of what is at the top of the screenshot.
	at string
	// widths are the widths of the windows.
	widths []int
}

// views returns the parts of the page that are shown: a stack, its accounts side by side, and who may do what.
func views() []view {
	return []view{
		{"picture", "public", "h1", []int{320, 1280}},
		{"picture-accounts", "shared-vpc", "svg", []int{320, 1280}},
		{"picture-access", "shared-vpc", ".heading.identity", []int{320, 1280}},
	}
}

// height is that of the windows, in pixels.
const height = 900

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: picturescreens CLI EXAMPLES OUT")
		os.Exit(2)
	}
	for _, v := range views() {
		if err := v.write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintf(os.Stderr, "picturescreens: %s: %v\n", v.name, err)
			os.Exit(1)
		}
	}
}

// write draws the plan of the view's example offline, and takes the screenshots of it.
func (v view) write(cli, examples, out string) (err error) {
	program := chromium.Find()
	if program == "" {
		return errors.New("there is no chromium on PATH: install it, with `apt-get install chromium` on Debian")
	}
	dir, err := os.MkdirTemp("", "picturescreens")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(filepath.Join(dir, "demo"), os.DirFS(filepath.Join(examples, v.example))); err != nil {
		return err
	}
	file := filepath.Join(dir, "page.html")
	for _, args := range [][]string{{"--offline", "up", "--yes"}, {"--offline", "picture", "-f", file}} {
		cmd := exec.Command(cli, args...)
		cmd.Dir = filepath.Join(dir, "demo")
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", args, err, output)
		}
	}
	page, err := chromium.Open(program, dir, file, chromium.Window{Width: 1280, Height: height})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	for _, width := range v.widths {
		for _, dark := range []bool{false, true} {
			if err := v.screenshot(page, out, chromium.Window{Width: width, Height: height, Dark: dark}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v view) screenshot(page *chromium.Page, out string, window chromium.Window) error {
	if err := page.Resize(window); err != nil {
		return err
	}
	// The header stays at the top of the window, and would hide what is scrolled to.
	if err := page.Run(fmt.Sprintf(`(() => {
		document.querySelector("header").style.position = "static";
		scrollTo({top: document.querySelector(%q).getBoundingClientRect().top + scrollY - 16, behavior: "instant"});
	})()`, v.at), nil); err != nil {
		return err
	}
	shot, err := page.Screenshot()
	if err != nil {
		return err
	}
	colors := "light"
	if window.Dark {
		colors = "dark"
	}
	compact, err := withPalette(shot)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, fmt.Sprintf("%s-%d-%s.png", v.name, window.Width, colors)), compact, 0o644)
}

// withPalette returns a PNG file with at most 256 colours: the most frequent ones, and the nearest of them for others.
func withPalette(file []byte) ([]byte, error) {
	shot, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	count := map[color.RGBA]int{}
	bounds := shot.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(shot.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range frequent[:min(256, len(frequent))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	drawn := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := at(x, y)
			index, known := nearest[c]
			if !known {
				index = uint8(palette.Index(c)) //nolint:gosec // at most 256
				nearest[c] = index
			}
			drawn.SetColorIndex(x, y, index)
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, drawn); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
