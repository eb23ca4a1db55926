// Command controllers runs parts of HyperShift's operators for one hosted cluster. As "operator" it is the hypershift-operator, which creates
// endpoint services of PrivateLink; as "control-plane" the control-plane-operator, which creates endpoints, their security groups and DNS
// records; as "report" it prints the machine template of each NodePool and the condition of the identity provider as JSON, and ends. The API
// server is that of KUBECONFIG, AWS's API that of AWS_ENDPOINT_URL.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/control-plane-operator/controllers/awsprivatelink"
	"github.com/openshift/hypershift/control-plane-operator/controllers/healthcheck"
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
		fmt.Fprintln(os.Stderr, "usage: controllers operator|control-plane|report NAMESPACE CLUSTER CONTROL-PLANE-NAMESPACE")
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
	if as == "report" {
		reader, err := client.New(config, client.Options{Scheme: hyperapi.Scheme})
		if err != nil {
			return err
		}
		return report(ctx, reader, namespace, name, planeNamespace)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: hyperapi.Scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
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
			Client: manager.GetClient(), ControllerName: awsprivatelink.ControllerName(service), CreateOrUpdateProvider: upsert.New(false),
			ServiceNamespace: namespace, ServiceName: service, HCPNamespace: namespace,
		}).SetupWithManager(ctx, manager); err != nil {
			return err
		}
	}
	return (&awsprivatelink.AWSEndpointServiceReconciler{CreateOrUpdateProvider: upsert.New(false)}).SetupWithManager(manager)
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
	meta.SetStatusCondition(&plane.Status.Conditions, metav1.Condition{Type: string(hyperv1.KubeAPIServerAvailable), Status: metav1.ConditionTrue, Reason: "AsExpected"})
	_ = healthcheck.IdentityProvider(ctx, plane) // its error is in the condition
	out.Identity = meta.FindStatusCondition(plane.Status.Conditions, string(hyperv1.ValidAWSIdentityProvider))
	return json.NewEncoder(os.Stdout).Encode(out)
}
