package lives

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// addedSince are the resources of a kind of stack that are updated in place since the kept states were written: the
// owner's tag of a HostedCluster, the infra ID or the stack's name on objects in the management cluster, and the
// identifier of the provider.
var addedSince = map[config.Kind][]string{
	config.KindCluster: {
		"pulumi:providers:kubernetes management-cluster",
		"kubernetes:core/v1:Secret hosted-cluster-demo-etcd-encryption-key",
		"kubernetes:core/v1:Secret hosted-cluster-demo-pull-secret",
		"kubernetes:hypershift.openshift.io/v1beta1:HostedCluster hosted-cluster-cluster",
		"kubernetes:hypershift.openshift.io/v1beta1:NodePool hosted-cluster-demo-us-east-1a",
		"kubernetes:hypershift.openshift.io/v1beta1:NodePool hosted-cluster-demo-us-east-1c",
	},
}

// updatedSince are the resources that are updated in place since a later state was written: spec.sshKey of a
// HostedCluster has an empty name.
var updatedSince = map[string]map[config.Kind][]string{
	"state-0b20d6e.json.gz": {
		config.KindCluster: {"kubernetes:hypershift.openshift.io/v1beta1:HostedCluster hosted-cluster-cluster"},
	},
}

// newerThanLater are the kinds that the revisions of the compressed states did not have.
var newerThanLater = map[config.Kind]bool{config.KindNetwork: true, config.KindIAM: true, config.KindNodePools: true}

// besideItsNetwork returns the options of a stack, with the stack of kind network that its file names, in the same
// account and backend.
func besideItsNetwork(t *testing.T, file *config.File) enginetest.Options {
	t.Helper()
	if config.As[*config.IAM](file) == nil {
		return enginetest.Options{Seeds: stackfile.SeedsIn(file)}
	}
	dir := filepath.Join("testdata", "states", string(config.KindNetwork))
	network, err := stacks.LoadFile(dir, enginetest.StackName)
	require.NoError(t, err)
	net := enginetest.New(t, stacks.RunIn(dir), enginetest.Options{
		Seeds:   append(stackfile.SeedsIn(network), stackfile.SeedsIn(file)...),
		Project: "net",
	})
	text, err := os.ReadFile(filepath.Join(dir, config.FileName(enginetest.StackName)))
	require.NoError(t, err)
	net.Configure(string(text))
	net.Up()
	return enginetest.Options{Beside: net, Backend: net}
}

// besideItsCluster returns the program and the options of a stack of kind nodePools, with the stack that owns its
// HostedCluster in the same account, and the ID of the subnet that the HostedCluster names.
func besideItsCluster(t *testing.T, dir string) (pulumi.RunFunc, enginetest.Options, string) {
	t.Helper()
	from := filepath.Join("testdata", "states", string(config.KindCluster))
	file, err := stacks.LoadFile(from, enginetest.StackName)
	require.NoError(t, err)
	owner := enginetest.New(t, stacks.RunIn(from), enginetest.Options{Seeds: stackfile.SeedsIn(file), Project: "owner"})
	text, err := os.ReadFile(filepath.Join(from, config.FileName(enginetest.StackName)))
	require.NoError(t, err)
	owner.Configure(string(text))
	owner.Up()
	return stacks.Options{Dir: dir, Live: harness.LiveOf(owner, nil)}.Run, enginetest.Options{Beside: owner},
		props.Map(harness.LiveObject(t, owner, "HostedCluster",
			config.As[*config.Cluster](file).Name)).String("spec", "platform", "aws", "cloudProviderConfig", "subnet", "id")
}

// subnetID matches the ID of a subnet.
var subnetID = regexp.MustCompile(`subnet-[0-9a-f]{8,17}`)

// engineProvider is the type of the engine's own provider. A cluster stack reads its last state by it since the kept
// states were written.
const engineProvider = "pulumi:providers:pulumi"

// States of each kind of stack are kept as earlier revisions wrote them, without the engine's stack traces: state.json
// is of 2ab8bbb, for capa of af14acd, for network and iam of ff5a892, for nodePools of the revision that added it, and
// the compressed ones have their revision in the name. Their resources have the IDs of an account that no longer
// exists, which are replaced by those of the same resources in a new account.
func TestAnEarlierVersionsStatePreviewsWithoutUnexpectedChanges(t *testing.T) {
	t.Parallel()
	for _, kind := range []config.Kind{config.KindManagement, config.KindCluster, config.KindCAPA, config.KindNetwork,
		config.KindIAM, config.KindNodePools} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("testdata", "states", string(kind))
			file, err := stacks.LoadFile(dir, enginetest.StackName)
			require.NoError(t, err)
			program, subnet := stacks.RunIn(dir), ""
			var options enginetest.Options
			if kind == config.KindNodePools {
				program, options, subnet = besideItsCluster(t, dir)
			} else {
				options = besideItsNetwork(t, file)
			}
			stack := enginetest.New(t, program, options)
			text, err := os.ReadFile(filepath.Join(dir, config.FileName(enginetest.StackName)))
			require.NoError(t, err)
			stack.Configure(string(text))
			stack.Up()
			made, err := stack.Export(t.Context())
			require.NoError(t, err)

			kept := filepath.Join(dir, "state.json")
			text, err = os.ReadFile(kept)
			if golden.Updates() && errors.Is(err, fs.ErrNotExist) {
				text = withoutTraces(t, made)
				err = os.WriteFile(kept, text, 0o600)
			}
			require.NoError(t, err, "-update writes the state of a new kind")
			if subnet != "" { // of the other stack, in the account of that time
				text = subnetID.ReplaceAll(text, []byte(subnet))
			}
			requireUnchanged(t, stack, kind, made, text, append(tagged(t, kind, text), addedSince[kind]...))
			later, err := filepath.Glob(filepath.Join(dir, "state-*.json.gz"))
			require.NoError(t, err)
			if !newerThanLater[kind] {
				require.Len(t, later, 2)
			}
			for _, name := range sizes.First(1, later) {
				compressed, err := os.Open(name)
				require.NoError(t, err)
				reader, err := gzip.NewReader(compressed)
				require.NoError(t, err)
				text, err := io.ReadAll(reader)
				require.NoError(t, err)
				require.NoError(t, compressed.Close())
				requireUnchanged(t, stack, kind, made, text, updatedSince[filepath.Base(name)][kind])
			}
		})
	}
}

// requireUnchanged fails the test unless the stack, which made describes, has no changes in a preview from the state in
// the text, except for the given updates and for what the program adds to states.
func requireUnchanged(
	t *testing.T,
	stack *enginetest.Stack,
	kind config.Kind,
	made apitype.UntypedDeployment,
	text []byte,
	updated []string,
) {
	t.Helper()
	var state apitype.UntypedDeployment
	require.NoError(t, json.Unmarshal([]byte(withIDsOf(t, made, text)), &state))
	state.Deployment = withSecretsProviderOf(t, made.Deployment, state.Deployment)
	require.NoError(t, stack.Import(t.Context(), state))
	plan := stack.Preview()
	require.ElementsMatch(t, updated, plan.Of(apitype.OpUpdate), "what was added since, in place")
	created := plan.Of(apitype.OpCreate)
	require.Subset(t, []string{engineProvider + " default",
		stacks.DestroyGuardType + " " + string(kind) + "-destroy-guard"}, created,
		"what the program reads of its last state by, and what stops a destroy")
	require.Len(t, plan, len(updated)+len(created), "nothing else changes")
}

// withoutTraces returns the text of a state without the engine's stack traces, which name the folders of the machine.
func withoutTraces(t *testing.T, state apitype.UntypedDeployment) []byte {
	t.Helper()
	var deployment map[string]any
	require.NoError(t, json.Unmarshal(state.Deployment, &deployment))
	resources, _ := deployment["resources"].([]any)
	for _, one := range resources {
		delete(one.(map[string]any), "stackTrace")
		delete(one.(map[string]any), "sourcePosition")
	}
	text, err := json.MarshalIndent(map[string]any{"version": state.Version, "deployment": deployment}, "", " ")
	require.NoError(t, err)
	return append(text, '\n')
}

// tagged returns the resources with tags of a management stack's state: since that revision they have another one,
// which names the stack.
func tagged(t *testing.T, kind config.Kind, text []byte) []string {
	t.Helper()
	if kind != config.KindManagement {
		return nil
	}
	var state apitype.UntypedDeployment
	require.NoError(t, json.Unmarshal(text, &state))
	var deployment apitype.DeploymentV3
	require.NoError(t, json.Unmarshal(state.Deployment, &deployment))
	var names []string
	for _, r := range deployment.Resources {
		if _, has := r.Inputs["tags"]; has {
			names = append(names, string(r.Type)+" "+r.URN.Name())
		}
	}
	return names
}

// withIDsOf returns a state with the IDs that its resources have in another state, which must have the same ones by
// URN.
func withIDsOf(t *testing.T, other apitype.UntypedDeployment, text []byte) string {
	t.Helper()
	var state apitype.UntypedDeployment
	require.NoError(t, json.Unmarshal(text, &state))
	var before, after apitype.DeploymentV3
	require.NoError(t, json.Unmarshal(state.Deployment, &before))
	require.NoError(t, json.Unmarshal(other.Deployment, &after))
	isEngines := func(r apitype.ResourceV3) bool { return r.Type == engineProvider || r.Type == stacks.DestroyGuardType }
	before.Resources, after.Resources = slices.DeleteFunc(before.Resources,
		isEngines), slices.DeleteFunc(after.Resources, isEngines)
	require.Len(t, after.Resources, len(before.Resources))
	renamed := []string{}
	for _, old := range before.Resources {
		found := false
		for _, made := range after.Resources {
			if made.URN == old.URN {
				found = true
				renamed = append(renamed, idPairs(string(old.ID), string(made.ID))...)
				renamed = append(renamed, idPairs(old.Inputs, made.Inputs)...)
			}
		}
		require.True(t, found, "%s is missing", old.URN)
	}
	return strings.NewReplacer(renamed...).Replace(string(text))
}

// withSecretsProviderOf returns a deployment, whose secrets are in the clear, with the secrets provider of another.
func withSecretsProviderOf(t *testing.T, other, deployment json.RawMessage) json.RawMessage {
	t.Helper()
	const key = "secrets_providers"
	var from, to map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(other, &from))
	require.NoError(t, json.Unmarshal(deployment, &to))
	to[key] = from[key]
	text, err := json.Marshal(to)
	require.NoError(t, err)
	return text
}

// anID matches the IDs that AWS chooses.
var anID = regexp.MustCompile(`^(Z[0-9A-Z]{12,}|[a-z-]+-[0-9a-f]{17}|[0-9a-f-]{36})$`)

// idWithin matches the ID of a hosted zone in an ARN, which in turn is in a policy.
var idWithin = regexp.MustCompile(`\bZ[0-9A-Z]{12,}\b`)

// idPairs lists the IDs in a value and the corresponding ones in another.
func idPairs(before, after any) []string {
	var found []string
	switch b := before.(type) {
	case string:
		a, ok := after.(string)
		switch olds, news := idWithin.FindAllString(b, -1), idWithin.FindAllString(a, -1); {
		case !ok || a == b:
		case anID.MatchString(b):
			found = append(found, b, a)
		case len(olds) == len(news):
			for i := range olds {
				found = append(found, olds[i], news[i])
			}
		}
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			for key, value := range b {
				found = append(found, idPairs(value, a[key])...)
			}
		}
	case []any:
		if a, ok := after.([]any); ok && len(a) == len(b) {
			for i, value := range b {
				found = append(found, idPairs(value, a[i])...)
			}
		}
	}
	return found
}
