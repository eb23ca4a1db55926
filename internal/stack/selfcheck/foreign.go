package selfcheck

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
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
	if len(objects) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), keptWithin)
	defer cancel()
	if err := g.leave(ctx, objects); err != nil {
		return fmt.Errorf("%w; the stack's resources were not changed: check that the user of %s may get and patch the object, and run the command again", err, g.key)
	}
	return nil
}

// leave keeps what others have set in objects, if the kubeconfig still selects the management cluster that was
// compared.
func (g *foreignGuard) leave(ctx context.Context, objects []clusterstatus.Updated) error {
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
	return clusterstatus.LeaveForeign(ctx, api, objects, g.say)
}
