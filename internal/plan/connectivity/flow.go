package connectivity

import "strings"

// Step is a step of HyperShift's networking flow: who connects to whom.
type Step struct {
	// Number is its number in HyperShift's architecture, from 1 to 11.
	Number int `json:"number"`
	// From and To are the ends.
	From string `json:"from"`
	To   string `json:"to"`
	// Paths are the names of the checked paths that the step takes; none if no part of it is outside the clusters.
	Paths []string `json:"paths,omitempty"`
	// Verdict is holds, breaks, or beyond if nothing of the step is checked; Why is the broken hop, or why nothing is checked.
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why,omitempty"`
}

// inside is why steps between pods are not checked.
const inside = "inside the clusters, not checked"

// Flow maps the eleven steps of HyperShift's networking flow to checked paths.
func Flow(paths []Path) []Step {
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
		{"user", "load balancer of the API server", nil, "HyperShift's operators create the load balancer in the management account"},
		{"konnectivity agent on a node", "konnectivity server", nodes("*.apps"), ""},
		{"API server", "kubelet, by konnectivity's tunnel", nil, inside + "; the tunnel is step 2"},
		{"API server", "aggregated APIs and webhooks on nodes, by the tunnel", nil, inside + "; the tunnel is step 2"},
		{"API server", "OpenShift's API servers in the control plane", nil, inside},
		{"kubelet on a node", "API server", nodes("api"), ""},
		{"pod on a node", "service kubernetes, by the node's HAProxy", nil, inside + "; from the node on it is step 6"},
		{"OLM's operators", "catalogs in the control plane", nil, inside},
		{"package server", "catalogs in the control plane", nil, inside},
		{"node at its first start", "ignition server", nodes("*.apps"), ""},
		{"OpenShift's API and OAuth servers", "registries and identity providers, by the SOCKS5 proxy of konnectivity", nil, inside + "; the tunnel is step 2"},
	}
	flow := make([]Step, len(steps))
	for i, ends := range steps {
		step := Step{Number: i + 1, From: ends.from, To: ends.to, Verdict: Beyond, Why: ends.without}
		if ends.private != nil {
			step.follow(paths, ends.private)
		}
		flow[i] = step
	}
	return flow
}

// follow checks a step from a node: by its private paths if the control plane has any, otherwise over the internet.
func (s *Step) follow(paths []Path, private func(string) bool) {
	if s.take(paths, private); len(s.Paths) == 0 {
		s.take(paths, func(name string) bool { return strings.HasSuffix(name, publicControlPlane) })
	}
	if len(s.Paths) == 0 {
		s.take(paths, func(name string) bool {
			return strings.HasPrefix(name, "node") && strings.HasSuffix(name, "-> internet")
		})
	}
	if len(s.Paths) == 0 {
		s.Why = "no path of the stack leads there"
	}
}

// take adds the paths that fit, as far as they exist by design.
func (s *Step) take(paths []Path, fits func(string) bool) {
	for _, path := range paths {
		if path.Absent != "" || !fits(path.Name) {
			continue
		}
		if s.Paths = append(s.Paths, path.Name); s.Verdict == Beyond {
			s.Verdict = Holds
		}
		for _, hop := range path.Hops {
			if hop.Verdict == NotModelled && s.Verdict == Holds {
				s.Verdict, s.Why = NotModelled, path.Name+" at the "+hop.Kind+": "+hop.Why
			}
		}
		if hop := path.Broken(); hop != nil {
			s.Verdict, s.Why = Breaks, path.Name+" at the "+hop.Kind+": "+hop.Why
		}
	}
}
