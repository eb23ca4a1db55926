package pulumishim

import (
	"slices"
	"strings"
)

// command is a command line of the engine.
type command struct {
	args []string
	// operation is the first argument that is not a flag, at is its place, and named are the arguments after it.
	operation string
	at        int
	named     []string
	// stack, dir, and eventLog are the values of --stack, --cwd, and --event-log; "" without them.
	stack, dir, eventLog string
	// help is true if only help is wanted, partial if the command is for some resources of the stack only, replaces if it
	// replaces resources without a change, and refresh if it reads AWS into the state first.
	help, partial, replaces, refresh bool
}

// flagsBefore returns the engine's flags with a value that may precede the operation. Source: cmd/pulumi/pulumi.go of
// github.com/pulumi/pulumi.
func flagsBefore() []string {
	return []string{"--color", "--cwd", "-C", "--verbose", "-v", "--tracing", "--profiling", "--memprofilerate",
		"--otel-traces"}
}

func parse(args []string) command {
	c := command{args: args, at: -1}
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, joined := c.flag(args[i])
		if !strings.HasPrefix(name, "-") {
			if c.at < 0 {
				c.operation, c.at = args[i], i
			} else {
				c.named = append(c.named, args[i])
			}
			continue
		}
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		switch name {
		case "--stack", "-s":
			c.stack = value
		case "--cwd", "-C":
			c.dir = value
		case "--event-log":
			c.eventLog = value
		case "--help", "-h":
			c.help = true
		case "--target", "-t", "--exclude", "-x":
			c.partial = true
		case "--replace", "--target-replace":
			c.partial, c.replaces = c.partial || name == "--target-replace", true
		case "--refresh":
			c.refresh = !joined || value != "false"
		}
		if group, off := strings.CutSuffix(args[i], "=false"); !off && strings.Contains(switches(group), "r") {
			c.refresh = true
		}
		if !joined && (c.at < 0 && slices.Contains(flagsBefore(), name) ||
			slices.Contains([]string{"--stack", "-s", "--cwd", "-C", "--event-log"}, name)) {
			i++
		}
	}
	if c.changes() == changeSelect && c.stack == "" {
		c.stack = c.named[1]
	}
	return c
}

// flag returns the name of a flag, and its value if it is joined with it. Of flags with one letter it returns the one
// of those in a group that has the value, as in "-ys dev" and "-sdev".
func (c command) flag(arg string) (name, value string, joined bool) {
	if len(arg) < 3 || arg[0] != '-' || arg[1] == '-' {
		return strings.Cut(arg, "=")
	}
	for i, letter := range arg[1:] {
		if letter == '=' { // of a switch
			break
		}
		if strings.ContainsRune(valuedLetters, letter) && (letter != 'c' || c.operation != "stack") {
			value = strings.TrimPrefix(arg[i+2:], "=")
			return "-" + string(letter), value, arg[i+2:] != ""
		}
	}
	return arg, "", false
}

// valuedLetters are the engine's flags of one letter that have a value. In `stack select` -c is a switch. Source:
// cmd/pulumi of github.com/pulumi/pulumi.
const valuedLetters = "sCcmptvx"

// switches returns the letters of a group that are switches: "yr" of "-yrs dev"; none of a flag with a name.
func switches(group string) string {
	letters := strings.TrimPrefix(group, "-")
	if i := strings.IndexAny(letters, valuedLetters+"-="); i >= 0 {
		letters = letters[:i]
	}
	return letters
}

// change is the effect of a command on a stack.
type change string

const (
	changeUp      change = "up"
	changeRefresh change = "refresh"
	changeDestroy change = "destroy"
	// changePreview changes nothing, and reports what would refuse an update.
	changePreview change = "preview"
	// changeSelect selects a stack, for which the engine reads its state.
	changeSelect change = "select"
)

// changes returns the effect of the command; "" if this program doesn't handle it. The other names are the engine's
// aliases.
func (c command) changes() change {
	if c.help || slices.Contains(c.args, "--preview-only") {
		return ""
	}
	switch c.operation {
	case "stack":
		if len(c.named) > 0 && c.named[0] == "select" && (len(c.named) > 1 || c.stack != "") {
			return changeSelect
		}
	case "up", "update":
		return changeUp
	case "preview", "pre":
		return changePreview
	case "refresh":
		return changeRefresh
	case "destroy", "down", "dn":
		return changeDestroy
	}
	return ""
}

// withEventLog returns the arguments with another log of events.
func (c command) withEventLog(log string) []string {
	args := c.without("--event-log", true)
	return slices.Insert(args, parse(args).at+1, "--event-log", log)
}

// without returns the arguments without a flag, which has a value or is a switch.
func (c command) without(flag string, valued bool) []string {
	var kept []string
	for i := 0; i < len(c.args); i++ {
		if c.args[i] == "--" {
			return append(kept, c.args[i:]...)
		}
		switch name, _, joined := strings.Cut(c.args[i], "="); {
		case name != flag:
			kept = append(kept, c.args[i])
		case valued && !joined:
			i++
		}
	}
	return kept
}
