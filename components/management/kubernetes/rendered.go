package kubernetes

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/management"
)

// The names of HyperShift's objects. Source: HyperShift, cmd/install/assets/hypershift_operator.go.
const (
	operatorName      = "operator"
	externalDNSName   = "external-dns"
	oidcConfigMap     = "oidc-storage-provider-s3-config"
	oidcConfigMapArea = "kube-public"
	credentialsKey    = "credentials"
)

// rendered are the objects of a render, with the values of a stack put in.
type rendered struct {
	args      *OperatorArgs
	namespace string
	objects   []unstructured.Unstructured
	// labels are the labels of the operator's namespace.
	labels map[string]string
	faults fault.Faults
}

// refuse adds a fault for a value in an object.
func (r *rendered) refuse(value string, object unstructured.Unstructured, problem, remedy string) {
	r.faults.Add("", value, "in "+describe(object)+" "+problem, remedy)
}

// putIn puts the stack's values into the objects, and drops the objects that the stack has itself. It returns every
// contradiction.
func (r *rendered) putIn() error {
	r.requireDefinitions()
	r.takeOwn()
	if operator := r.deployment(operatorName); operator != nil {
		r.operator(operator)
	}
	dns := r.find(func(o unstructured.Unstructured) bool { return isDeployment(o, externalDNSName) })
	switch {
	case r.args.ZoneDomain == "" && dns != nil:
		r.refuse(externalDNSName, *dns, "would write to a zone, but the stack has none",
			"render without --external-dns-provider, or set the stack's zone")
	case r.args.ZoneDomain != "" && dns == nil:
		r.faults.Add("", nil, "has no Deployment external-dns, but the stack has the zone "+r.args.ZoneDomain, fmt.Sprintf(
			"render with --external-dns-provider=aws --external-dns-domain-filter=%s --external-dns-secret=%s", r.args.ZoneDomain, management.ExternalDNSSecret))
	case dns != nil:
		if c := r.deployment(externalDNSName); c != nil {
			r.externalDNS(c)
		}
	}
	return r.faults.Err()
}

// requireDefinitions refuses a render without the definitions that hosted clusters need.
func (r *rendered) requireDefinitions() {
	for _, name := range []string{"hostedclusters.hypershift.openshift.io", "nodepools.hypershift.openshift.io"} {
		if r.find(func(o unstructured.Unstructured) bool { return isDefinition(o) && o.GetName() == name }) == nil {
			r.faults.Add("", nil, "has no CustomResourceDefinition "+name, "render with --outputs all, which is the default")
		}
	}
}

// takeOwn drops the objects that the stack has itself: the namespace, whose labels it takes, the ConfigMap with the
// location of the OIDC documents, and the Secrets of the identities, which a render has with --render-sensitive.
func (r *rendered) takeOwn() {
	r.objects = slices.DeleteFunc(r.objects, func(o unstructured.Unstructured) bool {
		switch kind := o.GetKind(); {
		case kind == "Namespace" && o.GetName() == r.namespace:
			r.labels = o.GetLabels()
			return true
		case kind == "ConfigMap" && o.GetNamespace() == oidcConfigMapArea && o.GetName() == oidcConfigMap:
			data, _, _ := unstructured.NestedStringMap(o.Object, "data")
			for key, want := range map[string]string{"name": r.args.BucketName, "region": r.args.Region} {
				if data[key] != "" && data[key] != want {
					r.refuse(data[key], o, fmt.Sprintf("is not the stack's, %s", want),
						fmt.Sprintf("render with --oidc-storage-provider-s3-bucket-name=%s "+
							"--oidc-storage-provider-s3-region=%s, or without both", r.args.BucketName, r.args.Region))
				}
			}
			return true
		}
		return o.GetKind() == "Secret" && o.GetNamespace() == r.namespace && ownsSecret(o.GetName())
	})
}

// find returns the first object for which is returns true, nil if there is none.
func (r *rendered) find(is func(unstructured.Unstructured) bool) *unstructured.Unstructured {
	if i := slices.IndexFunc(r.objects, is); i >= 0 {
		return &r.objects[i]
	}
	return nil
}

// deployment returns the container of a Deployment of the operator's namespace; nil, with a fault, if there is none.
func (r *rendered) deployment(name string) *container {
	object := r.find(func(o unstructured.Unstructured) bool { return isDeployment(o, name) })
	if object == nil {
		r.faults.Add("", nil, "has no Deployment "+name, "render with --outputs all, which is the default")
		return nil
	}
	if object.GetNamespace() != r.namespace {
		r.refuse(object.GetNamespace(), *object, "is not the operator's namespace, "+r.namespace,
			"render with --namespace="+r.namespace)
		return nil
	}
	c := newContainer(r, object)
	if c == nil {
		r.refuse(name, *object, "has no container of that name", "use the output of `"+renderLine+"`")
	}
	return c
}

// operator puts the OIDC bucket, the region and the credentials into the operator's Deployment, as `hypershift install`
// does with its flags.
func (r *rendered) operator(c *container) {
	c.setArgument("private-platform", "AWS", "render without it, or with --private-platform=AWS", "None")
	c.setVariable("AWS_SHARED_CREDENTIALS_FILE", "/etc/provider/"+credentialsKey,
		"render without --aws-private-secret-key")
	c.setVariable("AWS_REGION", r.args.Region, "render with --aws-private-region="+r.args.Region)
	c.setVariable("AWS_SDK_LOAD_CONFIG", "1", "render without --additional-operator-env-vars for it")
	c.mountSecret("credentials", "/etc/provider", management.EC2Secret,
		"render with --aws-private-secret="+management.EC2Secret)
	c.mountToken()

	const oidc = "oidc-storage-provider-s3-"
	c.setArgument(oidc+"bucket-name", r.args.BucketName,
		"render with --"+oidc+"bucket-name="+r.args.BucketName+", or without it")
	c.setArgument(oidc+"region", r.args.Region, "render with --"+oidc+"region="+r.args.Region+", or without it")
	c.setArgument(oidc+"credentials", "/etc/"+oidc+"creds/"+credentialsKey, "render without --"+oidc+"secret-key")
	c.mountSecret(oidc+"creds", "/etc/"+oidc+"creds", management.OIDCS3Secret,
		"render with --"+oidc+"secret="+management.OIDCS3Secret)

	const zero = "scale-from-zero-"
	if provider, has := c.argument(zero + "provider"); has && !r.args.ScaleFromZero {
		r.refuse("--"+zero+"provider="+provider, *c.workload, "is not the stack's, whose scaleFromZero is false",
			"set scaleFromZero: true, or render without --"+zero+"provider")
	}
	if r.args.ScaleFromZero {
		c.setArgument(zero+"provider", "aws", "render without it, or with --"+zero+"provider=aws")
		c.setArgument(zero+"creds", "/etc/"+zero+"creds/"+credentialsKey, "render without --"+zero+"secret-key")
		c.mountSecret(zero+"creds", "/etc/"+zero+"creds", management.EC2Secret,
			"render with --"+zero+"secret="+management.EC2Secret)
	}
	c.store()
}

// generatedOwner matches the owner ID that HyperShift's CLI generates for each render without
// --external-dns-txt-owner-id.
var generatedOwner = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// externalDNS puts the zone, the owner of its records and the credentials into external-dns' Deployment.
func (r *rendered) externalDNS(c *container) {
	zone := r.args.ZoneDomain
	c.setArgument("provider", "aws", "render with --external-dns-provider=aws")
	c.setArgument("domain-filter", zone, "render with --external-dns-domain-filter="+zone)
	owner, _ := c.argument("txt-owner-id")
	generated := ""
	if generatedOwner.MatchString(owner) {
		generated = owner
	}
	c.setArgument("txt-owner-id", r.args.TXTOwnerID,
		"render with --external-dns-txt-owner-id="+r.args.TXTOwnerID+", or without it", generated)
	c.setVariable("AWS_SHARED_CREDENTIALS_FILE", "/etc/provider/"+credentialsKey, "use the output of `"+renderLine+"`")
	c.mountSecret("credentials", "/etc/provider", management.ExternalDNSSecret,
		"render with --external-dns-secret="+management.ExternalDNSSecret)
	if r.args.Identity.OrDefault() == management.WebIdentity {
		c.setVariable("AWS_SDK_LOAD_CONFIG", "1", "use the output of `"+renderLine+"`")
		c.mountToken()
	}
	c.store()
}

// namespaceLabels returns the labels of the operator's namespace: the render's, and HyperShift's own.
func (r *rendered) namespaceLabels() map[string]string {
	labels := map[string]string{componentLabel: operatorName}
	maps.Copy(labels, r.labels)
	return labels
}
