package hosted

import (
	"context"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// guardedStacks are configs of each kind of stack on which a cluster depends, with and without the cluster's objects.
func guardedStacks(t *testing.T) map[string]string {
	return map[string]string{
		"hosted cluster": stackfile.WithHostedCluster(t, "").String(),
		"network":        stackfile.Cluster{Access: hypershift.PublicAndPrivate, NAT: network.PerZone, Zones: stackfile.ZoneNames(2)}.String(),
		"capa":           capaStack("kubeconfig: {}, "),
		"capa network":   capaStack(""),
	}
}

func capaStack(keys string) string {
	return "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: capa\n  hypershift-aws:capa: {name: demo, kubernetesVersion: v1.33.4, " +
		"network: {zones: [us-east-1b]}, " + keys + "tags: {team: platform}}\n"
}

// The engine without the CLI, and without a preview, as the Automation API and the Pulumi Kubernetes Operator run it.
func TestADestroyWithoutOurChecksMakesNoCallUnderACluster(t *testing.T) {
	t.Parallel()
	for name, config := range sizes.Only(t, guardedStacks(t), "hosted cluster") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guards := map[string]string{
				"hosted cluster": "cluster-destroy-guard", "network": "cluster-destroy-guard", "capa": "capa-destroy-guard",
				"capa network": "capa-destroy-guard",
			}
			asked := 0
			why := "its management cluster has it"
			options := stacks.Options{Alive: func(context.Context, stacks.Dependent) string { asked++; return why }}
			stack := enginetest.New(t, options.Run, enginetest.Options{Seeds: stackfile.Seeds()})
			stack.Configure(config)
			stack.Up()
			require.Empty(t, stack.Preview())
			before, calls, state := stack.Resources(), stack.Calls(), stack.State()

			for _, c := range []struct {
				message string
				options []optdestroy.Option
			}{
				{"--run-program", nil},
				{"--run-program", []optdestroy.Option{optdestroy.Target([]string{string(state[len(state)-1].URN)}), optdestroy.TargetDependents()}},
				{
					"the stack of cluster demo is not deleted, because the cluster may be alive: its management cluster has it",
					[]optdestroy.Option{optdestroy.RunProgram(true)},
				},
			} {
				changes, err := stack.DestroyErr(c.options...)
				require.ErrorContains(t, err, c.message)
				require.Subset(t, []string{stacks.DestroyGuardType + " " + guards[name]}, changes.Of(apitype.OpDelete),
					"nothing else is tried")
				require.Equal(t, before, stack.Resources())
				require.Len(t, stack.State(), len(state))
			}
			require.Equal(t, calls, stack.Calls(), "no call to AWS or to the management cluster")
			require.NotZero(t, asked)
			require.Empty(t, stack.Preview(), "nothing was lost")

			why = ""
			// the objects are protected, also if the management cluster does not have them
			if strings.Contains(config, "kubeconfig") {
				_, err := stack.DestroyErr(optdestroy.RunProgram(true))
				require.ErrorContains(t, err, "protected")
				stack.Configure(stackfile.Unprotected(config))
			}
			_, err := stack.DestroyErr(optdestroy.RunProgram(true))
			require.NoError(t, err)
			require.Empty(t, stack.Resources())
		})
	}
}

func TestAnUnprotectedStackIsDestroyedAsBefore(t *testing.T) {
	t.Parallel()
	for name, config := range sizes.Only(t, guardedStacks(t), "capa network") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds()})
			stack.Configure(config)
			stack.Up()
			stack.Configure(stackfile.Unprotected(config))
			require.Empty(t, stack.Up(), "only the state changes")
			_, err := stack.DestroyErr()
			require.NoError(t, err)
			require.Empty(t, stack.Resources())
		})
	}
}

// A stack without a management cluster cannot be asked for its cluster.
func TestTheProgramRefusesADestroyIfItCannotAskForTheCluster(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, program.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(stackfile.Cluster{
		Access: hypershift.Public,
		NAT:    network.Single,
		Zones:  stackfile.ZoneNames(1),
	}.String())
	stack.Up()
	before := stack.Resources()
	_, err := stack.DestroyErr(optdestroy.RunProgram(true))
	require.ErrorContains(t, err, "the stack has no management cluster that could be asked")
	require.ErrorContains(t, err, "set "+config.ClusterKey+".unprotected: true")
	require.Equal(t, before, stack.Resources())
}

// The program of the same stack without its component, as an embedding program that removes it.
func TestAProgramThatRemovesTheStackDeletesItOnceItIsUnprotected(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	config := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String()
	stack.Configure(config)
	stack.Up()
	before, calls := stack.Resources(), stack.Calls()
	removed := func(*pulumi.Context) error { return nil }
	stack.Run(removed)
	changes, err := stack.UpErr()
	require.ErrorContains(t, err, `hook "use-hypershift-aws-destroy" was not registered`)
	require.Equal(t, []string{stacks.DestroyGuardType + " cluster-destroy-guard"}, changes.Of(apitype.OpDelete))
	require.Equal(t, before, stack.Resources())
	require.Equal(t, calls, stack.Calls())

	stack.Run(stacks.Run)
	stack.Configure(stackfile.Unprotected(config))
	require.Empty(t, stack.Up())
	stack.Run(removed)
	stack.Up()
	require.Empty(t, stack.Resources())
}
