package picture

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePageCanBeUsedWithTheKeyboardAndAScreenReader(t *testing.T) {
	t.Parallel()
	content, err := HTML(layered(t))
	require.NoError(t, err)
	page := string(content)
	require.Regexp(t, `<html lang="en">`, page)
	require.Regexp(t, `<title>[^<]+</title>`, page)
	require.Regexp(t, `<h1>[^<]+`, page)
	require.Contains(t, page, `<svg class="picture"`)
	require.NotRegexp(t, `<svg[^>]* role="img"`, page, "its boxes would be hidden from screen readers")
	require.NotRegexp(t, `tabindex="[1-9]`, page, "the Tab key follows the order of the page")

	boxes := regexp.MustCompile(`<g class="box [^>]*>(<title>[^<]+</title>)?`).FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, boxes)
	at := [2]int{}
	for _, box := range boxes {
		assert.Contains(t, box[0], `tabindex="0" role="group"`)
		assert.NotEmpty(t, box[1], "a name for screen readers: %s", box[0])
		place := regexp.MustCompile(`translate\((\d+) (\d+)\)`).FindStringSubmatch(box[0])
		x, _ := strconv.Atoi(place[1])
		y, _ := strconv.Atoi(place[2])
		assert.True(t, y > at[0] || y == at[0] && x > at[1], "%s is not after the box before it", box[0])
		at = [2]int{y, x}
	}
	for _, edge := range regexp.MustCompile(`<path class="edge[^>]*>`).FindAllString(page, -1) {
		assert.Contains(t, edge, `aria-hidden="true"`)
	}
	for _, input := range regexp.MustCompile(`(<label>)?<input[^>]*>`).FindAllStringSubmatch(page, -1) {
		assert.True(t, input[1] != "" || strings.Contains(input[0], "aria-label="), "%s has no label", input[0])
	}
	for _, button := range regexp.MustCompile(`(?s)<button[^>]*>(.*?)</button>`).FindAllStringSubmatch(page, -1) {
		assert.NotEmpty(t, strings.TrimSpace(button[1]), button[0])
	}
}

// The ratios are those of WCAG 2.2, AA: 4.5 for text.
func TestTextHasEnoughContrastInLightAndInDark(t *testing.T) {
	t.Parallel()
	for name, style := range map[string]string{"picture": svgStyle, "page": pageStyle} {
		schemes := regexp.MustCompile(`\{(--page:[^}]*)`).FindAllStringSubmatch(style, -1)
		require.GreaterOrEqual(t, len(schemes), 2, name)
		for _, scheme := range schemes {
			colour := map[string]string{}
			for _, one := range regexp.MustCompile(`--([a-z]+):#([0-9a-f]+)`).FindAllStringSubmatch(scheme[1], -1) {
				colour[one[1]] = one[2]
			}
			for _, text := range []string{"text", "muted", "lit", "drop", "make", "edit", "take", "swap", "warn"} {
				for _, behind := range []string{"page", "box"} {
					if colour[text] != "" {
						assert.GreaterOrEqual(t, contrast(colour[text], colour[behind]), 4.5, "%s: --%s on --%s", name, text, behind)
					}
				}
			}
		}
	}
}

// contrast returns the contrast ratio of two colours, as WCAG defines it.
func contrast(a, b string) float64 {
	light, dark := luminance(a), luminance(b)
	return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
}

func luminance(colour string) float64 {
	if len(colour) == 3 {
		colour = strings.Repeat(colour[:1], 2) + strings.Repeat(colour[1:2], 2) + strings.Repeat(colour[2:], 2)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, _ := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		part := float64(value) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}
