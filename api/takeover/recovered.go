package takeover

import (
	"fmt"
	"strings"
)

// Candidates are the resources in AWS that one interrupted creation may have created.
type Candidates struct {
	// Type is the token of the resource's type, Name its name in the program, and Kind the type in words, "VPC".
	Type string `json:"resourceType"`
	Name string `json:"name"`
	Kind string `json:"-"`
	// IDs are the candidates: they have this stack's tags, did not exist before the run, and are in no state.
	IDs []string `json:"ids"`
	// Unproved is why a single candidate may not be this stack's; "" if it certainly is.
	Unproved string `json:"unproved,omitempty"`
}

// AmbiguousError is the error of creations with several candidates, or with one that may be another stack's. Nothing
// was changed.
type AmbiguousError struct {
	// Lookups are the creations with the candidates of each; at least one.
	Lookups []Candidates
}

// Error names the candidates.
func (e *AmbiguousError) Error() string {
	var lines []string
	for _, l := range e.Lookups {
		line := fmt.Sprintf("%s %s: %s", l.Kind, l.Name, strings.Join(l.IDs, " or "))
		if l.Unproved != "" {
			line += " (" + l.Unproved + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// Found is an interrupted creation that was decided, or was not found.
type Found struct {
	// Outcome is its result.
	Outcome Outcome `json:"outcome"`
	// ResourceType is the type's token, Name the name in the program, and ID the one in AWS; "" if it was not found.
	ResourceType string `json:"resourceType"`
	Name         string `json:"name"`
	ID           string `json:"id,omitempty"`
}

// Outcome is the result of the search for an interrupted creation.
type Outcome string

const (
	// Taken is a resource that was added to the state.
	Taken Outcome = "taken"
	// Duplicate is a resource that exists in addition to the one in the state. It is not deleted.
	Duplicate Outcome = "duplicate"
	// Missing is a creation that was not found in AWS, and is searched for again.
	Missing Outcome = "missing"
	// Foreign is a resource without this stack's tags. It is not changed.
	Foreign Outcome = "foreign"
)

// Restored is what a stack's state takes over from the management cluster in which the stack's HostedCluster was
// restored from a backup.
type Restored struct {
	// Cluster is the name of the hosted cluster.
	Cluster string `json:"cluster"`
	// From and To are the UIDs of namespace kube-system of the former management cluster, which the state records, and of
	// the one that the stack's file selects; "" if unknown.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Taken are the restored objects, and Created those that were not restored: the next update creates them.
	Taken   []string `json:"taken,omitempty"`
	Created []string `json:"created,omitempty"`
	// Object describes the HostedCluster: "HostedCluster clusters/demo".
	Object string `json:"-"`
	// Unproved is why the recorded management cluster may still run the HostedCluster; "" if it certainly does not.
	Unproved string `json:"-"`
	// Done is true if the state already has the HostedCluster of the file's management cluster.
	Done bool `json:"-"`
}
