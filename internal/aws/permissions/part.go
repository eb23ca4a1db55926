package permissions

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
)

// Part is a part of a cluster that a team of its own may run.
type Part string

const (
	// Network is the cluster's network with its hosted zones, as in a stack of kind network.
	Network Part = "network"
	// IAM is the cluster's OIDC provider, roles and instance profile, as in a stack of kind iam.
	IAM Part = "iam"
)

// Parts lists the parts.
func Parts() []Part { return []Part{Network, IAM} }

// partServices are the services whose functions a part calls: those that read what exists already. Every part looks up its account.
var partServices = map[Part][]string{
	Network: {"ec2", "ec2transitgateway", "route53", "vpc"},
	IAM:     {"iam", "kms", "s3"},
}

// otherFunctions are functions of these services that no part calls: the endpoint and the service of PrivateLink are the cluster's.
var otherFunctions = []string{"aws:ec2/getVpcEndpoint:getVpcEndpoint", "aws:ec2/getVpcEndpointService:getVpcEndpointService"}

// In reports whether a part of the cluster has the need: a resource by the component that it is in, a function by its service.
func (n Need) In(part Part) bool {
	if n.URN != "" {
		component, _, _ := strings.Cut(string(urn.URN(n.URN).QualifiedType()), "$")
		return strings.HasPrefix(component, "hypershift-aws:"+string(part)+":")
	}
	service, function, _ := strings.Cut(strings.TrimPrefix(n.Token, "aws:"), "/")
	if service == "index" {
		return part == Network || !strings.HasPrefix(function, "getAvailabilityZone")
	}
	return slices.Contains(partServices[part], service) && !slices.Contains(otherFunctions, n.Token)
}
