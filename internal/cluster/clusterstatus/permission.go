package clusterstatus

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/gate/failure"
)

// Permission is a verb of Kubernetes' authorization on the objects of a kind, in a namespace; Namespace is "" for kinds without one. With a Name it
// is on the object of that name alone, to which a role may be limited; "" is all of them.
type Permission struct{ Verb, Kind, Namespace, Name string }

func (p Permission) String() string {
	text := p.Verb + " objects of kind " + p.Kind
	if p.Namespace != "" {
		text += " in namespace " + p.Namespace
	}
	return text
}

// CheckAccess fails if the user of the kubeconfig, which has this config key, lacks permissions. A server that does not answer the question is not an error: it answers
// the request itself.
func CheckAccess(ctx context.Context, api ManagementCluster, key string, needed []Permission) error {
	var denied []string
	for _, p := range needed {
		if slices.Contains(denied, p.String()) {
			continue
		}
		if allowed, err := api.Allowed(ctx, p); err == nil && !allowed {
			denied = append(denied, p.String())
		}
	}
	if len(denied) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: fmt.Sprintf("the user of %s may not %s in the management cluster", key, strings.Join(denied, ", ")),
		Remedy:  "grant it a role with these verbs there, or use another kubeconfig or context",
	}
}
