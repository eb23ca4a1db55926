package management

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// validateTags returns every fault in tags. The limits are AWS's: what HyperShift passes on to hosted
// clusters is narrower, and does not apply here. Source: "Tag naming limits and requirements" in the
// Tagging AWS Resources user guide.
func validateTags(tags map[string]string) error {
	var faults fault.Faults
	if len(tags) > 50 {
		faults.Add("", len(tags), "are more tags than a resource takes", "give at most 50")
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		path := "[" + key + "]"
		if n := utf8.RuneCountInString(key); n == 0 || n > 128 {
			faults.Add(path, key, fmt.Sprintf("is a key of %d characters", n), "give 1 to 128")
		}
		if strings.HasPrefix(strings.ToLower(key), "aws:") {
			faults.Add(path, key, "is a key that AWS keeps for itself", "give one without aws: in front")
		}
		if n := utf8.RuneCountInString(tags[key]); n > 256 {
			faults.Add(path, nil, fmt.Sprintf("has %d characters", n), "give at most 256")
		}
	}
	return faults.Err()
}
