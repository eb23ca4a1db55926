package report

import (
	"regexp"
	"slices"
	"strings"
)

// pendingRemedy is what to do about abandoned creations that cannot be looked for.
const pendingRemedy = "they may exist in AWS without being in the state: look for each there and delete it, then run " +
	"`hypershift-aws refresh --forget-pending`, and go on"

// IsEngineEcho is whether the message only says that an error was told already, or repeats Ctrl-C.
func IsEngineEcho(message string) bool {
	switch message {
	case "update failed", "preview failed", "destroy failed", "refresh failed", "resource registration failed",
		"update canceled", "preview canceled", "destroy canceled", "refresh canceled":
		return true
	}
	return false
}

// colourTag is how the engine marks colours in its events: "<{%reset%}>".
var colourTag = regexp.MustCompile(`<\{%[^%]*%\}>`)

// PlainText is a message without colours and surrounding space.
func PlainText(message string) string {
	return strings.TrimSpace(colourTag.ReplaceAllString(message, ""))
}

// pendingOperation matches a line of the engine's warning about abandoned operations.
var pendingOperation = regexp.MustCompile(`\* (urn:\S+), interrupted while (\w+)`)

// wrapping matches what the engine and the SDK put before the words of this program, which say by themselves what
// failed.
var wrapping = regexp.MustCompile(`^(an unhandled error occurred: (\d+ errors? occurred:\s*\* )?|(Preview failed: )?before hook "[^"]+" failed: )`)

// OwnWords leaves out what is wrapped around this program's messages, and says what the engine's longer warnings
// mean here: they name commands of the engine's own.
func OwnWords(message string) string {
	message = wrapping.ReplaceAllString(message, "")
	pending := pendingOperation.FindAllStringSubmatch(message, -1)
	if pending == nil {
		return message
	}
	var given []string
	for _, m := range pending {
		given = append(given, m[2]+" "+urnLabel(m[1]))
	}
	slices.Sort(given)
	return "an earlier run abandoned " + strings.Join(given, ", ") + "; " + pendingRemedy
}
