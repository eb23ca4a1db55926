// Package program is the Pulumi program of a stack with every check that it can make by itself: `pulumi up`, the Pulumi Kubernetes Operator
// and embedding programs get the refusals of the CLI. Package stacks alone needs no client of Kubernetes and refuses no update.
package program

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/target"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Run is the program of stacks.Run. It returns an error, and registers no resource of AWS or Kubernetes, if the update would replace or
// delete a resource that a running cluster depends on, or if the kubeconfig selects another management cluster than the one of the last
// update. In a preview, the plan is shown first. A destroy that runs it is refused before anything is deleted, unless the config has
// `unprotected: true`, or the stack has only node pools, whose cluster no longer exists. A new release is rolled out in stages, which each further
// update continues.
func Run(ctx *pulumi.Context) error {
	if names := engine.Environ(os.Environ()).KubernetesOptions(); len(names) > 0 {
		return fmt.Errorf("%s is set, and changes which objects the Kubernetes provider deletes, takes over or overwrites; unset it, and run the command again",
			strings.Join(names, ", "))
	}
	r := &reader{}
	return stacks.Options{
		ClusterUID:     r.clusterUID,
		Identified:     identified,
		Live:           r.live,
		StoredVersions: r.storedVersions,
		Alive:          alive,
		Guard:          func(c *config.Config) stacks.Guard { return r.newGuard(ctx, c) },
	}.Run(ctx)
}

// reader reads the management cluster of a program. After a first read that had no answer, the others fail at once.
type reader struct {
	silent error
	// uid is the UID of the management cluster that the first read found.
	uid string
}

// clusterUID is the first read: the program compares the management cluster before it registers anything.
func (r *reader) clusterUID(ctx context.Context, k config.Kubeconfig) (string, error) {
	uid, err := kubeapi.ClusterUID(ctx, k)
	if r.uid = uid; kubeapi.NoAnswer(err) {
		r.silent = err
	}
	return uid, err
}

// live reads the stack's hosted cluster.
func (r *reader) live(ctx context.Context, k config.Kubeconfig, namespace, name string) (*hostedcluster.Live, error) {
	if r.silent != nil {
		return nil, r.silent
	}
	return kubeapi.Live(ctx, k, namespace, name)
}

// storedVersions reads the versions in which the management cluster stores objects.
func (r *reader) storedVersions(ctx context.Context, k config.Kubeconfig, definitions []string) (map[string][]string, error) {
	if r.silent != nil {
		return nil, r.silent
	}
	return kubeapi.StoredVersions(ctx, k, definitions)
}

// identified asks the identity gate whether a management cluster is that of the stack's objects. A program does not know whether it runs for an
// update or for a destroy, for which the cluster may be missing, so it asks as for a refresh.
func identified(ctx context.Context, k config.Kubeconfig, uid string, last stacks.LastState) error {
	d := &state.Deployment{}
	for _, resource := range slices.Sorted(maps.Keys(last.Outputs)) {
		of, outputs := urn.URN(resource), last.Outputs[resource]
		d.Resources = append(d.Resources, &state.Resource{ResourceV3: apitype.ResourceV3{
			URN: of, Type: of.Type(), Custom: strings.HasPrefix(string(of.Type()), "kubernetes:"), Inputs: outputs, Outputs: outputs,
		}})
	}
	api, err := kubeapi.Open(k.File, k.Context)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, kubeapi.IdentityWithin)
	defer cancel()
	return target.Judge(ctx, api, gate.Refresh, gate.Subject{Stack: last.Stack, Key: kind.Of(last.Kind).KubeconfigKey}, uid, d)
}

// Guarded calls register, whose components get the given option, and refuses what Run refuses to replace or delete: for programs that use
// components without Run. It is called once per program, around everything that a cluster depends on; register must not wait for an output
// of a resource. `hypershift-aws:allow` in the stack's config allows the replacement or deletion of a resource.
func Guarded(ctx *pulumi.Context, register func(guard pulumi.ResourceOption) error) error {
	return stacks.Options{Guard: plan.NewProgramGuard}.Guarded(ctx, register)
}

// alive is stacks.Options.Alive: the verdict of the life gate, from what the recorded management cluster answers. A program cannot search AWS as the CLI
// does, so that a cluster may have been restored elsewhere; node pools end with their own object.
func alive(ctx context.Context, of stacks.Dependent) string {
	dependent, selected := kind.Of(of.Kind).Owner(), of.Section.ManagementCluster()
	if dependent == nil || selected == nil {
		return "the stack has no management cluster that could be asked"
	}
	if of.ManagementCluster == "" {
		return "the stack records no management cluster"
	}
	ctx, cancel := context.WithTimeout(ctx, kubeapi.IdentityWithin)
	defer cancel()
	facts := gate.Facts{Identity: gate.Identity{ManagementCluster: of.ManagementCluster}, Reading: gate.Reading{Configured: true}}
	api, err := kubeapi.Open(selected.File, selected.Context)
	if err == nil {
		facts.Reading.ManagementCluster, err = api.ClusterUID(ctx)
	}
	facts.Reading.Err = err
	if other := facts.Identity.Other(facts.Reading); other != "" {
		return "the kubeconfig does not select the management cluster that the stack records: " + other
	}
	name, namespace, infraID := dependent.Identify(of.Section)
	pools := kind.Of(of.Kind).Cluster == nil
	switch {
	case err != nil:
	case pools:
		var owner map[string]any
		owner, facts.Reading.Err = api.Get(ctx, dependent.Object, namespace, name)
		facts.Reading.Object = props.Map(owner).String("metadata", "uid")
	default:
		facts.Reading.Object, facts.Reading.Err = clusterstatus.LivingObject(ctx, api, dependent.Object, infraID, name, clusterstatus.ObjectKey{})
	}
	if pools {
		facts.InAWS = func() gate.InAWS { return gate.InAWS{} }
	}
	life, evidence := gate.LifeOf(facts)
	if life == gate.Gone {
		return ""
	}
	return evidence
}
