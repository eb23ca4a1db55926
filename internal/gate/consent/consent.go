// Package consent keeps what users allowed although a gate refused it, and which deletions they confirmed: who, when,
// with which version, and for which resources. Each journal is a file that only its owner can read, and lines are only
// added to it.
package consent

import (
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Use is one use of a flag that allows what is refused, or that confirms the deletion of a cluster.
type Use struct {
	Time  time.Time `json:"time"`
	Stack string    `json:"stack"`
	// Flag is the flag with its dashes, and Value its value, "" for a flag without one.
	Flag  string `json:"flag"`
	Value string `json:"value,omitempty"`
	// By is the user and host, or the identity of the pipeline's run: see Who.
	By string `json:"by"`
	// Version is the version of this program.
	Version string `json:"version"`
	// Evidence is why the flag was needed, "" if it is always asked for.
	Evidence string `json:"evidence,omitempty"`
	// Resources are the resources that the flag is about, by their names or by their types and names.
	Resources []string `json:"resources,omitempty"`
	// UID is the UID of the object whose deletion was confirmed.
	UID string `json:"uid,omitempty"`
	// ManagementCluster is the UID of namespace kube-system of the management cluster that had it, "" if that was not
	// recorded.
	ManagementCluster string `json:"managementCluster,omitempty"`
	// Launched is when the newest instance was launched that AWS had when the engine saw the end of that object, or that
	// its deletion was accepted; zero for no instance, nil until then.
	Launched *time.Time `json:"launched,omitempty"`
	// Protected are the URNs of what the engine refused to delete until then, Hooked the resources of the state whose
	// hooks stopped other destroys until then.
	Protected []string          `json:"protected,omitempty"`
	Hooked    []json.RawMessage `json:"hooked,omitempty"`
}

// Text returns the use in words.
func (u Use) Text() string {
	flag := u.Flag
	if u.Value != "" {
		flag += " " + u.Value
	}
	text := fmt.Sprintf("%s used %s", u.By, flag)
	if u.Stack == "" && len(u.Resources) == 0 {
		return text
	}
	noun := "resources"
	if len(u.Resources) == 1 {
		noun = "resource"
	}
	return fmt.Sprintf("%s for %d %s of stack %s", text, len(u.Resources), noun, u.Stack)
}

// New returns a use of a flag with a version of this program now.
func New(version, stack, flag, value string, environ func(name string) string) Use {
	return Use{
		Time:    time.Now().UTC().Truncate(time.Second),
		Stack:   stack,
		Flag:    flag,
		Value:   value,
		By:      Who(environ),
		Version: version,
	}
}

// pipelines returns the variables in which CI systems tell who started a run, and where it runs.
func pipelines() [][2]string {
	return [][2]string{
		{"GITHUB_ACTOR", "GITHUB_RUN_ID"}, {"GITLAB_USER_LOGIN", "CI_JOB_URL"}, {"BUILD_USER_ID", "BUILD_URL"},
		{"BUILD_REQUESTEDFOR", "BUILD_BUILDID"},
		{"BUILDKITE_BUILD_CREATOR", "BUILDKITE_BUILD_URL"}, {"CIRCLE_USERNAME", "CIRCLE_BUILD_URL"},
	}
}

// Who returns the user and the host, "alice@laptop", preceded by the identity of a pipeline's run if the environment
// has one.
func Who(environ func(name string) string) string {
	name := environ("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	who := name + "@" + host
	for _, variables := range pipelines() {
		if actor := environ(variables[0]); actor != "" {
			return fmt.Sprintf("%s (run %s) as %s", actor, environ(variables[1]), who)
		}
	}
	return who
}

// Journal is a file of uses, one JSON object per line.
type Journal struct{ path string }

// NewJournal returns the journal in a file.
func NewJournal(path string) Journal { return Journal{path} }

// Add adds a use, and returns after it is on the disk: what it allows begins only then.
func (j Journal) Add(u Use) error {
	if err := atomicfile.AppendSyncedLine(j.path, u); err != nil {
		return fmt.Errorf("writing the journal of consents: %w", err)
	}
	return nil
}

// Uses returns the uses for a stack, oldest first. An incomplete line is skipped.
func (j Journal) Uses(stack string) ([]Use, error) {
	uses, err := atomicfile.Lines[Use](j.path)
	if err != nil {
		return nil, fmt.Errorf("reading the journal of consents: %w", err)
	}
	return slices.DeleteFunc(uses, func(u Use) bool { return u.Stack != stack }), nil
}

// Clear deletes the journal.
func (j Journal) Clear() error { return atomicfile.Remove(j.path) }

// Merge returns the uses in an output of the stack and those of a journal, without duplicates, in the output's order
// first.
func Merge(output any, uses []Use) []Use {
	var all []Use
	if text, err := json.Marshal(output); err == nil {
		_ = json.Unmarshal(text, &all) // a value that isn't a list of uses is left out
	}
	seen := map[string]bool{}
	key := func(u Use) string {
		return u.Time.UTC().Format(time.RFC3339) + " " + u.Flag + " " + u.Value + " " + u.By
	}
	for _, u := range all {
		seen[key(u)] = true
	}
	for _, u := range uses {
		if !seen[key(u)] {
			seen[key(u)] = true
			all = append(all, u)
		}
	}
	return all
}

// Exported returns a program that exports the uses as an output, in addition to what the program exports; without uses
// it exports nothing more.
func Exported(output string, program pulumi.RunFunc, uses func() []Use) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		if err := program(ctx); err != nil {
			return err
		}
		all := uses()
		if len(all) == 0 {
			return nil
		}
		text, err := json.Marshal(all)
		if err != nil {
			return fmt.Errorf("exporting the consents: %w", err)
		}
		var list []any
		if err := json.Unmarshal(text, &list); err != nil {
			return fmt.Errorf("exporting the consents: %w", err)
		}
		ctx.Export(output, pulumi.ToOutput(list))
		return nil
	}
}
