package capa

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// notKnownYet stands for a value that is known when AWS has made what it is of.
const notKnownYet = "(a new one)"

// configKeys are by field of an object the key of Args that it comes from, and what to do instead of the change.
func (args *Args) configKeys() map[string][2]string {
	vpc := "network.vpcCIDR"
	if args.Network.Existing != nil {
		vpc = "network.existing.vpcID"
	}
	const another = "keep it, or describe another cluster in a stack of its own"
	return map[string][2]string{
		"spec.region":                          {"network.zones", another},
		"spec.network.vpc.id":                  {vpc, another},
		"spec.controlPlaneLoadBalancer.scheme": {"apiAccess.scheme", another},
		"spec.secretRef":                       {"identity.secretRef", "keep it and change the Secret, or use an identity with another name"},
		"spec.version":                         {"kubernetesVersion", "go through each minor version in turn"},
	}
}

// refuseForbiddenChanges returns a hook that refuses a change of an object that a webhook of Cluster API or of CAPA would refuse, with
// the key of Args that it comes from. It runs in previews too. Without it the API server's own words would have to do, and only once it
// is asked.
func (a *applier) refuseForbiddenChanges() (*pulumi.ResourceHook, error) {
	return a.ctx.RegisterResourceHook(a.name+"-changes", func(change *pulumi.ResourceHookArgs) error {
		return a.args.Args.explained(a.args.Args.forbidden(plain(change.OldInputs), plain(change.NewInputs)))
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
}

// forbidden are the faults of changing an object from old to is.
func (args *Args) forbidden(old, is map[string]any) error {
	var faults fault.Faults
	for _, refused := range crd.RefusedByWebhooks(is, old) {
		key := args.configKeys()[refused.Field]
		remedy := key[1]
		if remedy == "" {
			remedy = "keep the value that it has"
		}
		faults.Add(key[0], refused.BadValue, "changes "+refused.Field+" of the "+textAt(is, "kind")+" "+textAt(is, "metadata", "name")+
			", which Cluster API refuses: "+refused.ErrorBody(), remedy)
	}
	return faults.Err()
}

// explained is an error with the lines of the file that args come from, where they come from one.
func (args *Args) explained(err error) error {
	if err == nil || args.Explain == nil {
		return err
	}
	return args.Explain(err)
}

// plain are properties as an object of the API; what is not known yet is text.
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

func textAt(object map[string]any, keys ...string) string {
	var value any = object
	for _, key := range keys {
		m, _ := value.(map[string]any)
		value = m[key]
	}
	text, _ := value.(string)
	return text
}
