package capa

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
)

// notKnownYet represents a value that AWS sets when it creates the resource.
const notKnownYet = "(a new one)"

// configKeys maps a field of an object to the key of Args that sets it, and to what to do instead of changing it.
func (args *Args) configKeys() map[string][2]string {
	vpc := "network.vpcCIDR"
	if args.Network.Existing != nil {
		vpc = "network.existing.vpcID"
	}
	const another = "keep it, or create another cluster in a separate stack"
	ipv6 := func(balancer string) string {
		if args.Network.Existing != nil {
			return "spec.awsCluster." + balancer + ".targetGroupIPType"
		}
		return "network.ipv6"
	}
	return map[string][2]string{
		"spec.region":                          {"network.zones", another},
		"spec.network.vpc.id":                  {vpc, another},
		"spec.controlPlaneLoadBalancer.scheme": {"apiAccess.scheme", another},
		"spec.secondaryControlPlaneLoadBalancer": {"apiAccess.secondary",
			"keep secondary: CAPA does not delete a load balancer of a cluster that stays"},
		"spec.secondaryControlPlaneLoadBalancer.scheme":            {"apiAccess.secondary", "leave it out: CAPA adds an internal load balancer only when it creates the cluster"},
		"spec.controlPlaneLoadBalancer.targetGroupIPType":          {ipv6("controlPlaneLoadBalancer"), another},
		"spec.secondaryControlPlaneLoadBalancer.targetGroupIPType": {ipv6("secondaryControlPlaneLoadBalancer"), another},
		"spec.secretRef": {"identity.secretRef",
			"keep it and change the Secret, or use an identity with another name"},
		"spec.version": {"kubernetesVersion",
			"upgrade one minor version at a time"},
	}
}

// refuseForbiddenChanges returns a hook that refuses a change of an object that a webhook of Cluster API or of CAPA
// would refuse, with the key of Args that it comes from. It runs in previews too, when the API server is not called.
func (a *applier) refuseForbiddenChanges() (*pulumi.ResourceHook, error) {
	return a.ctx.RegisterResourceHook(a.name+"-changes", func(change *pulumi.ResourceHookArgs) error {
		return a.args.Args.explained(a.args.Args.forbidden(plain(change.OldInputs), plain(change.NewInputs)))
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
}

// forbidden returns a fault for each change from old to is that a webhook refuses.
func (args *Args) forbidden(old, is map[string]any) error {
	var faults fault.Faults
	object := unstructured.Unstructured{Object: is}
	for _, refused := range crd.RefusedByWebhooks(is, old) {
		key := args.configKeys()[refused.Field]
		remedy := key[1]
		if remedy == "" {
			remedy = "keep the previous value"
		}
		faults.Add(key[0], refused.BadValue, "changes "+refused.Field+" of the "+object.GetKind()+" "+object.GetName()+
			", which Cluster API refuses: "+refused.ErrorBody(), remedy)
	}
	return faults.Err()
}

// explained adds the lines of the stack's file to an error, if args were read from one.
func (args *Args) explained(err error) error {
	if err == nil || args.Explain == nil {
		return err
	}
	return args.Explain(err)
}

// plain converts properties to an object of the API, with notKnownYet for unknown values.
func plain(properties resource.PropertyMap) map[string]any {
	return properties.MapRepl(nil, func(v resource.PropertyValue) (any, bool) {
		for v.IsSecret() {
			v = v.SecretValue().Element
		}
		if v.IsComputed() || v.IsOutput() {
			return notKnownYet, true
		}
		return nil, false
	})
}
