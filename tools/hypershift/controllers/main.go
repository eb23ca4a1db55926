// Command controllers runs parts of HyperShift's operators for one hosted cluster. As "operator" it is the
// hypershift-operator, which creates endpoint services of PrivateLink; as "control-plane" the control-plane-operator,
// which creates endpoints, their security groups and DNS records; as "default-group" and "default-group-deletion" that
// operator's function for the default security group of the nodes, which then ends; as "report" it prints the machine
// template of each NodePool and the condition of the identity provider as JSON, and ends. The API server is that of
// KUBECONFIG, AWS's API that of AWS_ENDPOINT_URL.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"unsafe" // for go:linkname, and for a field that only HyperShift's package sets

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/control-plane-operator/controllers/awsprivatelink"
	"github.com/openshift/hypershift/control-plane-operator/controllers/healthcheck"
	"github.com/openshift/hypershift/control-plane-operator/controllers/hostedcontrolplane"
	"github.com/openshift/hypershift/control-plane-operator/controllers/hostedcontrolplane/manifests"
	"github.com/openshift/hypershift/hypershift-operator/controllers/nodepool"
	platformaws "github.com/openshift/hypershift/hypershift-operator/controllers/platform/aws"
	hyperapi "github.com/openshift/hypershift/support/api"
	"github.com/openshift/hypershift/support/capabilities"
	"github.com/openshift/hypershift/support/upsert"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// output is what is printed.
type output struct {
	// Machines are the machine templates of the NodePools by their names, with the error of those that have none.
	Machines map[string]any
	// Identity is the condition ValidAWSIdentityProvider while the API server of the hosted cluster is available.
	Identity *metav1.Condition
}

func main() {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: controllers operator|control-plane|default-group|default-group-deletion|report NAMESPACE CLUSTER CONTROL-PLANE-NAMESPACE")
		os.Exit(2)
	}
	if err := run(ctrl.SetupSignalHandler(), os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, as, namespace, name, planeNamespace string) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	if as != "operator" && as != "control-plane" {
		cluster, err := client.New(config, client.Options{Scheme: hyperapi.Scheme})
		switch {
		case err != nil:
			return err
		case as == "report":
			return report(ctx, cluster, namespace, name, planeNamespace)
		}
		return defaultGroup(ctx, cluster, planeNamespace, name, as == "default-group-deletion")
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  hyperapi.Scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	if as == "operator" {
		err = operator(manager)
	} else {
		err = controlPlane(ctx, manager, planeNamespace)
	}
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}

// operator has the management cluster be no OpenShift.
func operator(manager ctrl.Manager) error {
	none := func(...capabilities.CapabilityType) bool { return false }
	return (&platformaws.AWSEndpointServiceReconciler{
		Client: manager.GetClient(), CreateOrUpdateProvider: upsert.New(false),
		ManagementClusterCapabilities: &capabilities.MockCapabilityChecker{MockHas: none},
	}).SetupWithManager(manager)
}

func controlPlane(ctx context.Context, manager ctrl.Manager, namespace string) error {
	for _, service := range []string{manifests.KubeAPIServerPrivateServiceName, manifests.PrivateRouterService("").Name} {
		if err := (&awsprivatelink.PrivateServiceObserver{
			Client: manager.GetClient(), ControllerName: awsprivatelink.ControllerName(service),
			CreateOrUpdateProvider: upsert.New(false),
			ServiceNamespace:       namespace, ServiceName: service, HCPNamespace: namespace,
		}).SetupWithManager(ctx, manager); err != nil {
			return err
		}
	}
	return (&awsprivatelink.AWSEndpointServiceReconciler{
		CreateOrUpdateProvider: upsert.New(false),
	}).SetupWithManager(manager)
}

func report(ctx context.Context, reader client.Client, namespace, name, planeNamespace string) error {
	var cluster hyperv1.HostedCluster
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &cluster); err != nil {
		return err
	}
	var pools hyperv1.NodePoolList
	if err := reader.List(ctx, &pools, client.InNamespace(namespace)); err != nil {
		return err
	}
	out := output{Machines: map[string]any{}}
	for i := range pools.Items {
		pool := &pools.Items[i]
		template, err := nodepool.MachineTemplate(&cluster, pool)
		if err != nil {
			return fmt.Errorf("machine template of NodePool %s: %w", pool.Name, err)
		}
		out.Machines[pool.Name] = template.Template.Spec
	}
	plane := &hyperv1.HostedControlPlane{}
	if err := reader.Get(ctx, client.ObjectKey{Namespace: planeNamespace, Name: name}, plane); err != nil {
		return err
	}
	meta.SetStatusCondition(&plane.Status.Conditions, available())
	_ = healthcheck.IdentityProvider(ctx, plane) // its error is in the condition
	out.Identity = meta.FindStatusCondition(plane.Status.Conditions, string(hyperv1.ValidAWSIdentityProvider))
	return json.NewEncoder(os.Stdout).Encode(out)
}

// planeReconciler is the control-plane-operator's. These are its functions for the default security group: it calls
// them in the reconciliation of a HostedControlPlane, most of which is about other things.
type planeReconciler = hostedcontrolplane.HostedControlPlaneReconciler

//go:linkname reconcileGroup github.com/openshift/hypershift/control-plane-operator/controllers/hostedcontrolplane.(*HostedControlPlaneReconciler).reconcileDefaultSecurityGroup
//nolint:revive // its receiver
func reconcileGroup(r *planeReconciler, ctx context.Context, plane *hyperv1.HostedControlPlane) error

//go:linkname destroyGroup github.com/openshift/hypershift/control-plane-operator/controllers/hostedcontrolplane.(*HostedControlPlaneReconciler).destroyAWSDefaultSecurityGroup
//nolint:revive // its receiver
func destroyGroup(r *planeReconciler, ctx context.Context, plane *hyperv1.HostedControlPlane) (string, error)

// defaultGroup reconciles the default security group of the nodes, or deletes it.
func defaultGroup(ctx context.Context, cluster client.Client, namespace, name string, deletes bool) error {
	plane := &hyperv1.HostedControlPlane{}
	if err := cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, plane); err != nil {
		return err
	}
	reconciler := &planeReconciler{Client: cluster}
	compute, _ := hostedcontrolplane.GetEC2Client(ctx)
	field := reflect.ValueOf(reconciler).Elem().FieldByName("ec2Client")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(compute))
	if deletes {
		if code, err := destroyGroup(reconciler, ctx, plane); err != nil {
			return fmt.Errorf("deleting the default security group: %s: %w", code, err)
		}
		return nil
	}
	// The group is created when the identity provider is valid.
	meta.SetStatusCondition(&plane.Status.Conditions, available())
	if err := healthcheck.IdentityProvider(ctx, plane); err != nil {
		return err
	}
	return reconcileGroup(reconciler, ctx, plane)
}

// available returns the condition of a hosted cluster's API server that serves.
func available() metav1.Condition {
	return metav1.Condition{
		Type:   string(hyperv1.KubeAPIServerAvailable),
		Status: metav1.ConditionTrue,
		Reason: "AsExpected",
	}
}
