package commandline

import (
	"fmt"
	"regexp"
	"strings"
)

// notFollowed are parts of messages whose commands cannot be followed in the session that prints them, with the reason.
var notFollowed = map[string]string{
	"reads AWS's prices into a file":    "it reads from the internet",
	"in its project":                    "it is for another folder",
	"with the former kubeconfig":        "the user changes the kubeconfig first",
	"management cluster has the Secret": "the session that prints it has lost the Secret",
	"the key unprotected: true in":      "the user sets the key first: the session protected.txtar does",
	"--wait` to wait for it":            "the session lets its operators go on first: remedies.txtar does",
	"--wait` again to continue waiting": "the session lets its operators go on first: remedies.txtar does",
}

// NotFollowed reports whether the commands of a message cannot be followed where it is printed.
func NotFollowed(message string) bool {
	for part := range notFollowed {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

// unusable matches errors of a command line that nobody can run as it is.
var unusable = regexp.MustCompile(`(?m)^error: .*(unknown (flag|command)|there is no stack|requires --|takes (no|only)|cannot be used together)`)

// CheckFollowed returns an error unless a command did what the message promises that advises it: it succeeds, or leads
// on, to an error that says what else is to be done first. It does not lead on if the command cannot be run as printed,
// or if its own error advises the same command, which is right only where the message says to run it again once its
// cause is corrected.
func CheckFollowed(message, command, output string, err error) error {
	again := strings.Contains(message, "again") || strings.Contains(message, "--resume")
	switch {
	case err == nil:
		return nil
	case unusable.MatchString(output):
		return fmt.Errorf("%s cannot be run: %w\n%s", command, err, last(output))
	case strings.Contains(failure(output), command) && !again:
		return fmt.Errorf("%s leads in a circle: %w\n%s", command, err, last(output))
	case !strings.Contains(output, "error: "):
		return fmt.Errorf("%s ends without an error of its own: %w\n%s", command, err, last(output))
	}
	return nil
}

// failure returns the error at the end of an output, and what follows it: warnings before it have remedies of their
// own.
func failure(output string) string {
	return output[max(0, strings.LastIndex("\n"+output, "\nerror: ")):]
}

func last(output string) string { return output[max(0, len(output)-2000):] }
