package lives

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// A program of a later version registers a resource that this version does not know, and this version's program runs on
// its state: by `pulumi up`, by a destroy that runs the program, and in an embedding program.
func TestAnOlderProgramRegistersNothingOnANewerState(t *testing.T) {
	t.Parallel()
	config := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		if err := program.Run(ctx); err != nil {
			return err
		}
		ctx.Export(stacks.VersionOutput, pulumi.String("v99.0"))
		_, err := s3.NewBucketV2(ctx, "of-the-future", nil)
		return err
	}, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(config.String())
	stack.Up()

	want := []string{"last updated by version v99.0 of hypershift-aws, and this is version " + stacks.MinorVersion,
		"use version v99.0 or later"}
	for _, run := range []pulumi.RunFunc{program.Run, stacks.Run} {
		stack.Run(run)
		// A key of a later version is not what the message is about.
		enginetest.RequireRefused(t, stack, strings.Replace(config.String(), "    network:\n",
			"    keyOfTheFuture: true\n    network:\n", 1), want...)
		stack.Configure(config.String())
		_, err := stack.DestroyErr(optdestroy.RunProgram(true))
		for _, text := range want {
			require.ErrorContains(t, err, text)
		}
	}
}

func TestTheProgramRecordsItsVersion(t *testing.T) {
	t.Parallel()
	config := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}
	stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(config.String())
	stack.Up()
	outputs, err := stack.Outputs(t.Context())
	require.NoError(t, err)
	require.Equal(t, stacks.MinorVersion, outputs[stacks.VersionOutput].Value)
	require.Empty(t, stack.Preview())
}
