package pods_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/kubelet"
)

func TestThePulumiKubernetesOperatorRunsStacksThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(*apiserver.Folder, "pko", "manager")); *apiserver.Folder == "" || err != nil {
		t.Skip("NOT TESTED: stacks run by the Pulumi Kubernetes Operator, which needs its source: make conformance PKO=CHECKOUT")
	}
	if err := kubelet.Supported(); err != nil {
		t.Skipf("NOT TESTED: stacks run by the Pulumi Kubernetes Operator, whose containers this machine refuses: %v", err)
	}
	if runInOwnNetwork(t) {
		return
	}
	o := newOperated(t)
	t.Cleanup(func() {
		if t.Failed() {
			for _, pod := range []string{"controller-manager-0", "management-workspace-0", "demo-workspace-0"} {
				text, _ := os.ReadFile(o.nodes.Log(pod))
				t.Logf("log of %s:\n%s", pod, text[max(0, len(text)-6000):])
			}
		}
	})
	step := func(name string, run func(t *testing.T)) {
		t.Helper()
		if !t.Failed() {
			start := time.Now()
			t.Run(name, func(t *testing.T) {
				o.t, o.T = t, t
				run(t)
				fmt.Printf("%s: %.0f s\n", name, time.Since(start).Seconds())
			})
		}
	}
	step("a cluster waits for its management stack", func(t *testing.T) {
		o.apply(filepath.Join(o.Dir, "objects", "demo.yaml"))
		require.Eventually(t, func() bool {
			return strings.HasPrefix(o.table(stackResource), "demo demo <nil> <nil> False PrerequisiteNotSatisfied")
		}, time.Minute, 100*time.Millisecond)
	})
	step("both are created", func(t *testing.T) {
		o.apply(filepath.Join(o.Dir, "objects", "management.yaml"))
		o.settled("management", "succeeded")
		s := o.settled("demo", "succeeded")
		require.Equal(t, "hcp.example.com", s.Outputs["externalDNSDomain"], "of the management stack")
		require.Regexp(t, "(?m)^demo demo succeeded <nil> True .*\nmanagement management succeeded <nil> True ", o.table(stackResource))
		state := o.cloud.Object(".pulumi/stacks/hypershift-aws/demo.json")
		require.Contains(t, state, o.cloud.SecretsProvider)
	})
	endpoint := func(service string) (before int) {
		t.Helper()
		before = len(harness.MadeIn(o.t, o.OfflineDir()))
		o.change("interfaceEndpoints: [", "interfaceEndpoints: ["+service+", ")
		return before
	}
	step("a change in another pod", func(t *testing.T) {
		before := endpoint("sts")
		o.settled("demo", "succeeded")
		require.Greater(t, len(harness.MadeIn(t, o.OfflineDir())), before)
		require.Contains(t, o.cloud.Object(".pulumi/stacks/hypershift-aws/demo.json"), o.cloud.SecretsProvider,
			"the key stays that of the creation")
	})
	const other, remaining = "        - {zone: us-east-1b, autoScaling: {min: 1, max: 3}}\n", "        - {zone: us-east-1a, replicas: 2}\n"
	removeZone := func() {
		o.Edit("demo", other, "")
		o.change("[us-east-1a, us-east-1b]", "[us-east-1a]")
	}
	addZone := func() {
		o.Edit("demo", remaining, remaining+other)
		o.change("[us-east-1a]", "[us-east-1a, us-east-1b]")
	}
	step("a refused change", func(t *testing.T) {
		before := harness.MadeIn(t, o.OfflineDir())
		removeZone()
		s := o.settled("demo", "failed")
		require.Contains(t, s.LastUpdate.Message, "this plan replaces or deletes resources that a running cluster depends on; nothing was changed")
		require.Contains(t, s.LastUpdate.Message, "set by   network.zones")
		require.Regexp(t, "(?m)^demo demo failed <nil> False RetryingAfterFailure ", o.table(stackResource))
		require.Equal(t, before, harness.MadeIn(t, o.OfflineDir()))
		addZone()
		o.settled("demo", "succeeded")
		require.Equal(t, before, harness.MadeIn(t, o.OfflineDir()))
	})
	step("a preview of a refused change", func(t *testing.T) {
		before := harness.MadeIn(t, o.OfflineDir())
		o.idle("demo")
		o.patch("demo", `{"spec":{"preview":true}}`)
		o.settled("demo", "succeeded")
		removeZone()
		s := o.settled("demo", "failed")
		require.Equal(t, "preview", s.LastUpdate.Type)
		require.Contains(t, s.LastUpdate.Message, "an update of stack demo would be refused:\ngate guard: this plan replaces or deletes resources")
		require.Regexp(t, "(?m)^demo demo failed <nil> False PreviewFailed ", o.table(stackResource))
		addZone()
		require.Equal(t, "preview", o.settled("demo", "succeeded").LastUpdate.Type)
		o.idle("demo")
		o.patch("demo", `{"spec":{"preview":false}}`)
		o.settled("demo", "succeeded")
		require.Equal(t, before, harness.MadeIn(t, o.OfflineDir()))
	})
	for _, victim := range []struct{ name, service, message string }{
		{"container", "ecr.api", "error reading from server: EOF"},
		{"pod", "ecr.dkr", "error reading from server: EOF"},
		{"engine", "ec2", "in progress: creating VPC endpoint network-endpoint-ec2"},
		{"front", "elasticloadbalancing", "signal: killed"},
	} {
		step("an update whose "+victim.name+" is killed", func(t *testing.T) {
			before := endpoint(victim.service)
			require.Eventually(t, func() bool {
				return len(harness.MadeIn(t, o.OfflineDir())) > before
			}, time.Minute, 5*time.Millisecond)
			o.strike(victim.name)
			require.Contains(t, o.settled("demo", "failed").LastUpdate.Message, victim.message)
			o.settled("demo", "succeeded")
			require.Len(t, harness.MadeIn(t, o.OfflineDir()), before+1, "the endpoint is created once")
			text, err := os.ReadFile(o.nodes.Log("demo-workspace-0"))
			require.NoError(t, err)
			require.Contains(t, string(text), "an earlier run was stopped while creating VPC endpoint network-endpoint-"+
				victim.service)
			require.NotContains(t, strings.Join(o.cloud.Keys(""), " "), "/runs/")
		})
	}
	step("drift", func(t *testing.T) {
		o.idle("demo")
		made := harness.MadeIn(t, o.OfflineDir())
		at := slices.IndexFunc(made, func(r offline.Resource) bool {
			return r.Type == "aws:ec2/vpcEndpoint:VpcEndpoint" && r.Properties["serviceName"] == "com.amazonaws.us-east-1.sts"
		})
		require.GreaterOrEqual(t, at, 0)
		accounts, err := offline.Accounts(o.OfflineDir())
		require.NoError(t, err)
		require.Len(t, accounts, 1)
		require.NoError(t, accounts[0].Remove(made[at].ID))
		require.Len(t, harness.MadeIn(t, o.OfflineDir()), len(made)-1)
		o.reconcile("demo")
		o.settled("demo", "succeeded")
		require.Len(t, harness.MadeIn(t, o.OfflineDir()), len(made))
	})
	for _, refused := range []struct{ stack, message string }{
		{"demo", "a destroy of stack demo deletes the cluster demo and all that runs on it; nothing was deleted\n  set `unprotected: true` in the stack's section"},
		{"management", "stack management is used by demo; nothing was changed"},
	} {
		step("a refused destroy of "+refused.stack, func(t *testing.T) {
			before := harness.MadeIn(t, o.OfflineDir())
			o.idle(refused.stack)
			o.patch(refused.stack, `{"spec":{"destroyOnFinalize":true}}`)
			o.settled(refused.stack, "succeeded")
			o.idle(refused.stack)
			require.NoError(t, o.nodes.Objects().Resource(stackResource).Namespace(stacksIn).Delete(t.Context(), refused.stack,
				metav1.DeleteOptions{}))
			require.Contains(t, o.settled(refused.stack, "failed").LastUpdate.Message, refused.message)
			require.Equal(t, before, harness.MadeIn(t, o.OfflineDir()))
		})
	}
	step("a destroy with consent", func(t *testing.T) {
		o.patch("demo", `{"spec":{"config":{"hypershift-aws:cluster":{"unprotected":true}}}}`)
		gone := func(name string) {
			require.Eventually(t, func() bool {
				_, _, found := o.stack(name)
				return !found
			}, 2*time.Minute, 300*time.Millisecond)
		}
		gone("demo")
		o.reconcile("management")
		gone("management")
		require.Empty(t, harness.MadeIn(t, o.OfflineDir()))
		require.Eventually(t, func() bool {
			found, err := o.nodes.Objects().Resource(podResource).Namespace(stacksIn).List(t.Context(), metav1.ListOptions{})
			return err == nil && len(found.Items) == 0
		}, time.Minute, 300*time.Millisecond, "no pod is left")
	})
}
