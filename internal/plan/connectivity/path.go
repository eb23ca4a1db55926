package connectivity

import (
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
)

// Verdict is the result for one hop.
type Verdict string

const (
	// Holds means that the hop passes traffic.
	Holds Verdict = "holds"
	// Breaks means that the hop does not pass traffic.
	Breaks Verdict = "breaks"
	// Beyond means that the hop is not in the graph, because something else creates it.
	Beyond Verdict = "beyond"
	// NotModelled means that the hop may pass traffic: it depends on what cannot be read, or on what this package does not model.
	NotModelled Verdict = "not modelled"
)

// Hop is one resource on a path.
type Hop struct {
	// Kind is the type's name, "route table".
	Kind string `json:"kind"`
	// Name is the resource's name in the program, "" if it is not in the program, and ID its ID in AWS.
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
	// Verdict is the result.
	Verdict Verdict `json:"verdict"`
	// Why is what allows the traffic, or what is missing.
	Why string `json:"why"`
}

// Path is a path from one end to another.
type Path struct {
	// Name is source and destination: "node in us-east-1a -> internet".
	Name string `json:"name"`
	// Hops end with the first that breaks.
	Hops []Hop `json:"hops,omitempty"`
	// Absent is why there is no such path by design, "" if there is one.
	Absent string `json:"absent,omitempty"`
}

// Broken returns the hop at which the path breaks, or nil where it does not.
func (p *Path) Broken() *Hop {
	if n := len(p.Hops); n > 0 && p.Hops[n-1].Verdict == Breaks {
		return &p.Hops[n-1]
	}
	return nil
}

// through adds a hop that passes traffic.
func (p *Path) through(r *props.Resource, why string) {
	p.Hops = append(p.Hops, Hop{hop(r.Type), r.Name, r.ID, Holds, why})
}

// breaks ends the path with a hop of the type that does not pass traffic; r is the cause, nil if the resource does not exist.
func (p *Path) breaks(token string, r *props.Resource, why string) {
	last := Hop{Kind: hop(token), Verdict: Breaks, Why: why}
	if r != nil {
		last.Name, last.ID = r.Name, r.ID
	}
	p.Hops = append(p.Hops, last)
}

// beyond adds a hop of the type that is not in the graph.
func (p *Path) beyond(token, id, why string) {
	p.Hops = append(p.Hops, Hop{Kind: hop(token), ID: id, Verdict: Beyond, Why: why})
}

// hop returns the name of a type in a path.
func hop(token string) string {
	record, _ := awstype.Lookup(token)
	return record.Hop
}
