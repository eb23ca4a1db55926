package plancheck

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	capacrd "github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	crdset "github.com/hypershift-aws/hypershift-aws/internal/value/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// CheckDestroy fails if the user of the kubeconfig may not do in the management cluster what a deletion of the stack
// does there, or if the management cluster would refuse the deletion of a cluster or of its nodes. Node pools are
// deleted first, so that a refusal of the cluster alone would cost all its nodes.
func (c *Checker) CheckDestroy(ctx context.Context, p *changes.Plan) error {
	if c.Connection.Kubeconfig() == nil {
		return nil
	}
	if needed := neededAccess(p); len(needed) > 0 {
		err := c.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
			return clusterstatus.CheckAccess(ctx, api, binding.KubeconfigKey(c.Stack), needed)
		})
		if err != nil {
			return err
		}
	}
	return c.checkDeletions(ctx, p)
}

// checkDeletions asks the management cluster by dry runs whether it accepts the deletions of clusters and their nodes
// in a plan. What can't be asked is said once, and doesn't fail.
func (c *Checker) checkDeletions(ctx context.Context, p *changes.Plan) error {
	var objects []map[string]any
	for _, step := range plan.Listed(p) {
		if (step.Change == changes.Delete || step.Change == changes.Replace) && isOfClusters(step.Type, step.Old) {
			objects = append(objects, step.Old)
		}
	}
	return c.eachDryRun(ctx, objects, "the deletion of ", "the deletions", dryDelete)
}

// isOfClusters reports whether a resource is an object of HyperShift or of Cluster API.
func isOfClusters(token string, values map[string]any) bool {
	object := props.Map(values)
	if !strings.HasPrefix(token, "kubernetes:") || strings.HasSuffix(token, "Patch") {
		return false
	}
	of := crdset.Kind{APIVersion: object.String("apiVersion"), Kind: object.String("kind")}
	return slices.Contains(crd.Set.Kinds(), of) || slices.Contains(capacrd.Set.Kinds(), of)
}

// dryDelete asks whether the deletion of an object is accepted.
func dryDelete(
	ctx context.Context, api clusterstatus.ManagementCluster, values map[string]any, all []map[string]any,
) asked {
	object := props.Map(values)
	kind := object.String("kind")
	namespace, name := object.String("metadata", "namespace"), object.String("metadata", "name")
	asking, cancel := binding.Within(ctx) // a webhook may be slow
	defer cancel()
	err := api.DryDelete(asking, kind, namespace, name)
	if err == nil {
		return asked{}
	}
	if isUnauthorized(err) {
		// The access review has the same answer, unless it could not be asked.
		allowed, reviewed := api.Allowed(ctx, clusterstatus.Permission{
			Verb: "delete", Kind: kind, Namespace: namespace, Name: name,
		})
		if reviewed != nil || !allowed {
			return asked{refused: err}
		}
	}
	var before []map[string]any
	if kind == crd.HostedCluster || kind == clusterstatus.KindCluster {
		before = all // a cluster is deleted after its nodes, and may be kept until they are gone
	}
	if refused, why := judgeDryRun(err, object, before); !refused {
		return asked{unasked: why}
	}
	return asked{refused: err}
}

// isUnauthorized reports whether the API server refused a request because its user lacks a role for it.
func isUnauthorized(err error) bool {
	return apierrors.IsForbidden(err) && !deniedByPolicy(err.Error()) && strings.Contains(err.Error(),
		"is forbidden: User ")
}
