package plancheck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/binding"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// checkQuotas fails if the quotas of a namespace leave no room for all new objects of a kind. A dry run compares each
// object alone, as if the others were not created. Where the quotas can't be read, they are not compared, which is
// said.
func (c *Checker) checkQuotas(ctx context.Context, objects []map[string]any) error {
	type counted struct{ namespace, resource string }
	wanted, kinds := map[counted]int64{}, map[counted]string{}
	for _, object := range objects {
		of := props.Map(object)
		namespace, kind := of.String("metadata", "namespace"), of.String("kind")
		if namespace == "" {
			continue
		}
		plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(of.String("apiVersion"), kind))
		one := counted{namespace, plural.GroupResource().String()}
		wanted[one]++
		kinds[one] = kind
	}
	maps.DeleteFunc(wanted, func(_ counted, objects int64) bool { return objects < 2 })
	if len(wanted) == 0 {
		return nil
	}
	return c.Connection.Call(ctx, func(ctx context.Context, api clusterstatus.ManagementCluster) error {
		quotas := map[string][]map[string]any{}
		for _, one := range slices.SortedFunc(maps.Keys(wanted), func(a, b counted) int {
			return strings.Compare(a.namespace+"/"+a.resource, b.namespace+"/"+b.resource)
		}) {
			if _, read := quotas[one.namespace]; !read {
				found, err := api.List(ctx, "ResourceQuota", one.namespace)
				if err != nil && !apierrors.IsForbidden(err) { // the missing right has been named
					c.Stack.Say("whether the quotas of namespace %s have room for the new objects was not asked: %s", one.namespace, err)
				}
				quotas[one.namespace] = found
			}
			for _, quota := range quotas[one.namespace] {
				left, limited := room(quota, one.resource)
				if limited && left < wanted[one] {
					return binding.Refused(fmt.Sprintf("the plan creates %d of kind %s in namespace %s of the management cluster, "+
						"and quota %s leaves room for %d", wanted[one], kinds[one], one.namespace,
						props.Map(quota).String("metadata", "name"), max(left, 0)),
						"create fewer, or ask the administrators of the management cluster for a larger quota")
				}
			}
		}
		return nil
	})
}

// room returns how many more objects of a resource, such as "nodepools.hypershift.openshift.io", a ResourceQuota
// allows; limited is false if it does not count them.
func room(quota map[string]any, counted string) (left int64, limited bool) {
	of := props.Map(quota)
	for _, name := range []string{"count/" + counted, counted} {
		hard, err := resource.ParseQuantity(fmt.Sprint(of.At("status", "hard", name)))
		if err != nil {
			continue
		}
		used, err := resource.ParseQuantity(fmt.Sprint(of.At("status", "used", name)))
		if err != nil {
			continue
		}
		if more := hard.Value() - used.Value(); !limited || more < left {
			left, limited = more, true
		}
	}
	return left, limited
}
