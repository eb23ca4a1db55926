package status

// FlowStep is a step of HyperShift's networking flow: who connects to whom.
type FlowStep struct {
	// Number is its number in HyperShift's architecture, from 1 to 11.
	Number int `json:"number"`
	// From and To are the ends.
	From string `json:"from"`
	To   string `json:"to"`
	// Paths are the names of the checked paths that the step takes; none if no part of it is outside the clusters.
	Paths []string `json:"paths,omitempty"`
	// Verdict is holds or breaks, or beyond if no part of the step is checked. Why is the broken hop, or the reason why
	// nothing is checked.
	Verdict HopVerdict `json:"verdict"`
	Why     string     `json:"why,omitempty"`
}

// HopVerdict is the result for one hop.
type HopVerdict string

const (
	// Holds means that the hop passes traffic.
	Holds HopVerdict = "holds"
	// Breaks means that the hop does not pass traffic.
	Breaks HopVerdict = "breaks"
	// Beyond means that the hop is not in the graph, because something else creates it.
	Beyond HopVerdict = "beyond"
	// NotModelled means that the hop may pass traffic: that depends on something that cannot be read or is not modelled
	// here.
	NotModelled HopVerdict = "not modelled"
)

// Hop is one resource on a path.
type Hop struct {
	// Kind is the type's name, "route table".
	Kind string `json:"kind"`
	// Name is the resource's name in the program, "" if it is not in the program, and ID its ID in AWS.
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
	// Verdict is the result.
	Verdict HopVerdict `json:"verdict"`
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

// Broken returns the hop at which the path breaks, or nil if no hop does.
func (p *Path) Broken() *Hop {
	if n := len(p.Hops); n > 0 && p.Hops[n-1].Verdict == Breaks {
		return &p.Hops[n-1]
	}
	return nil
}
