package report

import (
	"fmt"
	"strings"
)

// Number returns a count with its noun in the singular or plural: "1 resource", "2 resources", "0 policies".
func Number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
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
