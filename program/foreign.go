package program

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/heldfields"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kubeapi"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// foreignGuard is the guard of a program that applies objects. Once it allows an update, and before the update changes anything, it keeps the objects
// from losing what others have set in them with kubectl.
type foreignGuard struct {
	stacks.Guard
	kubeconfig config.Kubeconfig
	say        func(text string)
	// former are the objects as the last update applied them, and applied as this one does, both by the type and the name of the resource.
	former, applied map[string]props.Map
}

// newGuard returns the guard of an update with a config. A preview changes nothing.
func newGuard(ctx *pulumi.Context, c *config.Config) stacks.Guard {
	guard, k := plan.NewProgramGuard(c), c.ManagementCluster()
	if k == nil || ctx.DryRun() {
		return guard
	}
	return newForeignGuard(guard, *k, func(text string) { _ = ctx.Log.Info(text, nil) })
}

func newForeignGuard(guard stacks.Guard, k config.Kubeconfig, say func(text string)) *foreignGuard {
	return &foreignGuard{Guard: guard, kubeconfig: k, say: say, former: map[string]props.Map{}, applied: map[string]props.Map{}}
}

// AddPrior implements stacks.Guard.
func (g *foreignGuard) AddPrior(resource string, outputs map[string]any) {
	g.Guard.AddPrior(resource, outputs)
	if sent := props.Map(outputs).Object("__inputs"); sent != nil {
		of := urn.URN(resource)
		g.former[string(of.Type())+" "+of.Name()] = sent
	}
}

// AddResource implements stacks.Guard. Only types that living clusters depend on are read: a render of HyperShift's operator has objects of any kind.
func (g *foreignGuard) AddResource(r stacks.Registered) {
	g.Guard.AddResource(r)
	if strings.HasPrefix(r.Token, "kubernetes:") && guarded.Any(r.Token) && r.Inputs != nil {
		g.applied[r.Token+" "+r.Name] = r.Inputs
	}
}

// keptWithin limits the requests of an update that is allowed.
const keptWithin = time.Minute

// Refusal implements stacks.Guard.
func (g *foreignGuard) Refusal(stack string) error {
	if err := g.Guard.Refusal(stack); err != nil {
		return err
	}
	api, err := kubeapi.Open(g.kubeconfig.File, g.kubeconfig.Context)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), keptWithin)
	defer cancel()
	for _, name := range slices.Sorted(maps.Keys(g.applied)) {
		former := g.former[name]
		if former == nil {
			continue
		}
		kept, err := heldfields.Leave(ctx, api, unstructured.Unstructured{Object: former}, g.applied[name], former)
		switch {
		case err != nil:
			return fmt.Errorf("%w; nothing was changed", err)
		case kept != "":
			g.say(kept)
		}
	}
	return nil
}
