package lookup

import (
	"regexp"
	"strings"
)

// Cause returns the message of AWS or its provider about a failed lookup, on one line and without the names of the call.
func Cause(err error) string {
	text := err.Error()
	if _, said, wrapped := strings.Cut(text, " returned an error: "); wrapped && strings.Contains(text, "invocation of ") {
		text = said
	}
	return strings.Join(strings.Fields(wrapping.ReplaceAllString(text, "")), " ")
}

// wrapping matches the text that the provider's bridge adds before a lookup's error.
var wrapping = regexp.MustCompile(`^(rpc error: code = \w+ desc = )?(invoking [^ ]+: )?(1 error occurred:\s+\* )?`)
