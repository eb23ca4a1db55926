package clusterstatus

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// fixedCluster has the same objects at every look.
type fixedCluster map[string]map[string]any

func (c fixedCluster) Get(_ context.Context, kind, _, name string) (map[string]any, error) {
	return c[kind+" "+name], nil
}

func (c fixedCluster) List(_ context.Context, kind, _ string) ([]map[string]any, error) {
	var objects []map[string]any
	for key, object := range c {
		if strings.HasPrefix(key, kind+" ") {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

func (c fixedCluster) Schemas(context.Context) (map[string]map[string]any, error) {
	schemas := map[string]map[string]any{}
	for key, schema := range c {
		if kind, is := strings.CutPrefix(key, "schema "); is {
			schemas[kind] = schema
		}
	}
	return schemas, nil
}

func (c fixedCluster) Disown(_ context.Context, kind, _, name, manager string, field ...string) (bool, error) {
	_, manages := c["manager "+manager+" of "+kind+" "+name+" "+strings.Join(field, ".")]
	return manages, nil
}

func (c fixedCluster) Allowed(_ context.Context, p Permission) (bool, error) {
	_, denied := c["denied "+p.Verb+" "+p.Kind+" "+p.Namespace]
	return !denied, nil
}

func (fixedCluster) DryApply(context.Context, string, map[string]any) error { return nil }

func (fixedCluster) Apply(context.Context, string, map[string]any) error { return nil }

func (fixedCluster) DryDelete(context.Context, string, string, string) error { return nil }

func (fixedCluster) Delete(context.Context, string, string, string, string) error { return nil }

func (fixedCluster) RemoveFinalizer(context.Context, string, string, string, string, string) error {
	return nil
}

func (fixedCluster) OverwriteField(context.Context, string, string, string, any, ...string) error {
	return nil
}

func (fixedCluster) LeaveFields(
	context.Context,
	map[string]any,
	map[string]any,
	map[string]any,
	...string,
) ([]string, error) {
	return nil, nil
}

func (fixedCluster) Close() error { return nil }

func withConditions(conditions ...map[string]any) map[string]any {
	var list []any
	for _, c := range conditions {
		list = append(list, c)
	}
	return map[string]any{"status": map[string]any{"conditions": list}}
}

func TestOnlyUnexpectedConditionsAndChangesAreReported(t *testing.T) {
	t.Parallel()
	var told []string
	objects := fixedCluster{"HostedCluster demo": object("HostedCluster", "clusters", "demo",
		map[string]any{"type": "Available", "status": "False", "reason": "KubeconfigWaitingForCreate", "message": "Waiting"},
		map[string]any{"type": "ValidReleaseImage", "status": "True"},
	)}
	w := newReadiness(&HostedCluster{Name: "demo", Namespace: "clusters"}, objects, func(e report.Event) {
		told = append(told, e.(*event.Note).Message)
	})
	for range 2 {
		waitsFor, err := w.look(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"Available is False (KubeconfigWaitingForCreate): Waiting"}, waitsFor)
	}
	objects["HostedCluster demo"] = object("HostedCluster", "clusters", "demo", map[string]any{
		"type":    "Available",
		"status":  "True",
		"reason":  "AsExpected",
		"message": "All is well",
	})
	waitsFor, err := w.look(t.Context())
	require.NoError(t, err)
	require.Empty(t, waitsFor)
	require.Equal(t, []string{
		"hosted cluster demo: Available is False (KubeconfigWaitingForCreate): Waiting",
		"hosted cluster demo: Available is True",
	}, told)
}

func TestANodePoolIsReadyWithItsMinimumOfNodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spec, status map[string]any
		waits        bool
	}{
		"fewer than replicas":  {map[string]any{"replicas": int64(2)}, map[string]any{"replicas": int64(1)}, true},
		"all replicas":         {map[string]any{"replicas": int64(2)}, map[string]any{"replicas": int64(2)}, false},
		"no replicas":          {map[string]any{"replicas": int64(0)}, nil, false},
		"fewer than the least": {map[string]any{"autoScaling": map[string]any{"min": int64(1), "max": int64(3)}}, nil, true},
	} {
		has, wants := countNodes(map[string]any{"spec": c.spec, "status": c.status})
		require.Equal(t, c.waits, has < wants, name)
	}
}

func TestAnObjectDeletedOutsideTheStackIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	w := newReadiness(&HostedCluster{Name: "demo", Namespace: "clusters"}, fixedCluster{}, func(report.Event) {})
	_, err := w.look(t.Context())
	require.ErrorContains(t, err, "HostedCluster clusters/demo is in the state, but not in the management cluster")
}

func TestBlockersAreReportedOnlyForObjectsBeingDeleted(t *testing.T) {
	t.Parallel()
	object := withConditions(
		map[string]any{"type": "CloudResourcesDestroyed", "status": "False", "message": "endpoints remain"},
		map[string]any{"type": "Degraded", "status": "False"},
	)
	object["metadata"] = map[string]any{"finalizers": []any{"a", "b"}}
	require.Empty(t, listBlockers("HostedCluster", "demo", object))
	object["metadata"].(map[string]any)["deletionTimestamp"] = "2030-01-01T00:00:00Z"
	require.Equal(t, []string{
		"hosted cluster demo has been in deletion since 2030-01-01T00:00:00Z, blocked by finalizers [a b]",
		"  CloudResourcesDestroyed is False: endpoints remain",
	}, listBlockers("HostedCluster", "demo", object))
}

func TestTheConsoleIsUnderTheClustersDomain(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[any]string{
		nil: "apps.demo.example.com", "": "apps.example.com", "stage": "apps.stage.example.com",
	} {
		dns := map[string]any{"baseDomain": "example.com"}
		if prefix != nil {
			dns["baseDomainPrefix"] = prefix
		}
		cluster := map[string]any{"metadata": map[string]any{"name": "demo"}, "spec": map[string]any{"dns": dns}}
		require.Equal(t, "https://console-openshift-console."+want, consoleURL(cluster))
	}
}

func TestTheConsoleIsInTheIngressDomainOfTheCluster(t *testing.T) {
	t.Parallel()
	for want, ingress := range map[string]map[string]any{
		"console-openshift-console.apps.corp.example.net": {"domain": "apps.corp.example.net"},
		"console-openshift-console.apps.other.example.net": {
			"domain":     "apps.corp.example.net",
			"appsDomain": "apps.other.example.net",
		},
		"console.example.net": {"domain": "apps.corp.example.net", "componentRoutes": []any{
			map[string]any{"namespace": "openshift-authentication", "name": "oauth-openshift", "hostname": "oauth.example.net"},
			map[string]any{"namespace": "openshift-console", "name": "console", "hostname": "console.example.net"},
		}},
		"console-openshift-console.apps.demo.example.com": {},
	} {
		cluster := map[string]any{"metadata": map[string]any{"name": "demo"}, "spec": map[string]any{
			"dns": map[string]any{"baseDomain": "example.com"}, "configuration": map[string]any{"ingress": ingress},
		}}
		require.Equal(t, "https://"+want, consoleURL(cluster))
	}
}
