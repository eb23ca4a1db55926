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

// What the engine says of a resource that it must not delete or replace: it names a flag of the program and a command of its own.
var (
	undeletable   = regexp.MustCompile(`(?s)resource "(urn:[^"]+)" cannot be deleted\s+because it is protected\. To unprotect.*`)
	irreplaceable = regexp.MustCompile(`(?s)unable to replace resource "(urn:[^"]+)".*marked for protection\. To unprotect.*`)
)

// unprotectRemedy is how protection ends in a stack's file.
const unprotectRemedy = "; to go on, set unprotected: true in its section of the stack's file (management, cluster.hostedCluster or capa), " +
	"run `hypershift-aws up`, and then this command again"

// existing matches what AWS and a Kubernetes API server say of a name that is taken.
var existing = regexp.MustCompile(`(?s)((?:was not successfully created by the Kubernetes API server: [^\n]*|api error \w*AlreadyExists\w*: [^\n]*)already exists).*`)

// existingRemedy is what to do about it: nothing is taken over by its name.
const existingRemedy = "; what has that name is not in this stack's state, and was left as it is: delete it, or give the stack other names"

// OwnWords leaves out what is wrapped around this program's messages, and says what the engine's longer warnings
// mean here: they name commands of the engine's own.
func OwnWords(message string) string {
	message = wrapping.ReplaceAllString(message, "")
	if m := undeletable.FindStringSubmatch(message); m != nil {
		return urnLabel(m[1]) + " is protected, and was not deleted" + unprotectRemedy
	}
	if m := irreplaceable.FindStringSubmatch(message); m != nil {
		return urnLabel(m[1]) + " is protected, and cannot be replaced" + unprotectRemedy
	}
	message = existing.ReplaceAllString(message, "$1"+existingRemedy)
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
