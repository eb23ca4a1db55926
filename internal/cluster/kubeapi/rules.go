package kubeapi

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// noNamespace is a name that no namespace has: what a user may do there, the user may do in all.
const noNamespace = "hypershift-aws-in-no-namespace"

// rulesKept is how long the rules that a server has listed are believed.
const rulesKept = time.Minute

// userRules are the rules of the caller, by namespace.
type userRules struct {
	mu   sync.Mutex
	read map[string]readRules
}

type readRules struct {
	rules []authorization.ResourceRule
	at    time.Time
}

// of returns the rules of a namespace, if they were read a short time ago.
func (u *userRules) of(namespace string) ([]authorization.ResourceRule, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	known, is := u.read[namespace]
	return known.rules, is && time.Since(known.at) < rulesKept
}

// keep keeps the rules of a namespace.
func (u *userRules) keep(namespace string, found readRules) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.read == nil {
		u.read = map[string]readRules{}
	}
	u.read[namespace] = found
}

// Allowed implements clusterstatus.ManagementCluster: by the rules that the server lists for the caller, which one
// request reads for a namespace, or, if they don't allow it, by a SelfSubjectAccessReview: an authorizer may allow more
// than it can list. It changes nothing.
func (c *Cluster) Allowed(ctx context.Context, p clusterstatus.Permission) (bool, error) {
	resource, err := resourceFor(p.Kind)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(c.rulesIn(ctx, p.Namespace), func(rule authorization.ResourceRule) bool {
		return has(rule.Verbs, p.Verb) && has(rule.APIGroups, resource.Group) && has(rule.Resources, resource.Resource) &&
			(len(rule.ResourceNames) == 0 || p.Name != "" && slices.Contains(rule.ResourceNames, p.Name))
	}) {
		return true, nil
	}
	answer, err := c.review(ctx, "selfsubjectaccessreviews", "SelfSubjectAccessReview",
		&authorization.SelfSubjectAccessReview{
			Spec: authorization.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorization.ResourceAttributes{
				Verb: p.Verb, Group: resource.Group, Version: resource.Version, Resource: resource.Resource,
				Namespace: p.Namespace, Name: p.Name,
			}},
		})
	if err != nil {
		return false, fmt.Errorf("asking the management cluster for permissions: %w", err)
	}
	allowed, _, _ := unstructured.NestedBool(answer, "status", "allowed")
	return allowed, nil
}

// has reports whether a list of a rule has a value or all.
func has(list []string, value string) bool {
	return slices.Contains(list, value) || slices.Contains(list, "*")
}

// rulesIn returns the rules that the server lists for the caller in a namespace, "" for what counts in all; none if it
// does not list them.
func (c *Cluster) rulesIn(ctx context.Context, namespace string) []authorization.ResourceRule {
	if namespace == "" {
		namespace = noNamespace
	}
	if known, is := c.rules.of(namespace); is {
		return known
	}
	found := readRules{at: time.Now()}
	answer, err := c.review(ctx, "selfsubjectrulesreviews", "SelfSubjectRulesReview",
		&authorization.SelfSubjectRulesReview{
			Spec: authorization.SelfSubjectRulesReviewSpec{Namespace: namespace},
		})
	if ctx.Err() != nil {
		return nil // another caller may have more time
	}
	if err == nil {
		var listed authorization.SelfSubjectRulesReview
		if runtime.DefaultUnstructuredConverter.FromUnstructured(answer, &listed) == nil {
			found.rules = listed.Status.ResourceRules
		}
	}
	c.rules.keep(namespace, found)
	return found.rules
}

// review asks the server something about the caller's rights.
func (c *Cluster) review(ctx context.Context, resource, kind string, question any) (map[string]any, error) {
	asked, err := runtime.DefaultUnstructuredConverter.ToUnstructured(question)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: asked}
	object.SetGroupVersionKind(authorization.SchemeGroupVersion.WithKind(kind))
	answer, err := c.objects.Resource(schema.GroupVersionResource{
		Group: authorization.GroupName, Version: "v1", Resource: resource,
	}).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return answer.Object, nil
}
