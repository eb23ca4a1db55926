package test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/languagehost"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
)

var allSteps = flag.Bool("steps.all", false, "run each step of the table of steps in each way of running a stack")

// step is a change of the file of a deployed stack, which has the same verdict however the stack is run.
type step struct {
	name string
	edit func(text string) string
	// refusal are parts of the message; none if the change is carried out.
	refusal []string
	// always is true for a step that `make test` runs.
	always bool
}

func replaced(before, after string) func(string) string {
	return func(text string) string { return strings.Replace(text, before, after, 1) }
}

// stepsBase returns the file of the deployed stack.
func stepsBase() string {
	text := clusterConfig{access: hypershift.PublicAndPrivate, nat: network.PerZone, zones: zoneNames(3), extra: "  hypershift-aws:policy: mandatory\n"}.String()
	return strings.NewReplacer("interfaceEndpoints: []", "interfaceEndpoints: [kms]", "    network:\n", "    iam: {workloadRoles: []}\n    network:\n").Replace(text)
}

// ordinarySteps are changes of one after the other, which are carried out.
func ordinarySteps() []step {
	return []step{
		{name: "other tags", edit: replaced("tags: {team: platform}", "tags: {team: network}")},
		{name: "an endpoint more", edit: replaced("interfaceEndpoints: [kms]", "interfaceEndpoints: [kms, sts]"), always: true},
		{name: "a zone more", edit: replaced("us-east-1c]", "us-east-1c, us-east-1d]")},
		{name: "other DNS domain", edit: replaced("    network:\n", "    network:\n      dhcpDomainName: nodes.example.com\n")},
		{name: "a role of a workload", edit: replaced("workloadRoles: []",
			`workloadRoles: [{namespace: shop, serviceAccount: orders, policies: ["arn:aws:iam::aws:policy/ReadOnlyAccess"]}]`)},
		{name: "flow logs", edit: replaced("    network:\n", "    network:\n      flowLogs: {}\n")},
	}
}

// refusedSteps are changes of what a cluster depends on.
func refusedSteps() []step {
	return []step{
		{name: "VPC replaced", edit: replaced("    network:\n", "    network:\n      vpcCIDR: 10.1.0.0/16\n"),
			refusal: []string{"VPC network-vpc would be replaced", "set by   network.vpcCIDR"}},
		{name: "subnet replaced", edit: replaced("us-east-1a, us-east-1b", "us-east-1b, us-east-1a"), refusal: []string{"subnet network-private-us-east-1a would be replaced"}},
		{name: "zone removed", edit: replaced(", us-east-1c", ""), refusal: []string{"subnet network-private-us-east-1c would be deleted", "add us-east-1c again"}, always: true},
		{name: "NAT gateway deleted", edit: replaced("nat: PerZone", "nat: Single"), refusal: []string{"NAT gateway network-nat-us-east-1b would be deleted"}},
		{name: "role replaced", edit: replaced("infraID: demo-x1", "infraID: demo-x2"), refusal: []string{"IAM role", "would be replaced", "set by   infraID"}, always: true},
		{name: "hosted zone replaced", edit: replaced("baseDomain: example.com", "baseDomain: example.com\n    baseDomainPrefix: other"),
			refusal: []string{"hosted zone network-private-zone would be replaced"}},
		{name: "hosted zone deleted", edit: replaced("PublicAndPrivate", "Public"), refusal: []string{"hosted zone network-local-zone would be deleted", "set by   endpointAccess"}},
		{name: "key removed", edit: replaced("kmsKeyARN: "+kmsKeyARN, "kmsKeyARN: none"), refusal: []string{"kmsKeyARN"}},
		{name: "endpoint deleted", edit: replaced("[kms", "[ec2"), refusal: []string{"VPC endpoint network-endpoint-kms would be deleted", "set by   network.interfaceEndpoints"},
			always: true},
		{
			name: "policy violated",
			edit: replaced("workloadRoles: [", `workloadRoles: [{namespace: shop, serviceAccount: admin, `+
				`policy: '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'}, `),
			refusal: []string{"violates policies: administrator (", "nothing was changed"}, always: true,
		},
		{name: "role policies deleted", edit: replaced("iam: {", "iam: {managedPolicies: true, "), refusal: []string{"role policy", "would be deleted", "set by   iam"}},
	}
}

// runner is a way of running a stack.
type runner struct {
	configure func(text string)
	// up carries out the file. It reports false with the message if that is refused.
	up func() (message string, ok bool)
	// account describes the resources in AWS, and the calls to it as far as they are counted.
	account func() any
}

func ofStack(stack *enginetest.Stack, up func() (string, bool)) runner {
	return runner{configure: stack.Configure, up: up, account: func() any { return []any{stack.Resources(), stack.Calls()} }}
}

// byCLI runs stacks by the CLI, without the gates named.
func byCLI(t *testing.T, without string) runner {
	e := cliStackAt(t, t.TempDir())
	e.cli = e.with(withoutGates + "=" + without)
	return runner{
		configure: e.configure, account: func() any { return madeIn(t, e.offlineDir()) },
		up: func() (string, bool) {
			_, stderr, code := e.exit("--offline", "up", "--yes")
			require.Contains(t, []int{0, 1, 2}, code, stderr) // 1 if the program refuses, as it does a change of keys
			return stderr, code == 0
		},
	}
}

// byEngine runs a program by the Automation API, which has no preview.
func byEngine(t *testing.T, run pulumi.RunFunc) runner {
	stack := enginetest.New(t, run, enginetest.Options{Seeds: seeds()})
	return ofStack(stack, func() (string, bool) {
		if _, err := stack.UpErr(); err != nil {
			return err.Error(), false
		}
		return "", true
	})
}

// byPulumi runs `pulumi up` in a project whose runtime is the CLI.
func byPulumi(t *testing.T, args ...string) runner {
	stack := enginetest.New(t, program.Run, enginetest.Options{Seeds: seeds()})
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.yaml"), []byte("name: hypershift-aws\nruntime: "+languagehost.Runtime+"\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	require.NoError(t, os.Symlink(executable(t), filepath.Join(dir, "bin", languagehost.Executable)))
	return ofStack(stack, func() (string, bool) {
		output, err := stack.RunInErr(dir, "pulumi", append([]string{"up", "--yes", "--stack", enginetest.StackName, "--non-interactive"}, args...)...)
		return output, err == nil
	})
}

// embedding returns a program that has the stack as a component, and calls guarded for its components.
func embedding(guarded func(*pulumi.Context, func(pulumi.ResourceOption) error) error) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		text, _ := ctx.GetConfig(config.ClusterKey)
		var keys yaml.Node
		if err := yaml.Unmarshal([]byte(text), &keys); err != nil {
			return err
		}
		return guarded(ctx, func(guard pulumi.ResourceOption) error {
			_, err := stacks.NewCluster(ctx, "cluster", stacks.Section{Keys: keys.Content[0]}, guard)
			return err
		})
	}
}

// verdict returns what is wrong with a runner's answer to a step, "" if nothing is.
func (r runner) verdict(s step, base string) string {
	r.configure(s.edit(base))
	if len(s.refusal) == 0 {
		if message, done := r.up(); !done {
			return "it is refused: " + message
		}
		return ""
	}
	before := r.account()
	message, done := r.up()
	if done {
		return "it is carried out"
	}
	for _, part := range s.refusal {
		if !strings.Contains(message, part) {
			return "the message does not contain " + part + ": " + message
		}
	}
	if !assert.ObjectsAreEqual(before, r.account()) {
		return "AWS was called"
	}
	return ""
}

func TestEachStepHasTheSameVerdictHoweverTheStackIsRun(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) runner{
		"CLI":                    func(t *testing.T) runner { return byCLI(t, "") },
		"pulumi without preview": func(t *testing.T) runner { return byPulumi(t, "--skip-preview") },
		"pulumi with preview":    func(t *testing.T) runner { return byPulumi(t) },
		"Automation API":         func(t *testing.T) runner { return byEngine(t, program.Run) },
		"embedding program":      func(t *testing.T) runner { return byEngine(t, embedding(program.Guarded)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, text := start(t), stepsBase()
			require.Empty(t, r.verdict(step{edit: func(string) string { return text }}, ""))
			for _, s := range ordinarySteps() {
				if s.always || *allSteps {
					require.NotEqual(t, text, s.edit(text), s.name)
					require.Empty(t, r.verdict(s, text), s.name)
					text = s.edit(text)
				}
			}
			for _, s := range refusedSteps() {
				if s.always || *allSteps {
					require.NotEqual(t, text, s.edit(text), s.name)
					require.Empty(t, r.verdict(s, text), s.name)
				}
			}
		})
	}
}

// The table finds a guard that is missing, in each way of running a stack.
func TestTheTableOfStepsFindsAMissingGuard(t *testing.T) {
	t.Parallel()
	unguarded := func(_ *pulumi.Context, register func(pulumi.ResourceOption) error) error {
		return register(pulumi.Transformations(nil))
	}
	for name, start := range map[string]func(t *testing.T) runner{
		"CLI":               func(t *testing.T) runner { return byCLI(t, gate.NameGuard) },
		"Automation API":    func(t *testing.T) runner { return byEngine(t, stacks.Run) },
		"embedding program": func(t *testing.T) runner { return byEngine(t, embedding(unguarded)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, text := start(t), stepsBase()
			require.Empty(t, r.verdict(step{edit: func(string) string { return text }}, ""))
			for _, s := range refusedSteps() {
				if s.name == "endpoint deleted" {
					require.Equal(t, "it is carried out", r.verdict(s, text))
				}
			}
		})
	}
}
