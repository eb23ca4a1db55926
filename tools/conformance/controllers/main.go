// Command controllers runs the controllers of Kubernetes that a client of an API server waits for: those of
// Deployments, ReplicaSets and namespaces, and the garbage collector. kube-controller-manager has many more, which take
// long to compile. usage: controllers KUBECONFIG
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/replicaset"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	typed, any := informers.NewSharedInformerFactory(client, 0), metadatainformer.NewSharedInformerFactory(objects, 0)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	started := make(chan struct{})

	deployments, err := deployment.NewDeploymentController(ctx, typed.Apps().V1().Deployments(),
		typed.Apps().V1().ReplicaSets(), typed.Core().V1().Pods(), client)
	if err != nil {
		return err
	}
	replicas := replicaset.NewReplicaSetController(ctx, typed.Apps().V1().ReplicaSets(), typed.Core().V1().Pods(), client,
		replicaset.BurstReplicas)
	namespaces := namespace.NewNamespaceController(ctx, client, objects,
		client.Discovery().ServerPreferredNamespacedResources, typed.Core().V1().Namespaces(),
		time.Minute, v1.FinalizerKubernetes)
	garbage, err := garbagecollector.NewGarbageCollector(ctx, client, objects, mapper,
		garbagecollector.DefaultIgnoredResources(),
		informerfactory.NewInformerFactory(typed, any), started)
	if err != nil {
		return err
	}
	typed.Start(ctx.Done())
	any.Start(ctx.Done())
	close(started)
	go deployments.Run(ctx, 2)
	go replicas.Run(ctx, 2)
	go namespaces.Run(ctx, 2)
	go garbage.Sync(ctx, client.Discovery(), time.Second)
	garbage.Run(ctx, 5, 30*time.Second)
	return nil
}
