package connectivity

import (
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
)

// through adds a hop that passes traffic.
func through(p *status.Path, r *props.Resource, why string) {
	p.Hops = append(p.Hops, status.Hop{Kind: hop(r.Type), Name: r.Name, ID: r.ID, Verdict: status.Holds, Why: why})
}

// breaks ends the path with a hop of the type that does not pass traffic; r is the cause, nil if the resource does not exist.
func breaks(p *status.Path, token string, r *props.Resource, why string) {
	last := status.Hop{Kind: hop(token), Verdict: status.Breaks, Why: why}
	if r != nil {
		last.Name, last.ID = r.Name, r.ID
	}
	p.Hops = append(p.Hops, last)
}

// beyond adds a hop of the type that is not in the graph.
func beyond(p *status.Path, token, id, why string) {
	p.Hops = append(p.Hops, status.Hop{Kind: hop(token), ID: id, Verdict: status.Beyond, Why: why})
}

// hop returns the name of a type in a path.
func hop(token string) string {
	record, _ := awstype.Lookup(token)
	return record.Hop
}
