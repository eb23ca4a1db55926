package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Reading is a status that is being read.
type Reading struct {
	status.Cluster
	// Described is why the cluster that the stack's file describes is not applied, "" if it describes none.
	Described string
	// Documents returns what is wrong with the OIDC documents of the issuer, with the remedy; "" if they exist, or if they
	// were not read. It is called only if a condition may follow from it. Default: they are not read.
	Documents func() (problem, remedy string)

	// empty are the NodePools without nodes, which they do not want either, and paused those whose nodes are paused.
	empty  map[string]bool
	paused map[string]*pausedPool
	// subnets are the subnets of the NodePools, and covered those of each AWSEndpointService that has any.
	subnets map[string]string
	covered map[string][]string
	// behind are the objects whose status is older than their last change.
	behind []behindObject
}

// behindObject is an object whose operator has not seen its last change, with what behindOf says.
type behindObject struct{ kind, namespace, name, problem string }

// Part is a kind of objects that a cluster consists of.
type Part struct {
	Kind string
	// Namespace returns the namespace of the cluster's objects of the kind, and Owns reports whether an object is the
	// cluster's; nil for all.
	Namespace func(*HostedCluster) string
	Owns      func(c *HostedCluster, object map[string]any) bool
}

// HostedClusterParts returns the parts of a hosted cluster.
func HostedClusterParts() []Part {
	controlPlane := func(c *HostedCluster) string { return crd.ControlPlaneNamespace(c.Namespace, c.Name) }
	return []Part{
		{crd.NodePool, ownNamespace, func(c *HostedCluster, object map[string]any) bool {
			return textAt(object, "spec", "clusterName") == c.Name
		}},
		{crd.EndpointService, controlPlane, nil},
		{machine, controlPlane, nil},
	}
}

// PoolParts returns the parts of a hosted cluster that belong to the node pools of a stack: the pools, and their
// machines.
func PoolParts() []Part {
	parts := HostedClusterParts()
	owned := func(c *HostedCluster, object map[string]any) bool {
		return slices.Contains(c.NodePools, textAt(object, "metadata", "name"))
	}
	ofPool := func(c *HostedCluster, object map[string]any) bool {
		_, pool, _ := strings.Cut(textAt(object, "metadata", "annotations", poolAnnotation), "/")
		return slices.Contains(c.NodePools, pool)
	}
	return []Part{{crd.NodePool, parts[0].Namespace, owned}, {machine, parts[2].Namespace, ofPool}}
}

// poolAnnotation names the node pool of a machine, "clusters/demo-us-east-1a". Source: HyperShift's nodePoolAnnotation.
const poolAnnotation = "hypershift.openshift.io/nodePool"

// CAPAParts returns the parts of a cluster of Cluster API.
func CAPAParts() []Part {
	labelled := func(c *HostedCluster, object map[string]any) bool {
		return textAt(object, "metadata", "labels", "cluster.x-k8s.io/cluster-name") == c.Name ||
			textAt(object, "spec", "clusterName") == c.Name
	}
	var parts []Part
	for _, kind := range capacrd.Set.Kinds() {
		if kind.Kind == "MachineDeployment" || kind.Kind == "KubeadmControlPlane" {
			parts = append(parts, Part{kind.Kind, ownNamespace, labelled})
		}
	}
	return append(parts, Part{machine, ownNamespace, labelled})
}

func ownNamespace(c *HostedCluster) string { return c.Namespace }

// machine is the kind of a node's object in Cluster API.
const machine = "Machine"

// ReadObjects adds to the status the cluster's object of a kind and its parts. What cannot be read becomes a finding.
func (s *Reading) ReadObjects(
	ctx context.Context,
	api ManagementCluster,
	kind string,
	cluster *HostedCluster,
	parts []Part,
) {
	object, err := api.Get(ctx, kind, cluster.Namespace, cluster.Name)
	switch {
	case err != nil:
		s.Unread("the management cluster was not read: "+err.Error(),
			"check the kubeconfig and the network, then run the command again")
		return
	case object == nil:
		s.find(finding.Finding{
			Severity: finding.Error, Subject: kind + " " + cluster.Namespace + "/" + cluster.Name,
			Problem: "is in the state, but not in the management cluster",
			Remedy: fmt.Sprintf("check whether the kubeconfig selects the right cluster; if it does, run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`", s.Stack,
				s.Stack),
		})
		return
	}
	s.add(object)
	for _, part := range parts {
		found, err := api.List(ctx, part.Kind, part.Namespace(cluster))
		if err != nil {
			s.Unread("objects of kind "+part.Kind+" were not read: "+err.Error(),
				"grant the user of the kubeconfig the verb list for them in namespace "+part.Namespace(cluster))
			continue
		}
		slices.SortFunc(found, func(a, b map[string]any) int { return strings.Compare(identity(a), identity(b)) })
		for _, object := range found {
			if part.Owns == nil || part.Owns(cluster, object) {
				s.add(object)
			}
		}
	}
	if kind == crd.HostedCluster {
		s.readControlPlane(ctx, api, cluster)
	}
}

// ReadOperator adds a finding if the deployment of an operator, in words, has no available replica: the conditions of
// the objects are old then.
func (s *Reading) ReadOperator(ctx context.Context, api ManagementCluster, namespace, name, operator string) {
	deployment, err := api.Get(ctx, "Deployment", namespace, name)
	if err != nil {
		return // the cluster's own object shows whether the management cluster answers
	}
	available, _, _ := unstructured.NestedFieldNoCopy(deployment, "status", "availableReplicas")
	if n := fmt.Sprint(available); deployment == nil || n == "0" || n == "<nil>" {
		s.find(finding.Finding{
			Severity: finding.Error, Subject: "Deployment " + namespace + "/" + name,
			Problem: operator + " is not available, so the conditions below may be old",
			Remedy:  "check its pods in the management cluster",
		})
	}
}

// AddFlow adds the steps of HyperShift's networking flow, and a finding for each broken one.
func (s *Reading) AddFlow(steps []status.FlowStep) {
	s.Flow = steps
	for i, step := range steps {
		if step.Verdict == status.Beyond && len(step.Paths) > 0 {
			s.seen(&s.Flow[i])
		}
		if step.Verdict == status.Breaks {
			s.find(finding.Finding{
				Severity: finding.Error, Subject: fmt.Sprintf("networking step %d, %s -> %s", step.Number, step.From, step.To),
				Problem: step.Why,
				Remedy:  fmt.Sprintf("run `hypershift-aws refresh -s %s` and then `hypershift-aws up -s %s`, which creates what is missing", s.Stack, s.Stack),
			})
		}
	}
	s.decide()
}

// seen completes a step over an endpoint that is not the stack's by what HyperShift reports about the endpoint.
func (s *Reading) seen(step *status.FlowStep) {
	if !slices.ContainsFunc(step.Paths, func(path string) bool {
		return strings.HasSuffix(path, "over PrivateLink") || strings.HasSuffix(path, "-> endpoint")
	}) {
		return
	}
	for _, o := range s.Objects {
		c := findCondition(o.Conditions, "AWSEndpointAvailable")
		switch {
		case o.Kind != crd.HostedCluster || c == nil:
		case c.Expected:
			step.Verdict, step.Why = status.Holds, ""
		default:
			step.Why = c.Type + " is " + conditionText(c)
		}
	}
}

// Unread adds the finding that something could not be read.
func (s *Reading) Unread(problem, remedy string) {
	s.find(finding.Finding{
		Severity: finding.Warning,
		Subject:  "stack " + s.Stack,
		Problem:  problem,
		Remedy:   remedy,
		Unread:   true,
	})
}

// Uncreated adds the finding that the state lacks the object of a kind that the stack's file describes.
func (s *Reading) Uncreated(kind, why string) {
	s.find(finding.Finding{
		Severity: finding.Error, Subject: "stack " + s.Stack, Problem: "its state has no " + kind + ": " + why,
		Remedy: fmt.Sprintf("run `hypershift-aws up -s %s`", s.Stack),
	})
}

// add adds an object.
func (s *Reading) add(object map[string]any) {
	o := status.Object{
		Kind:      objectKind(object),
		Namespace: textAt(object, "metadata", "namespace"),
		Name:      textAt(object, "metadata", "name"),
	}
	switch o.Kind {
	case crd.HostedCluster:
		s.Version = completedVersion(object)
		o.Summary = "release " + textAt(object, "spec", "release", "image")
	case crd.NodePool:
		has, wants := countNodes(object)
		s.Nodes, s.NodesWanted = s.Nodes+has, s.NodesWanted+wants
		if s.empty == nil {
			s.empty = map[string]bool{}
		}
		s.empty[o.Name] = has == 0 && wants == 0
		if id := textAt(object, "spec", "platform", "aws", "subnet", "id"); id != "" {
			put(&s.subnets, o.Name, id)
		}
		o.Summary = fmt.Sprintf("%d of %d nodes", has, wants)
		o.Summary += s.pause(o.Name, object)
		if version := textAt(object, "status", "version"); version != "" {
			o.Summary += ", " + version
		}
	case crd.EndpointService:
		o.Summary = strings.TrimSpace(textAt(object, "status",
			"endpointServiceName") + " " + textAt(object, "status", "endpointID"))
		if ids, _, _ := unstructured.NestedStringSlice(object, "spec", "subnetIDs"); len(ids) > 0 {
			put(&s.covered, o.Namespace+"/"+o.Name, ids)
		}
	case machine:
		o.Summary = strings.TrimSpace(textAt(object, "status", "phase") + " " + textAt(object, "spec", "providerID"))
		s.pausedMachine(object)
	}
	if since := textAt(object, "metadata", "deletionTimestamp"); since != "" {
		o.Summary += "; in deletion since " + since
	}
	if problem := behindOf(object); problem != "" {
		s.behind = append(s.behind, behindObject{o.Kind, o.Namespace, o.Name, problem})
	}
	o.Conditions = readConditions(object)
	if o.Kind == crd.HostedCluster && findCondition(o.Conditions, "Available") == nil {
		o.Conditions = append(o.Conditions, status.Condition{Type: "Available"})
	}
	s.Objects = append(s.Objects, o)
}

// expect sets which conditions are as expected, once all objects were added, and returns the others that count, by
// object.
func (s *Reading) expect() map[*status.Object][]status.Condition {
	unmet := map[*status.Object][]status.Condition{}
	for i := range s.Objects {
		o := &s.Objects[i]
		withoutNodes := s.empty[o.Name]
		if o.Kind == crd.HostedCluster {
			withoutNodes = s.Nodes == 0 && s.NodesWanted == 0
		}
		for j := range o.Conditions {
			c := &o.Conditions[j]
			said := judge(o.Kind, *c)
			if withoutNodes && needsNodes(o.Kind, c.Type) {
				said = healthy
			}
			if c.Expected = said == healthy; said == unhealthy {
				unmet[o] = append(unmet[o], *c)
			}
		}
	}
	return unmet
}

// completedVersion returns the version that a control plane has completely rolled out, "" if there is none.
func completedVersion(cluster map[string]any) string {
	history, _, _ := unstructured.NestedSlice(cluster, "status", "version", "history")
	for _, item := range history {
		if entry, _ := item.(map[string]any); textAt(entry, "state") == "Completed" {
			return textAt(entry, "version")
		}
	}
	return ""
}

// put sets a value in a map, which it makes if there is none.
func put[V any](values *map[string]V, key string, value V) {
	if *values == nil {
		*values = map[string]V{}
	}
	(*values)[key] = value
}
