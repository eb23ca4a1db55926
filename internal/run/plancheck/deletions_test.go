package plancheck

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// kept is a management cluster that answers the dry runs of deletions by kind, and what its user may do.
type kept struct {
	olderCluster
	answers map[string]error
	allowed func(clusterstatus.Permission) (bool, error)
	asked   *[]string
}

func (c kept) DryDelete(_ context.Context, kind, namespace, name string) error {
	*c.asked = append(*c.asked, kind+" "+namespace+"/"+name)
	return c.answers[kind]
}

func (c kept) Allowed(_ context.Context, p clusterstatus.Permission) (bool, error) {
	if c.allowed == nil {
		return true, nil
	}
	return c.allowed(p)
}

// deletes returns a plan that deletes a hosted cluster with its node pool and a Secret.
func deletes() *changes.Plan {
	step := func(token, version, kind, name string) *changes.Step {
		return &changes.Step{Custom: true, Change: changes.Delete, Type: "kubernetes:" + token, URN: token,
			Old: map[string]any{
				"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name, "namespace": "clusters"},
			}}
	}
	const api = "hypershift.openshift.io/v1beta1"
	return &changes.Plan{Steps: []*changes.Step{
		step(api+":NodePool", api, "NodePool", "demo-a"), step(api+":HostedCluster", api, "HostedCluster", "demo"),
		step("core/v1:Secret", "v1", "Secret", "demo-pull-secret"),
	}}
}

func TestADestroyAsksWhetherItMayDeleteTheClusterBeforeItDeletesNodePools(t *testing.T) {
	t.Parallel()
	status := func(code int32, reason metav1.StatusReason, message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
		}}
	}
	resource := schema.GroupResource{Group: "hypershift.openshift.io", Resource: "hostedclusters"}
	forbidden := apierrors.NewForbidden(resource, "demo", errors.New(`User "a" cannot delete resource "hostedclusters"`))
	unasked := func(clusterstatus.Permission) (bool, error) { return false, errors.New("etcdserver: leader changed") }
	const webhook = `admission webhook "x" denied the request: `
	for name, c := range map[string]struct {
		kind    string
		answer  error
		allowed func(clusterstatus.Permission) (bool, error)
		// refused is part of the refusal, and said part of what is said; "" for none.
		refused, said string
	}{
		"accepted": {},
		"no right to delete the cluster": {allowed: func(p clusterstatus.Permission) (bool, error) {
			return p.Kind != "HostedCluster", nil
		}, refused: "may not delete objects of kind HostedCluster in namespace clusters"},
		"no right to delete a Secret": {allowed: func(p clusterstatus.Permission) (bool, error) {
			return p.Kind != "Secret", nil
		}, refused: "may not delete objects of kind Secret in namespace clusters"},
		"no right, and no review of it": {"HostedCluster", forbidden, unasked, "the deletion of HostedCluster demo", ""},
		"protection": {"HostedCluster", status(403, metav1.StatusReasonForbidden, webhook+"deletion protection"), nil,
			"the management cluster refuses the deletion of HostedCluster demo, as a dry run shows: admission webhook", ""},
		"protection that names the user": {"HostedCluster", status(403, metav1.StatusReasonForbidden,
			webhook+`demo is forbidden: User "a" is no owner`), nil, "the deletion of HostedCluster demo", ""},
		"protection with another code": {"HostedCluster", status(409, metav1.StatusReasonConflict, webhook+"protected"), nil,
			"the deletion of HostedCluster demo", ""},
		"protection of a node pool": {"NodePool",
			status(400, metav1.StatusReasonBadRequest, webhook+"cluster demo is protected"),
			nil, "the deletion of NodePool demo-a", ""},
		"a policy": {"HostedCluster", status(422, metav1.StatusReasonInvalid,
			`hostedclusters "demo" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`), nil,
			"the deletion of HostedCluster demo", ""},
		"a webhook that is away": {"HostedCluster", status(http.StatusInternalServerError, metav1.StatusReasonInternalError,
			`failed calling webhook "x": connection refused`), nil, "the deletion of HostedCluster demo", ""},
		"403 for the dry run alone": {"HostedCluster", forbidden, nil, "", `User "a" cannot delete resource`},
		"no support or side effects": {"HostedCluster", apierrors.NewBadRequest(`admission webhook "x" does not support dry run`),
			nil, "", "does not support dry run"},
		"node pools that the destroy deletes first": {"HostedCluster", status(403, metav1.StatusReasonForbidden,
			webhook+"NodePool demo-a exists"), nil, "", ""},
		"no such object": {"HostedCluster", apierrors.NewNotFound(resource, "demo"), nil, "", ""},
		"a namespace that is gone": {"HostedCluster", &apierrors.StatusError{ErrStatus: metav1.Status{
			Code: 404, Message: `namespaces "clusters" not found`, Details: &metav1.StatusDetails{Kind: "namespaces"},
		}}, nil, "", `namespaces "clusters" not found`},
	} {
		var asked []string
		said := ""
		s := deployed(t, kept{answers: map[string]error{c.kind: c.answer}, allowed: c.allowed, asked: &asked})
		s.Session.Report = func(e report.Event) {
			if note, is := e.(*event.Note); is {
				said += note.Message
			}
		}
		err := checker(s).CheckDestroy(t.Context(), deletes())
		if c.refused == "" {
			require.NoError(t, err, name)
			require.ElementsMatch(t, []string{"NodePool clusters/demo-a", "HostedCluster clusters/demo"}, asked, name)
		} else {
			require.ErrorContains(t, err, c.refused, name)
		}
		if c.said == "" {
			require.Empty(t, said, name)
		} else {
			require.Contains(t, said, c.said, name)
		}
	}
}
