package connectivity

import (
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// inside is why steps between pods are not checked.
const inside = "inside the clusters, not checked"

// Flow maps the eleven steps of HyperShift's networking flow to checked paths.
func Flow(paths []status.Path) []status.FlowStep {
	nodes := func(name string) func(string) bool {
		return func(path string) bool {
			return strings.HasPrefix(path, "node in ") && strings.HasSuffix(path, "-> control plane over PrivateLink") ||
				strings.HasPrefix(path, name+".") && strings.HasSuffix(path, "-> endpoint")
		}
	}
	steps := []struct {
		from, to string
		private  func(string) bool
		// without is why nothing is checked.
		without string
	}{
		{"user", "load balancer of the API server", nil,
			"HyperShift's operators create the load balancer in the management account"},
		{"konnectivity agent on a node", "konnectivity server", nodes("*.apps"), ""},
		{"API server", "kubelet, by konnectivity's tunnel", nil, inside + "; the tunnel is step 2"},
		{"API server", "aggregated APIs and webhooks on nodes, by the tunnel", nil, inside + "; the tunnel is step 2"},
		{"API server", "OpenShift's API servers in the control plane", nil, inside},
		{"kubelet on a node", "API server", nodes("api"), ""},
		{"pod on a node", "service kubernetes, by the node's HAProxy", nil, inside + "; from the node on it is step 6"},
		{"OLM's operators", "catalogs in the control plane", nil, inside},
		{"package server", "catalogs in the control plane", nil, inside},
		{"node at its first start", "ignition server", nodes("*.apps"), ""},
		{"OpenShift's API and OAuth servers", "registries and identity providers, by the SOCKS5 proxy of konnectivity", nil,
			inside + "; the tunnel is step 2"},
	}
	flow := make([]status.FlowStep, len(steps))
	for i, ends := range steps {
		step := status.FlowStep{Number: i + 1, From: ends.from, To: ends.to, Verdict: status.Beyond, Why: ends.without}
		if ends.private != nil {
			addPaths(&step, paths, ends.private)
		}
		flow[i] = step
	}
	return flow
}

// addPaths checks a step from a node: by its private paths if the control plane has any, otherwise over the internet.
func addPaths(s *status.FlowStep, paths []status.Path, private func(string) bool) {
	if take(s, paths, private); len(s.Paths) == 0 {
		take(s, paths, func(name string) bool { return strings.HasSuffix(name, publicControlPlane) })
	}
	if len(s.Paths) == 0 {
		take(s, paths, func(name string) bool {
			return strings.HasPrefix(name, "node") && strings.HasSuffix(name, "-> internet")
		})
	}
	if len(s.Paths) == 0 {
		s.Why = "no path of the stack leads there"
	}
}

// take adds the paths that fit, as far as they exist by design.
func take(s *status.FlowStep, paths []status.Path, fits func(string) bool) {
	for _, path := range paths {
		if path.Absent != "" || !fits(path.Name) {
			continue
		}
		s.Paths = append(s.Paths, path.Name)
		verdict, why := judge(path)
		if len(s.Paths) == 1 || slices.Index(worst, verdict) < slices.Index(worst, s.Verdict) {
			s.Verdict, s.Why = verdict, why
		}
	}
}

// worst are the verdicts of steps, the worst first.
var worst = []status.HopVerdict{status.Breaks, status.NotModelled, status.Beyond, status.Holds}

// judge returns the verdict on a path. It does not hold if one of its hops is not seen, such as an endpoint that
// HyperShift's operator creates. The load balancer at its far end is another account's, and never seen.
func judge(path status.Path) (verdict status.HopVerdict, why string) {
	verdict = status.Holds
	for i, one := range path.Hops {
		farEnd := i == len(path.Hops)-1 && one.Kind == hop(awstype.LoadBalancer) && one.Verdict == status.Beyond
		if !farEnd && slices.Index(worst, one.Verdict) < slices.Index(worst, verdict) {
			verdict, why = one.Verdict, path.Name+" at the "+one.Kind+": "+one.Why
		}
	}
	return verdict, why
}
