package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/trial"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// stack is the name of every stack here.
const stack = "test"

// Run runs a program in new offline accounts without the engine: resources are created when the program registers
// them, and no state is kept. A run takes milliseconds, so that a test can make many. It fails where the program
// does, or an account refuses something.
func Run(t *testing.T, program pulumi.RunFunc, options offline.Options, config map[string]string) error {
	t.Helper()
	_, err := run(t, program, options, config, nil)
	return err
}

// Directly is Of the resources that a program creates without the engine: see Run.
func Directly(
	t *testing.T,
	program pulumi.RunFunc,
	options offline.Options,
	config, common map[string]string,
	components ...string,
) string {
	t.Helper()
	created, err := run(t, program, options, config, nil)
	require.NoError(t, err)
	var state []apitype.ResourceV3
	for _, r := range created {
		provider := r.Provider
		if provider == "" {
			provider = "default"
		}
		state = append(state, apitype.ResourceV3{
			URN: resource.URN(r.URN), Type: tokens.Type(r.Type), Custom: r.Custom, ID: resource.ID(r.ID),
			Parent:   resource.URN(r.Parent),
			Provider: "::" + provider + "::", Inputs: r.Inputs,
		})
	}
	return Of(t, state, common, components...)
}

// RunDenying is Run in accounts that deny a lookup, by its token, with the error of the bridged provider; "" denies
// nothing. It returns the tokens of the lookups that the program made.
func RunDenying(
	t *testing.T,
	program pulumi.RunFunc,
	options offline.Options,
	config map[string]string,
	denied string,
) (lookups []string, err error) {
	t.Helper()
	var mu sync.Mutex
	tokens := map[string]bool{}
	_, err = run(t, program, options, config, func(token string) error {
		mu.Lock()
		defer mu.Unlock()
		tokens[token] = true
		if token != denied {
			return nil
		}
		//nolint:staticcheck // as the provider writes it
		return fmt.Errorf("invocation of %[1]s returned an error: invoking %[1]s: 1 error occurred:\n\t* reading: "+
			"https response error StatusCode: 403, AccessDenied: not authorized\n\n", token)
	})
	return slices.Sorted(maps.Keys(tokens)), err
}

func run(
	t *testing.T,
	program pulumi.RunFunc,
	options offline.Options,
	config map[string]string,
	lookup func(string) error,
) ([]trial.Resource, error) {
	t.Helper()
	server, err := offline.Serve(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	_, after, _ := strings.Cut(server.Providers(), "aws:")
	port, _, _ := strings.Cut(after, ",")
	return trial.Run(t.Context(), trial.Options{
		Project: "hypershift-aws", Stack: stack, Program: program, Config: config,
		Settings: map[string]any{"region": config["aws:region"]},
		Address:  "127.0.0.1:" + port, Create: true, Lookup: lookup,
	})
}
