// Package selfcheck has the checks that a stack's program makes by itself, wherever the engine runs it: which AWS
// account its credentials lead to, which management cluster the kubeconfig selects, whether the stack's cluster may be
// alive, and what others have set in its objects. It uses the gates of the commands.
package selfcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/releaseimage"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/proc"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// liveWithin is how long a management cluster may take to answer how a hosted cluster is.
const liveWithin = 20 * time.Second

// Cluster is the part of a management cluster that a program uses.
type Cluster interface {
	clusterstatus.LiveReader
	// ClusterUID returns the UID of namespace kube-system, "" if the caller may not read it.
	ClusterUID(ctx context.Context) (string, error)
	// LeaveFields has the signature of ManagementCluster's.
	LeaveFields(ctx context.Context, of, applied, former map[string]any, makers ...string) ([]string, error)
	Close() error
}

// OpenCluster opens the management cluster that a kubeconfig selects.
type OpenCluster func(config.Kubeconfig) (Cluster, error)

// OpenSelected is the OpenCluster of programs: the kubeconfig is found as the environment of this process says.
func OpenSelected(k config.Kubeconfig) (Cluster, error) {
	return kubeapi.Open(k.File, k.Context)
}

// openOnce is OpenSelected with one client per kubeconfig, whose credentials are got once. Closing a client has no
// effect.
func openOnce() OpenCluster {
	var mu sync.Mutex
	opened := map[config.Kubeconfig]Cluster{}
	return func(k config.Kubeconfig) (Cluster, error) {
		mu.Lock()
		defer mu.Unlock()
		if api := opened[k]; api != nil {
			return api, nil
		}
		api, err := OpenSelected(k)
		if err == nil {
			opened[k] = api
		}
		return api, err
	}
}

// Run runs the program of a stack with all checks, unless a variable of this process changes which objects the
// Kubernetes provider deletes.
func Run(ctx *pulumi.Context) error {
	unset := func(name string) bool { return os.Getenv(name) == "" }
	if names := slices.DeleteFunc(proc.KubernetesVariables(), unset); len(names) > 0 {
		return fmt.Errorf("%s is set, and changes which objects the Kubernetes provider deletes, takes over or overwrites; unset it, and run the command again",
			strings.Join(names, ", "))
	}
	return Options(ctx, openOnce()).Run(ctx)
}

// Options returns the options of a stack's program that makes all checks in one run.
func Options(ctx *pulumi.Context, open OpenCluster) stacks.Options {
	r := &reader{open: open}
	return stacks.Options{
		ClusterUID:     r.clusterUID,
		Identified:     r.identified,
		Account:        identity.CheckOwnAccount,
		Live:           r.live,
		StoredVersions: r.storedVersions, ReleaseVersions: releaseimage.Versions,
		Alive: r.alive,
		Guard: func(c *config.Config) stacks.Guard { return r.newGuard(ctx, c) },
	}
}

// reader reads the management cluster of a program. After a first read that had no answer, the others fail at once.
type reader struct {
	open   OpenCluster
	silent error
	// uid is the UID of the management cluster that the first read found.
	uid string
}

// ask returns what f reads in the management cluster of a kubeconfig within a time.
func ask[T any](
	ctx context.Context,
	r *reader,
	k config.Kubeconfig,
	within time.Duration,
	f func(context.Context, Cluster) (T, error),
) (answer T, err error) {
	if r.silent != nil {
		return answer, r.silent
	}
	api, err := r.open(k)
	if err != nil {
		return answer, err
	}
	defer func() { _ = api.Close() }()
	ctx, cancel := kubeapi.Within(ctx, within)
	defer cancel()
	return f(ctx, api)
}

// clusterUID is the first read: the program compares the management cluster before it registers anything.
func (r *reader) clusterUID(ctx context.Context, k config.Kubeconfig) (string, error) {
	uid, err := ask(ctx, r, k, kubeapi.IdentityWithin, func(ctx context.Context, api Cluster) (string, error) {
		return api.ClusterUID(ctx)
	})
	if r.uid = uid; kubeapi.NoAnswer(err) || errors.Is(err, context.DeadlineExceeded) {
		r.silent = err
	}
	return uid, err
}

// live reads the stack's hosted cluster.
func (r *reader) live(ctx context.Context, k config.Kubeconfig, namespace, name string) (*hostedcluster.Live, error) {
	return ask(ctx, r, k, liveWithin, func(ctx context.Context, api Cluster) (*hostedcluster.Live, error) {
		return clusterstatus.ReadLive(ctx, api, namespace, name)
	})
}

// storedVersions reads the versions in which the management cluster stores objects.
func (r *reader) storedVersions(
	ctx context.Context,
	k config.Kubeconfig,
	definitions []string,
) (map[string][]string, error) {
	return ask(ctx, r, k, liveWithin, func(ctx context.Context, api Cluster) (map[string][]string, error) {
		return clusterstatus.StoredVersions(ctx, api, definitions)
	})
}

// identified asks the identity gate whether a management cluster has the stack's objects. A program does not know
// whether it runs for an update or for a destroy, for which the cluster may be missing.
func (r *reader) identified(ctx context.Context, k config.Kubeconfig, uid string, last stacks.LastState) error {
	d := &state.Deployment{}
	for _, resource := range slices.Sorted(maps.Keys(last.Outputs)) {
		of, outputs := urn.URN(resource), last.Outputs[resource]
		d.Resources = append(d.Resources, &state.Resource{ResourceV3: apitype.ResourceV3{
			URN: of, Type: of.Type(), Custom: strings.HasPrefix(string(of.Type()), "kubernetes:"), Inputs: outputs,
			Outputs: outputs,
		}})
	}
	_, err := ask(ctx, r, k, kubeapi.IdentityWithin, func(ctx context.Context, api Cluster) (any, error) {
		return nil, identity.Judge(ctx, api, gate.Subject{
			Stack: last.Stack,
			Key:   kind.ByName(last.Kind).KubeconfigKey,
		}, uid, d, last.Former)
	})
	return err
}

// alive is stacks.Options.Alive: the verdict of the life gate, from what the recorded management cluster answers. A
// program cannot search AWS as the CLI does, so that a cluster may have been restored elsewhere; node pools end with
// their own object.
func (r *reader) alive(ctx context.Context, of stacks.Dependent) string {
	dependent, selected := kind.ByName(of.Kind).Owner(), of.Section.ManagementCluster()
	if dependent == nil || selected == nil {
		return "the stack has no management cluster that could be asked"
	}
	if of.ManagementCluster == "" {
		return "the stack records no management cluster"
	}
	recorded := gate.Identity{ManagementCluster: of.ManagementCluster}
	in := config.IdentityOf(of.Section)
	pools := in.Relation == config.JoinsCluster
	reading, err := ask(ctx, r, *selected, kubeapi.IdentityWithin,
		func(ctx context.Context, api Cluster) (reading gate.Reading, err error) {
			reading.ManagementCluster, err = api.ClusterUID(ctx)
			switch {
			case err != nil || recorded.OtherCluster(reading) != "":
			case pools:
				var owner map[string]any
				owner, err = api.Get(ctx, dependent.Object, in.Namespace, in.Name)
				reading.Object = props.Map(owner).String("metadata", "uid")
			default:
				reading.Object, err = clusterstatus.LivingObject(ctx, api, dependent.Object, in.InfraID, in.Name,
					clusterstatus.ObjectKey{})
			}
			return reading, err
		})
	reading.Configured, reading.Err = true, err
	if other := recorded.Other(reading); other != "" {
		return "the kubeconfig does not select the management cluster that the stack records: " + other
	}
	facts := gate.FactsOf(recorded, reading, false, false)
	if pools {
		facts.InAWS = func() gate.InAWS { return gate.InAWS{} }
	}
	life, evidence := gate.LifeOf(facts)
	if life == gates.Gone {
		return ""
	}
	return evidence
}
