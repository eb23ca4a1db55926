// Package capi lets the managers of Cluster API and of its AWS provider judge the networks of stacks of kind capa: on a
// real API server, and against moto.
package capi

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sweep"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// judge is a management cluster with Cluster API's managers, and an account.
type judge struct {
	objects    dynamic.Interface
	account    *moto.Account
	balancers  *elasticloadbalancingv2.Client
	identities *iam.Client
	// moto is the address of the account, config the config of a provider that finds it, and calls what CAPA calls.
	moto   string
	config map[string]any
	calls  *moto.Calls
}

// newAccount returns a judge with an account alone.
func newAccount(t *testing.T) *judge {
	t.Helper()
	address := moto.Serve(t, "the networks of stacks of kind capa, in an account that is not this project's")
	j := &judge{
		moto: address,
		config: moto.Config(address, "ec2", "elb", "elbv2", "iam", "sts", "route53", "s3", "resourcegroupstaggingapi",
			"events", "sqs", "logs", "kms"),
	}
	settings, err := awsconfig.Parse(j.config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	j.account = moto.NewAccount(t, j.config)
	j.balancers = elasticloadbalancingv2.NewFromConfig(cfg, func(o *elasticloadbalancingv2.Options) {
		o.BaseEndpoint = &address
	})
	j.identities = iam.NewFromConfig(cfg, func(o *iam.Options) { o.BaseEndpoint = &address })
	return j
}

// newJudge starts a management cluster, whose managers call the account's API.
func newJudge(t *testing.T, bin string) *judge {
	t.Helper()
	j := newAccount(t)
	server := apiserver.Start(t, bin)
	path, err := server.Kubeconfig()
	require.NoError(t, err)
	client, err := clientcmd.BuildConfigFromFlags("", path)
	require.NoError(t, err)
	client.QPS, client.Burst = 100, 100
	j.objects, err = dynamic.NewForConfig(client)
	require.NoError(t, err)
	watched, calls := moto.WatchAs(t, moto.ClusterAPI, j.moto)
	j.calls = calls
	startManagers(t, server, bin, watched)
	return j
}

// of returns the client of an object's kind.
func (j *judge) of(apiVersion, kind, namespace string) dynamic.ResourceInterface {
	version, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		panic(err)
	}
	return j.objects.Resource(version.WithResource(strings.ToLower(kind) + "s")).Namespace(namespace)
}

func (j *judge) clientOf(object *unstructured.Unstructured) dynamic.ResourceInterface {
	return j.of(object.GetAPIVersion(), object.GetKind(), object.GetNamespace())
}

const (
	coreVersion  = "cluster.x-k8s.io/v1beta2"
	infraVersion = "infrastructure.cluster.x-k8s.io/v1beta2"
	namespace    = "default"
)

// apply creates the stack's objects as pulumi-kubernetes does: the first time by a plain creation.
func (j *judge) apply(t *testing.T, s *stack) {
	t.Helper()
	for _, object := range s.objects {
		_, err := j.clientOf(object).Create(t.Context(), object, metav1.CreateOptions{FieldManager: "pulumi-kubernetes"})
		require.NoError(t, err, "%s %s", object.GetKind(), object.GetName())
	}
}

// requireAppliedIsEmpty requires that applying the objects again changes none: what the operators have written is not
// the stack's.
func (j *judge) requireAppliedIsEmpty(t *testing.T, s *stack) {
	t.Helper()
	plain := func(object *unstructured.Unstructured) map[string]any {
		object = object.DeepCopy()
		for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
			unstructured.RemoveNestedField(object.Object, "metadata", field)
		}
		unstructured.RemoveNestedField(object.Object, "status")
		return object.Object
	}
	for _, object := range s.objects {
		text, err := json.Marshal(object)
		require.NoError(t, err)
		force := true                       // as long as the provider has not applied
		require.Eventually(t, func() bool { // an operator may write in between
			now, err := j.clientOf(object).Get(t.Context(), object.GetName(), metav1.GetOptions{})
			require.NoError(t, err, "%s %s", object.GetKind(), object.GetName())
			dry, err := j.clientOf(object).Patch(t.Context(), object.GetName(), types.ApplyPatchType, text, metav1.PatchOptions{
				FieldManager: "hypershift-aws", Force: &force, DryRun: []string{metav1.DryRunAll}})
			require.NoError(t, err, "%s %s", object.GetKind(), object.GetName())
			same := equal(t, plain(now), plain(dry))
			if !same {
				t.Logf("%s %s: now %v\nafter the apply %v", object.GetKind(), object.GetName(), plain(now), plain(dry))
			}
			return same
		}, 30*time.Second, 3*time.Second, "an apply changes %s %s", object.GetKind(), object.GetName())
	}
}

func equal(t *testing.T, a, b map[string]any) bool {
	t.Helper()
	first, err := json.Marshal(a)
	require.NoError(t, err)
	second, err := json.Marshal(b)
	require.NoError(t, err)
	return string(first) == string(second)
}

// until waits until something holds of an object, and returns the object.
func (j *judge) until(
	t *testing.T,
	apiVersion, kind, name, what string,
	holds func(*unstructured.Unstructured) bool,
) *unstructured.Unstructured {
	t.Helper()
	var last *unstructured.Unstructured
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for {
		now, err := j.of(apiVersion, kind, namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			last = nil
		case err == nil:
			last = now
		}
		if (err == nil || apierrors.IsNotFound(err)) && holds(last) {
			return last
		}
		select {
		case <-ctx.Done():
			text, _ := json.MarshalIndent(last, "", " ")
			require.FailNow(t, fmt.Sprintf("%s %s: %s", kind, name, what), "%s", text)
		case <-time.After(time.Second):
		}
	}
}

// machines returns the names of a cluster's machines.
func (j *judge) machines(t *testing.T, cluster string) []unstructured.Unstructured {
	t.Helper()
	list, err := j.of(coreVersion, "Machine", namespace).List(t.Context(), metav1.ListOptions{
		LabelSelector: "cluster.x-k8s.io/cluster-name=" + cluster,
	})
	require.NoError(t, err)
	return list.Items
}

// bootstrap gives the machines of workers their bootstrap data, which kubeadm's provider writes when the first control
// plane has come up.
func (j *judge) bootstrap(t *testing.T, cluster string, workers int) {
	t.Helper()
	secrets := j.objects.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace(namespace)
	given := map[string]bool{}
	require.Eventually(t, func() bool {
		for _, machine := range j.machines(t, cluster) {
			if _, control := machine.GetLabels()["cluster.x-k8s.io/control-plane"]; control || given[machine.GetName()] {
				continue
			}
			name := machine.GetName() + "-by-hand"
			_, err := secrets.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1",
				"kind":       "Secret",
				"metadata":   map[string]any{"name": name, "labels": map[string]any{"cluster.x-k8s.io/cluster-name": cluster}},
				"stringData": map[string]any{"value": "#cloud-config\n", "format": "cloud-config"}}}, metav1.CreateOptions{})
			require.NoError(t, err)
			_, err = j.of(coreVersion, "Machine", namespace).Patch(t.Context(), machine.GetName(), types.MergePatchType,
				fmt.Appendf(nil, `{"spec":{"bootstrap":{"dataSecretName":%q}}}`, name), metav1.PatchOptions{})
			require.NoError(t, err)
			given[machine.GetName()] = true
		}
		return len(given) == workers
	}, 2*time.Minute, time.Second, "%d workers", workers)
}

// requireNoSignOfLife requires that a sweep finds nothing that the cluster owns.
func (j *judge) requireNoSignOfLife(t *testing.T, cluster string) {
	t.Helper()
	facts, err := sweep.Search(t.Context(), account.NewAWS(j.config), t.TempDir(), time.Now(), sweep.Everything)
	require.NoError(t, err)
	require.Empty(t, facts.Missing)
	for _, found := range facts.Found {
		require.False(t, account.ClusterTag(found, cluster) == "owned" && found.State != "terminated", "%s %s is left",
			found.Type, found.ID)
	}
}

// A stack's network has no sign of a living cluster: a sweep finds nothing of it, with or without the Cluster's name.
func TestANetworkForCAPAHasNoSignOfLifeThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	j := newAccount(t)
	before := j.lookAround(t)
	s := j.up(t, "private-1", configOf(t, "capa-private", "private-1", "us-east-1a"))
	created := j.lookAround(t).created(before)
	require.ElementsMatch(t, slices.Collect(maps.Values(s.ids(awstype.Subnet))), created["Subnets"])
	require.Subset(t, created["SecurityGroups"], slices.Collect(maps.Values(s.ids(awstype.SecurityGroup))))
	require.Empty(t, created["LoadBalancers"])
	j.requireNoSignOfLife(t, s.name)
}

// A stack in a given network, with given groups and profiles, creates only the cluster's objects.
func TestAStackInAnExistingNetworkCreatesNothingInAWSThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	j := newAccount(t)
	s := j.given(t, "given-1", "us-east-1a")
	j.requireNoSignOfLife(t, s.name)
	vpc := slices.Collect(maps.Values(s.ids(awstype.VPC)))[0]
	for _, object := range s.objects {
		if object.GetKind() == "AWSCluster" {
			id, _, _ := unstructured.NestedString(object.Object, "spec", "network", "vpc", "id")
			require.Equal(t, vpc, id, "moto's ID")
			return
		}
	}
	require.Fail(t, "no AWSCluster")
}

func TestClusterAPIAcceptsTheArchitecturesThroughAWSsAPI(t *testing.T) {
	if *apiserver.Folder == "" {
		t.Skip("NOT TESTED: the managers of Cluster API on the networks of stacks of kind capa, which make conformance builds and runs")
	}
	j := newJudge(t, *apiserver.Folder)
	all, three := map[string]bool{}, []string{"us-east-1a", "us-east-1b", "us-east-1c"}
	for _, c := range []struct {
		name, example string // without an example, the stack of another project has the network, the groups and the profiles
		zones         []string
	}{
		{"private-1", "capa-private", three[:1]}, {"private-3", "capa-private", three},
		{"public-1", "capa-public", three[:1]}, {"public-3", "capa-public", three}, {"given-3", "", three},
	} {
		passed := t.Run(c.name, func(t *testing.T) {
			var s *stack
			if c.example == "" {
				s = j.given(t, c.name, c.zones...)
			} else {
				s = j.up(t, c.name, configOf(t, c.example, c.name, c.zones...))
			}
			for action := range j.lives(t, s, len(c.zones)) {
				all[action] = true
			}
		})
		if !passed {
			return // the next clusters share the account
		}
	}
	for action := range expected {
		require.Contains(t, all, action, "no cluster caused this call: remove its row")
	}
}

// lives lets CAPA create a cluster in a stack's network and delete it, and returns CAPA's calls that change something.
func (j *judge) lives(t *testing.T, s *stack, zones int) map[string]bool {
	t.Helper()
	before := j.lookAround(t)
	j.calls.Forget()
	began := time.Now()
	j.apply(t, s)
	j.until(t, infraVersion, "AWSCluster", s.name, "is not ready", func(o *unstructured.Unstructured) bool {
		ready, _, _ := unstructured.NestedBool(o.Object, "status", "ready")
		host, _, _ := unstructured.NestedString(o.Object, "spec", "controlPlaneEndpoint", "host")
		return ready && host != ""
	})
	t.Logf("the AWSCluster is ready after %s", time.Since(began).Round(time.Second))
	vpc := slices.Collect(maps.Values(s.ids(awstype.VPC)))[0]
	j.bootstrap(t, s.name, zones)
	require.Eventually(t, func() bool {
		return len(j.machinesRunning(t, s, vpc)) == zones+1
	}, 4*time.Minute, 2*time.Second, "%d machines run", zones+1)
	t.Logf("the machines run after %s", time.Since(began).Round(time.Second))

	j.requireMachines(t, s, vpc, zones)
	now := j.lookAround(t)
	now.requireKept(t, before)
	created := now.created(before)
	require.Subset(t, []string{"Instances", "LoadBalancers", "NetworkInterfaces", "Secrets", "TargetGroups", "Volumes"},
		slices.Collect(maps.Keys(created)), created)
	require.Equal(t, []string{s.name + "-apiserver"}, created["LoadBalancers"])
	require.Len(t, created["TargetGroups"], 1)
	j.requireAppliedIsEmpty(t, s)

	require.NoError(t, j.of(coreVersion, "Cluster", namespace).Delete(t.Context(), s.name, metav1.DeleteOptions{}))
	j.until(t, coreVersion, "Cluster", s.name, "is not deleted", func(o *unstructured.Unstructured) bool {
		return o == nil
	})
	j.until(t, infraVersion, "AWSCluster", s.name, "is not deleted", func(o *unstructured.Unstructured) bool {
		return o == nil
	})
	t.Logf("the Cluster is deleted after %s", time.Since(began).Round(time.Second))
	after := j.lookAround(t)
	after.requireKept(t, before)
	for _, id := range after.created(before)["NetworkInterfaces"] {
		j.deleteInterface(t, id)
	}
	require.Empty(t, j.lookAround(t).created(before), "something of CAPA's is left")
	j.requireNoSignOfLife(t, s.name)

	writes := writesOf(j.calls)
	require.Subset(t, slices.Sorted(maps.Keys(expected)), slices.Sorted(maps.Keys(writes)),
		"no row expects some of CAPA's calls: %v", writes)
	return writes
}

// deleteInterface deletes the network interface of a terminated instance, as AWS does; moto keeps it.
func (j *judge) deleteInterface(t *testing.T, id string) {
	t.Helper()
	_, err := j.account.Compute.DeleteNetworkInterface(t.Context(),
		&ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: &id})
	require.NoError(t, err)
}

// machinesRunning returns CAPA's instances in a VPC that run.
func (j *judge) machinesRunning(t *testing.T, s *stack, vpc string) map[string]instance {
	t.Helper()
	found := j.instances(t, vpc)
	own := slices.Collect(maps.Values(s.ids(awstype.Instance)))
	maps.DeleteFunc(found, func(id string, i instance) bool { return i.State != "running" || slices.Contains(own, id) })
	return found
}

// requireMachines requires that each machine is in a subnet of the stack's, with its groups and its profile.
func (j *judge) requireMachines(t *testing.T, s *stack, vpc string, zones int) {
	t.Helper()
	groups, subnets := s.ids(awstype.SecurityGroup), s.ids(awstype.Subnet)
	private := slices.ContainsFunc(slices.Collect(maps.Keys(subnets)), func(name string) bool {
		return strings.Contains(name, "-private-")
	}) &&
		len(s.ids(awstype.NATGateway)) > 0
	workers := map[string]bool{}
	for id, i := range j.machinesRunning(t, s, vpc) {
		want := []string{groups["capa-groups-node"], groups["capa-groups-lb"]}
		profile := s.name + "-nodes.cluster-api-provider-aws.sigs.k8s.io"
		if i.Role == "control-plane" {
			want, profile = append(want, groups["capa-groups-controlplane"]),
				s.name+"-control-plane.cluster-api-provider-aws.sigs.k8s.io"
		} else {
			workers[i.Subnet] = true
		}
		require.ElementsMatch(t, want, i.Groups, "the groups of %s (%s)", id, i.Role)
		require.Equal(t, profile, i.Profile, "the profile of %s (%s)", id, i.Role)
		for name, subnet := range subnets {
			if subnet == i.Subnet {
				require.Equal(t, private, strings.Contains(name, "-private-"), "%s (%s) is in %s", id, i.Role, name)
			}
		}
		require.Contains(t, slices.Collect(maps.Values(subnets)), i.Subnet)
	}
	require.Len(t, workers, zones, "one worker per zone")
}
