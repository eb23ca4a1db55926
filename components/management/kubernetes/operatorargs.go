package kubernetes

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// OperatorArgs describe HyperShift's operator and external-dns, which are installed as the output of `hypershift
// install render` describes them, with the values below inserted.
type OperatorArgs struct {
	// Manifests are the output of `hypershift install render`: YAML documents or a List in JSON, compressed with gzip or
	// not. Required.
	Manifests string `yaml:"-" pulumi:"manifests" set:"the output of hypershift install render"`
	// BucketName is the name of the OIDC bucket. Required.
	BucketName string `yaml:"-" pulumi:"bucketName" set:"the OIDC bucket"`
	// Region is the region of the OIDC bucket, and of the endpoint services of private clusters. Required.
	Region string `yaml:"-" pulumi:"region" set:"the OIDC bucket's region"`
	// ZoneDomain is the domain of the zone that external-dns writes. Default none: the render must not have external-dns.
	ZoneDomain string `yaml:"-" pulumi:"zoneDomain,optional"`
	// TXTOwnerID is the ID with which external-dns marks its records. Required with ZoneDomain.
	TXTOwnerID string `yaml:"-" pulumi:"txtOwnerID,optional"`
	// Identity is how the operator and external-dns authenticate to AWS. Default WebIdentity.
	Identity management.OperatorIdentity `yaml:"-" pulumi:"identity,optional"`
	// EC2RoleARN, OIDCS3RoleARN and ExternalDNSRoleARN are the roles for the endpoint services, the OIDC documents and the
	// zone. Required unless Identity is AccessKeys, whose Secrets are those of InstallObjectsArgs.
	EC2RoleARN         pulumi.StringInput `yaml:"-" pulumi:"ec2RoleARN,optional"`
	OIDCS3RoleARN      pulumi.StringInput `yaml:"-" pulumi:"oidcS3RoleARN,optional"`
	ExternalDNSRoleARN pulumi.StringInput `yaml:"-" pulumi:"externalDNSRoleARN,optional"`
	// ScaleFromZero lets the operator look up instance types, without which a NodePool with autoScaling.min 0 keeps one
	// node. Default false.
	ScaleFromZero bool `yaml:"-" pulumi:"scaleFromZero,optional"`
	// Unprotected turns off Pulumi's protection of the operator's Deployment. Default false.
	Unprotected bool `yaml:"-" pulumi:"unprotected,optional"`

	// read are the objects of Manifests, once they are read.
	read []unstructured.Unstructured
}

// validate returns every fault in args for the operator's namespace.
func (args *OperatorArgs) validate(namespace string) error {
	var faults fault.Faults
	faults.Join("", input.Required(args))
	if err := args.Identity.Validate(); err != nil {
		faults.Join("identity", err)
	}
	if args.ZoneDomain != "" && args.TXTOwnerID == "" {
		faults.Add("txtOwnerID", nil, "is missing", "set an ID that no other management cluster in the zone's account has")
	}
	if args.Identity.OrDefault() != management.AccessKeys {
		for _, role := range []struct {
			path   string
			arn    pulumi.StringInput
			needed bool
		}{
			{"ec2RoleARN", args.EC2RoleARN, true}, {"oidcS3RoleARN", args.OIDCS3RoleARN, true},
			{"externalDNSRoleARN", args.ExternalDNSRoleARN, args.ZoneDomain != ""},
		} {
			if role.needed && !input.IsSet(role.arn) {
				faults.Add(role.path, nil, "is missing",
					fmt.Sprintf("set the output operatorRoles of the prerequisites, or identity %s", management.AccessKeys))
			}
		}
	}
	if args.Manifests == "" || namespace == "" {
		return faults.Err()
	}
	_, err := args.render(namespace)
	faults.Join("manifests", err)
	return faults.Err()
}

// render returns the objects of the manifests with the values of args put in, without those that InstallObjects creates
// itself.
func (args *OperatorArgs) render(namespace string) (*rendered, error) {
	if args.read == nil {
		objects, err := ReadManifests(args.Manifests)
		if err != nil {
			return nil, err
		}
		args.read = objects
	}
	r := &rendered{args: args, namespace: namespace}
	for _, object := range args.read {
		r.objects = append(r.objects, *object.DeepCopy())
	}
	return r, r.putIn()
}

// Check returns every contradiction between the manifests and the other values, with paths that begin with "manifests".
func (args *OperatorArgs) Check(namespace string) error {
	var faults fault.Faults
	_, err := args.render(namespace)
	faults.Join("manifests", err)
	return faults.Err()
}

// Definitions returns the names of the manifests' CustomResourceDefinitions.
func (args *OperatorArgs) Definitions() []string {
	var names []string
	for _, object := range args.read {
		if isDefinition(object) {
			names = append(names, object.GetName())
		}
	}
	return names
}

// CheckStored returns a fault for each of the manifests' definitions that lacks a version in which the API server
// stores objects, which would refuse it once other objects have been changed. stored are the versions in
// status.storedVersions, by the names of the definitions.
func (args *OperatorArgs) CheckStored(stored map[string][]string) error {
	var faults fault.Faults
	faults.Join("manifests", checkStored(args.read, stored))
	return faults.Err()
}

// ownsSecret reports whether InstallObjects or the operator's part of it creates a Secret of the operator's namespace.
func ownsSecret(name string) bool {
	return slices.Contains([]string{management.EC2Secret, management.OIDCS3Secret, management.ExternalDNSSecret}, name)
}
