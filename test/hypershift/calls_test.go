package hypershift

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// The policies with which the operators call AWS, by their names in stacks of kinds management and cluster.
const (
	operatorRole = "prerequisites-operator-ec2"
	planeRole    = "roles-control-plane-operator"
)

// role returns the policy with which a controller calls AWS.
func (c controller) role() string {
	if c == endpointServices {
		return operatorRole
	}
	return planeRole
}

// title returns the name of the controller in the recorded calls.
func (c controller) title() string {
	return map[controller]string{
		endpointServices: "hypershift-operator's endpoint services", endpoints: "control-plane-operator's endpoints",
		defaultGroup:     "control-plane-operator's default security group",
		defaultGroupEnd:  "control-plane-operator's default security group, deleted",
		identityAndNodes: "control-plane-operator's check of the identity provider",
	}[c]
}

// called returns what a call names in words that are the same in every run: the stack's resource, the service of a load
// balancer, or the kind of what operators have created.
func (s *stack) called(id string) string {
	if name, own := s.names[strings.TrimPrefix(id, "hostedzone/")]; own {
		return name
	}
	if balancer := number.FindStringSubmatch(id); balancer != nil {
		return "load-balancer-" + balancer[1]
	}
	if strings.HasPrefix(id, "arn:") {
		return id[strings.LastIndex(id, ":")+1:]
	}
	return id[:strings.LastIndex(id, "-")] + "-*"
}

// recorded returns the calls of the controllers: the controller, its policy, the call.
func (j *judge) recorded(s *stack) string {
	var b strings.Builder
	for _, c := range slices.Sorted(maps.Keys(j.calls)) {
		fmt.Fprintf(&b, "%s, as %s\n", c.title(), c.role())
		for _, line := range j.calls[c].Recorded(s.called) {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}

// call is a recorded call.
type call struct {
	controller, role, action string
	names                    []string
	tags                     map[string]string
}

// callsPath returns the file with the calls of a scenario.
func callsPath(scenario string) string { return filepath.Join("testdata", scenario+"-calls.txt") }

// requireRecorded compares calls with the recorded ones, or records them. Those that only read depend on conflicts of
// the controllers' updates: what they read again is compared with the policies alone.
func requireRecorded(t *testing.T, scenario, text string) {
	t.Helper()
	if golden.Updates() {
		golden.Require(t, callsPath(scenario), text)
		return
	}
	changes := func(calls []call) (lines []string) {
		for _, c := range calls {
			if c.changes() {
				lines = append(lines, fmt.Sprint(c))
			}
		}
		return lines
	}
	require.Equal(t, changes(callsOf(golden.Read(t, callsPath(scenario)))), changes(callsOf(text)),
		"the calls that change something")
}

// recordedCalls reads the calls of a scenario.
func recordedCalls(t *testing.T, scenario string) []call {
	t.Helper()
	calls := callsOf(golden.Read(t, callsPath(scenario)))
	require.NotEmpty(t, calls)
	return calls
}

// callsOf parses what recorded returns.
func callsOf(text string) (calls []call) {
	var of call
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, " ") {
			of.controller, of.role, _ = cutLast(line, ", as ")
			continue
		}
		what, tags, _ := strings.Cut(line, ", tags ")
		words := strings.Fields(what)
		one := call{controller: of.controller, role: of.role, action: words[0], names: words[1:], tags: map[string]string{}}
		for _, tag := range strings.Fields(tags) {
			key, value, _ := strings.Cut(tag, "=")
			one.tags[key] = value
		}
		calls = append(calls, one)
	}
	return calls
}

// cutLast is strings.Cut at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// changes reports whether a call changes something.
func (c call) changes() bool {
	return !regexp.MustCompile(`:(Describe|Get|List)`).MatchString(c.action)
}

// kinds are the kinds of EC2's resources by the beginnings of their IDs.
var kinds = map[string]string{
	"vpc":      "vpc",
	"subnet":   "subnet",
	"sg":       "security-group",
	"vpce":     "vpc-endpoint",
	"vpce-svc": "vpc-endpoint-service",
}

var zoneID = regexp.MustCompile(`^Z[A-Z0-9]+$`)

// authorized reports whether AWS authorizes a call for what it names: not for the service to which an endpoint leads,
// the load balancer behind a service, the principals that may use it, and the names in a record's value.
func authorized(action, name, id string) bool {
	switch {
	case strings.HasPrefix(action, "route53:"):
		return zoneID.MatchString(id)
	case strings.HasPrefix(name, "load-balancer-"), strings.HasPrefix(name, "role/"), name == "root":
		return false
	case strings.HasPrefix(id, "vpce-svc-"):
		return strings.Contains(action, "VpcEndpointService") || action == "ec2:CreateTags"
	}
	return true
}

// requests returns the requests of IAM for a call of the operators of the stack's cluster: one for each resource that
// AWS authorizes, or one without. The resources are the cluster's own, or another cluster's in its own VPC.
func (s *stack) requests(t *testing.T, c call, own bool) []policy.Request {
	t.Helper()
	const account, owned = "arn:aws:ec2:us-east-1:123456789012:", "/kubernetes.io/cluster/demo-x1"
	ids := map[string]string{}
	for id, name := range s.names { // resources of other types may have the same names
		if kinds[id[:max(0, strings.LastIndex(id, "-"))]] != "" || zoneID.MatchString(id) {
			ids[name] = id
		}
	}
	context := map[string][]string{
		"ec2:Vpc":                 {account + "vpc/" + ids["network-vpc"]},
		"aws:ResourceTag" + owned: {"owned"},
	}
	if !own {
		context = map[string][]string{
			"ec2:Vpc": {account + "vpc/vpc-0123456789abcdeff"},
			"aws:ResourceTag/kubernetes.io/cluster/other-x1": {"owned"},
		}
	}
	for key, value := range c.tags {
		context["aws:RequestTag/"+key] = []string{value}
	}
	whole := policy.Request{Action: c.action, Context: context, Partial: true}
	if !c.changes() {
		return []policy.Request{whole}
	}
	var all []policy.Request
	for _, name := range c.names {
		id := ids[name]
		if id == "" {
			id = strings.ReplaceAll(name, "*", "0123456789abcdef9")
		}
		if !authorized(c.action, name, id) {
			continue
		}
		if !own {
			id = regexp.MustCompile(`[0-9A-Za-z]{4}$`).ReplaceAllString(id, "FFFF")
		}
		arn := "arn:aws:route53:::hostedzone/" + id
		if i := strings.LastIndex(id, "-"); i > 0 {
			kind := kinds[id[:i]]
			require.NotEmpty(t, kind, "%s: %s", c.action, name)
			arn = account + kind + "/" + id
		}
		all = append(all, policy.Request{Action: c.action, Resource: arn, Context: context})
	}
	// what is created has the request's tags, which AWS authorizes as a call of its own
	if kind := createdKinds[c.action]; kind != "" {
		fresh := maps.Clone(context)
		delete(fresh, "aws:ResourceTag"+owned)
		fresh["ec2:CreateAction"] = []string{strings.TrimPrefix(c.action, "ec2:")}
		for _, action := range []string{c.action, "ec2:CreateTags"} {
			all = append(all, policy.Request{Action: action, Resource: account + kind + "/new", Context: fresh})
		}
	}
	if len(all) == 0 {
		return []policy.Request{whole}
	}
	return all
}

// createdKinds are the kinds of what calls create.
var createdKinds = map[string]string{
	"ec2:CreateSecurityGroup": "security-group", "ec2:CreateVpcEndpoint": "vpc-endpoint",
	"ec2:CreateVpcEndpointServiceConfiguration": "vpc-endpoint-service",
}

// attributed returns the actions that docs/appendix/policies.md attributes to calls of a role's operators.
func attributed(t *testing.T, role string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/appendix/policies.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n### `"+role+"`\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n#")
	var actions []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]* \\| ([^|]+) \\|").FindAllStringSubmatch(section, -1) {
		if !strings.HasPrefix(row[2], "no call") {
			actions = append(actions, row[1])
		}
	}
	return actions
}

// Each call that HyperShift's controllers made is allowed by the policy of its role, on what it named, also by the one
// that is limited to the cluster, which denies it on another cluster's resources; and docs/appendix/policies.md has it.
func TestTheRecordedCallsAreAllowedAndDocumented(t *testing.T) {
	t.Parallel()
	documented := attributed(t, "control-plane-operator")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			calls := recordedCalls(t, c.name)
			plain, limited := c, c
			limited.keys += "    iam: {scoped: true}\n"
			for of, s := range map[string]*stack{"HyperShift's policy": plain.up(t), "iam.scoped": limited.up(t)} {
				for _, call := range calls {
					if of == "iam.scoped" && call.role == planeRole && call.changes() {
						require.True(t, slices.ContainsFunc(s.requests(t, call, false), func(r policy.Request) bool {
							return policy.Evaluate(r, s.policies[planeRole]) != policy.Allowed
						}), "%s: %s on another cluster's resources", call.controller, call.action)
					}
					for _, request := range s.requests(t, call, true) {
						require.Equal(t, policy.Allowed, policy.Evaluate(request, s.policies[call.role]), "%s: %s: %s on %s", of,
							call.controller, call.action, request.Resource)
					}
					if call.role == planeRole {
						require.Contains(t, documented, call.action, call.controller)
					}
				}
			}
		})
	}
}

// TestThePageOfPoliciesShowsTheRecordedCalls writes a table of docs/appendix/policies.md.
func TestThePageOfPoliciesShowsTheRecordedCalls(t *testing.T) {
	t.Parallel()
	on := map[[3]string][]string{}
	for _, c := range cases {
		for _, call := range recordedCalls(t, c.name) {
			key := [3]string{call.role, call.action, call.controller}
			on[key] = append(on[key], call.names...)
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "HyperShift was `%s`.\n\n| policy | action | on | called by |\n|---|---|---|---|\n", commit(t))
	for _, key := range slices.SortedFunc(maps.Keys(on), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) }) {
		names := slices.Compact(slices.Sorted(slices.Values(on[key])))
		text := "any resource"
		if len(names) > 0 {
			text = "`" + strings.Join(names, "`, `") + "`"
		}
		fmt.Fprintf(&table, "| `%s` | `%s` | %s | %s |\n", key[0], key[1], text, key[2])
	}
	golden.RequireSection(t, "../../docs/appendix/policies.md", "<!-- recorded -->\n", "<!-- end of recorded -->",
		table.String())
}

// commit returns the commit of HyperShift whose controllers were recorded.
func commit(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(golden.Read(t, "testdata/commit.txt"))
}

// recordCommit writes the commit of the checkout if what the controllers did is recorded.
func recordCommit(t *testing.T) {
	t.Helper()
	if !golden.Updates() {
		return
	}
	head, err := exec.Command("git", "-C", *checkout, "rev-parse", "HEAD").Output()
	require.NoError(t, err, "the checkout of HyperShift has no commit to record")
	golden.Require(t, "testdata/commit.txt", strings.TrimSpace(string(head))+"\n")
}
