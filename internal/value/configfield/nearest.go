package configfield

import (
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the key that differs only in case and in how its words are joined, else the one that differs in the
// fewest letters, two at most, or else one that begins like it; "" if there is none.
func Nearest(key string, known []string) string {
	for _, name := range known {
		if strings.EqualFold(joined.Replace(name), joined.Replace(key)) {
			return name
		}
	}
	if len(key) <= 3 {
		return ""
	}
	nearest, least := "", 3
	for _, name := range known {
		if distance := levenshtein.Distance(name, key, nil); distance < least {
			nearest, least = name, distance
		}
	}
	if nearest != "" {
		return nearest
	}
	for _, name := range known {
		if strings.HasPrefix(name, key) || strings.HasPrefix(key, name) {
			return name
		}
	}
	return ""
}

// joined leaves out what joins the words of a key in other formats: vpc_cidr and vpc-cidr are vpcCIDR.
var joined = strings.NewReplacer("_", "", "-", "")
