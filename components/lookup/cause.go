package lookup

import (
	"regexp"
	"strings"
)

// Cause returns what AWS or its provider says of a lookup that failed, in one line and without the names of the call.
func Cause(err error) string {
	text := err.Error()
	if _, said, wrapped := strings.Cut(text, " returned an error: "); wrapped && strings.Contains(text, "invocation of ") {
		text = said
	}
	return strings.Join(strings.Fields(wrapping.ReplaceAllString(text, "")), " ")
}

// wrapping is what the provider's bridge puts before a lookup's error.
var wrapping = regexp.MustCompile(`^(rpc error: code = \w+ desc = )?(invoking [^ ]+: )?(1 error occurred:\s+\* )?`)
