package report

import (
	"fmt"
	"time"
)

// Log is the kind of a log, by which lines can be grouped.
type Log string

// The logs. The zero value has no groups.
const (
	GitHubActions Log = "github"
	GitLab        Log = "gitlab"
)

// LogOf returns the log of a pipeline, by the variables that it sets.
func LogOf(environ func(name string) string) Log {
	switch {
	case environ("GITHUB_ACTIONS") == "true":
		return GitHubActions
	case environ("GITLAB_CI") == "true":
		return GitLab
	}
	return ""
}

// groupTitle is the title of the lines about resources.
const groupTitle = "resources"

// begin returns what begins a group of lines about resources.
func (l Log) begin(now time.Time) string {
	switch l {
	case GitHubActions:
		return "::group::" + groupTitle + "\n"
	case GitLab:
		return fmt.Sprintf("\x1b[0Ksection_start:%d:%s\r\x1b[0K%s\n", now.Unix(), groupTitle, groupTitle)
	}
	return ""
}

// end returns what ends the group.
func (l Log) end(now time.Time) string {
	switch l {
	case GitHubActions:
		return "::endgroup::\n"
	case GitLab:
		return fmt.Sprintf("\x1b[0Ksection_end:%d:%s\r\x1b[0K\n", now.Unix(), groupTitle)
	}
	return ""
}
