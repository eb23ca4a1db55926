package awsconfig

import (
	"bytes"
	"io"
	"os"
	"slices"
)

// loggerPrefix begins a line of the AWS SDK's default logger: "SDK 2026/11/23 05:00:00 WARN falling back to IMDSv1".
const loggerPrefix = "SDK 2"

// HideLogs hides the lines of the AWS SDK's loggers, which write to the os.Stderr of the time at which a client is made: it replaces os.Stderr
// by a pipe that leaves them out, and returns the former. Neither the base library nor the library of the states' bucket passes on a logger of its
// caller. What matters in such a line is in the error that follows. Call it once, before anything else uses os.Stderr.
func HideLogs() *os.File {
	terminal := os.Stderr
	from, to, err := os.Pipe()
	if err != nil { // too many open files, which what follows reports
		return terminal
	}
	os.Stderr = to
	go func() { _, _ = io.Copy(&withoutLogs{to: terminal}, from) }()
	return terminal
}

// withoutLogs writes everything but the lines of the SDK's loggers, without waiting for the end of other lines: some are prompts.
type withoutLogs struct {
	to io.Writer
	// begun is the beginning of a line that may be one of the SDK's.
	begun []byte
	// within is true after the beginning of another line.
	within bool
}

func (w *withoutLogs) Write(text []byte) (int, error) {
	rest := slices.Concat(w.begun, text)
	w.begun = nil
	var shown []byte
	for len(rest) > 0 {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		switch {
		case !w.within && bytes.HasPrefix(line, []byte(loggerPrefix)) && ended:
		case !w.within && !ended && (bytes.HasPrefix(line, []byte(loggerPrefix)) || bytes.HasPrefix([]byte(loggerPrefix), line)):
			w.begun = bytes.Clone(line)
		default:
			shown = append(shown, rest[:len(rest)-len(after)]...)
			w.within = !ended
		}
		rest = after
	}
	if _, err := w.to.Write(shown); err != nil {
		return 0, err
	}
	return len(text), nil
}
