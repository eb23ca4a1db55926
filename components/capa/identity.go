package capa

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// IdentityKind is a kind of identity that CAPA's controllers use for a cluster.
type IdentityKind string

const (
	// ControllerIdentity is the controllers' own identity. It is the default.
	ControllerIdentity IdentityKind = "AWSClusterControllerIdentity"
	// RoleIdentity is a role that the controllers assume.
	RoleIdentity IdentityKind = "AWSClusterRoleIdentity"
	// StaticIdentity is an access key in a Secret.
	StaticIdentity IdentityKind = "AWSClusterStaticIdentity"
)

// IdentityKinds lists the kinds of identity.
func IdentityKinds() []IdentityKind {
	return []IdentityKind{ControllerIdentity, RoleIdentity, StaticIdentity}
}

// Identity is the AWS identity that CAPA's controllers use for the cluster: one of the management cluster's, or, with
// RoleARN or SecretRef, one that is created with the cluster.
type Identity struct {
	// Kind is AWSClusterControllerIdentity, AWSClusterRoleIdentity or AWSClusterStaticIdentity. Default
	// AWSClusterControllerIdentity.
	Kind IdentityKind `yaml:"kind" pulumi:"kind,optional"`
	// Name is the identity's name. Default "default", which CAPA creates itself for the kind AWSClusterControllerIdentity.
	// Required for the other kinds.
	Name string `yaml:"name" pulumi:"name,optional"`
	// RoleARN creates an AWSClusterRoleIdentity with this role, which the controllers' own identity may assume. Default:
	// the identity exists.
	RoleARN pulumi.StringInput `yaml:"roleARN" pulumi:"roleARN,optional" placeholder:"arn:aws:iam::000000000000:role/*"`
	// SecretRef creates an AWSClusterStaticIdentity with the access key in this Secret, which is in CAPA's namespace.
	// Default: the identity exists.
	SecretRef pulumi.StringInput `yaml:"secretRef" pulumi:"secretRef,optional" placeholder:"placeholder-*"`
}

// defaultIdentity is the name of the only AWSClusterControllerIdentity.
const defaultIdentity = "default"

func (i Identity) withDefaults() Identity {
	if i.Kind == "" {
		i.Kind = ControllerIdentity
	}
	if i.Kind == ControllerIdentity {
		i.Name = cmp.Or(i.Name, defaultIdentity)
	}
	return i
}

func (i Identity) validate() error {
	var faults fault.Faults
	switch i.Kind {
	case ControllerIdentity:
		if i.Name != defaultIdentity {
			faults.Add("name", i.Name, "is not the AWSClusterControllerIdentity, of which there is one per management cluster", "use default, or leave it out")
		}
	case RoleIdentity, StaticIdentity:
		if i.Name == "" {
			faults.Add("name", nil, "is missing", "set the name of the "+string(i.Kind))
		} else if len(i.Name) > 253 || !identityPattern.MatchString(i.Name) {
			faults.Add("name", i.Name, "is not the name of an object", "use lower-case letters, digits, - and .")
		}
	default:
		faults.Add("kind", string(i.Kind), "is not a kind of identity", fmt.Sprintf("use one of %v", IdentityKinds()))
	}
	if input.IsSet(i.RoleARN) {
		if i.Kind != RoleIdentity {
			faults.Add("roleARN", input.Value(i.RoleARN), "is for kind AWSClusterRoleIdentity", "leave it out, or use that kind")
		} else {
			faults.Join("roleARN", input.IfPlain(i.RoleARN, iam.ValidateRoleARN))
		}
	}
	if input.IsSet(i.SecretRef) && i.Kind != StaticIdentity {
		faults.Add("secretRef", input.Value(i.SecretRef), "is for kind AWSClusterStaticIdentity",
			"leave it out, or use that kind")
	}
	return faults.Err()
}

var identityPattern = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`)

// object returns the identity if it is created with the cluster, or nil if it exists. Only the cluster's namespace may
// use it.
func (i Identity) object(namespace string) map[string]any {
	spec := map[string]any{"allowedNamespaces": map[string]any{"list": []any{namespace}}}
	switch {
	case input.IsSet(i.RoleARN):
		spec["roleARN"] = input.Text(i.RoleARN)
		spec["sourceIdentityRef"] = map[string]any{"kind": string(ControllerIdentity), "name": defaultIdentity}
	case input.IsSet(i.SecretRef):
		spec["secretRef"] = input.Text(i.SecretRef)
	default:
		return nil
	}
	return map[string]any{
		"apiVersion": crd.InfrastructureVersion, "kind": string(i.Kind), "metadata": map[string]any{"name": i.Name},
		"spec": spec,
	}
}
