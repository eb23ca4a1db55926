package configfield

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the key that differs only in case or in few letters, "" if there is none.
func Nearest(key string, known []string) string {
	for _, name := range known {
		if len(key) > 3 && levenshtein.Distance(name, key, nil) <= 2 {
			return name
		}
	}
	for _, name := range known {
		if strings.EqualFold(name, key) || (len(key) > 3 && (strings.HasPrefix(name, key) || strings.HasPrefix(key, name))) {
			return name
		}
	}
	return ""
}
