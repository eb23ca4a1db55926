package selfcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// foreignGuard is the guard of a program that applies objects. Before an update that it allows, it keeps the objects
// from losing what others have set in them with kubectl.
type foreignGuard struct {
	stacks.Guard
	// reader has read the management cluster with which the program was compared. kubeconfig selects it, and key is the
	// config key of that.
	reader     *reader
	kubeconfig config.Kubeconfig
	key        string
	say        func(text string)
	// former are the objects as the last update applied them, and applied as this one does, both by the type and the name
	// of the resource.
	former, applied map[string]props.Map
}

// newGuard returns the guard of an update with a config.
func (r *reader) newGuard(ctx *pulumi.Context, c *config.Config) stacks.Guard {
	guard, k := programguard.New(c), c.ManagementCluster()
	if k == nil {
		return guard
	}
	return &foreignGuard{
		Guard: guard, reader: r, kubeconfig: *k, key: kind.ByName(c.Kind).KubeconfigKey,
		say:    func(text string) { _ = ctx.Log.Info(text, nil) },
		former: map[string]props.Map{}, applied: map[string]props.Map{},
	}
}

// AddPrior implements stacks.Guard.
func (g *foreignGuard) AddPrior(resource string, outputs map[string]any) {
	g.Guard.AddPrior(resource, outputs)
	if sent := props.Map(outputs).Object("__inputs"); sent != nil {
		of := urn.URN(resource)
		g.former[string(of.Type())+" "+of.Name()] = sent
	}
}

// AddResource implements stacks.Guard.
func (g *foreignGuard) AddResource(r stacks.Registered) {
	g.Guard.AddResource(r)
	if strings.HasPrefix(r.Token, "kubernetes:") && r.Inputs != nil {
		g.applied[r.Token+" "+r.Name] = r.Inputs
	}
}

// keptWithin limits the requests of an update that is allowed.
const keptWithin = time.Minute

// Prepare implements stacks.Guard.
func (g *foreignGuard) Prepare(stack string) error {
	if err := g.Guard.Prepare(stack); err != nil {
		return err
	}
	var objects []clusterstatus.Updated
	for _, name := range slices.Sorted(maps.Keys(g.applied)) {
		token, _, _ := strings.Cut(name, " ")
		if former := g.former[name]; former != nil && !reflect.DeepEqual(former, g.applied[name]) {
			objects = append(objects, clusterstatus.Updated{Type: token, Applied: g.applied[name], Former: former})
		}
	}
	created := g.created()
	if len(objects)+len(created) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), keptWithin)
	defer cancel()
	var taken *failure.Error
	if err := g.leave(ctx, stack, objects, created); errors.As(err, &taken) {
		return taken
	} else if err != nil {
		return fmt.Errorf("%w; the stack's resources were not changed: check that the user of %s may get and patch the object, and run the command again", err, g.key)
	}
	return nil
}

// created returns the objects that the update creates, by their names in the management cluster: those that the last
// state has under no name of a resource.
func (g *foreignGuard) created() []props.Map {
	of := func(object props.Map) [3]string {
		return [3]string{object.String("kind"), object.String("metadata", "namespace"), object.String("metadata", "name")}
	}
	known := map[[3]string]bool{}
	for _, former := range g.former {
		known[of(former)] = true
	}
	var created []props.Map
	for _, name := range slices.Sorted(maps.Keys(g.applied)) {
		token, _, _ := strings.Cut(name, " ")
		object := g.applied[name]
		unknown := untyped.Contains(object["metadata"], func(v any) bool { return v == any(plugin.UnknownStringValue) })
		if g.former[name] == nil && !strings.HasSuffix(token, "Patch") && !unknown && !known[of(object)] &&
			object.String("metadata", "name") != "" {
			created = append(created, object)
		}
	}
	return created
}

// leave keeps what others have set in objects, if the kubeconfig still selects the management cluster that was
// compared.
func (g *foreignGuard) leave(
	ctx context.Context, stack string, objects []clusterstatus.Updated, created []props.Map,
) error {
	api, err := g.reader.open(g.kubeconfig)
	if err != nil {
		return err
	}
	defer func() { _ = api.Close() }()
	uid, err := api.ClusterUID(ctx)
	if err != nil {
		return err
	}
	if uid != g.reader.uid {
		return fmt.Errorf("the kubeconfig selects another management cluster than when the update began: the UID of its namespace kube-system is %q, not %q", uid, g.reader.uid)
	}
	var taken []string
	for _, object := range created {
		kind, name := object.String("kind"), object.String("metadata", "name")
		namespace := object.String("metadata", "namespace")
		if existing, err := api.Get(ctx, kind, namespace, name); err == nil && existing["metadata"] != nil {
			taken = append(taken, kind+" "+strings.TrimPrefix(namespace+"/"+name, "/"))
		}
	}
	if len(taken) > 0 {
		return clusterstatus.RefuseTaken(stack, "they are this stack's", taken)
	}
	return clusterstatus.LeaveForeign(ctx, api, objects, g.say)
}
