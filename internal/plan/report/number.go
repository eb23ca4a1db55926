package report

import (
	"fmt"
	"strings"
)

// Number returns a count with its noun in the singular or plural: "1 resource", "2 resources", "0 policies", "2 stashes", "2 DHCP options".
func Number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "ss"), strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "x"):
		return fmt.Sprintf("%d %ses", n, noun)
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %s", n, noun)
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") && !strings.HasSuffix(stem, "o") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Are returns the verb for a count.
func Are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
