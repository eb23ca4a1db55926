package privatelink

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

// Service is a private service of a hosted control plane. Each has its own load balancer, endpoint service and
// endpoint. Source: the names of HyperShift's AWSEndpointServices.
type Service string

const (
	// PrivateRouter forwards connections to the API, OAuth, Konnectivity and Ignition by the requested host name. It is
	// the default.
	PrivateRouter Service = "private-router"
	// KubeAPIServerPrivate is the API server, if it has its own load balancer.
	KubeAPIServerPrivate Service = "kube-apiserver-private"
)

// Services lists the services.
func Services() []Service { return []Service{PrivateRouter, KubeAPIServerPrivate} }

// OrDefault returns s, or PrivateRouter for the zero value.
func (s Service) OrDefault() Service { return cmp.Or(s, PrivateRouter) }

// Validate returns a fault for an unknown service.
func (s Service) Validate() error {
	return enum.Validate(s, "is not a private service of a control plane", Services()...)
}

// Port returns the TCP port that nodes reach the service on.
func (s Service) Port() int {
	if s.OrDefault() == KubeAPIServerPrivate {
		return 6443
	}
	return 443
}

// Names returns the service's names in the local zone, below its domain: the API server's name; for the router the
// names of all services behind it, including the API server's if that is published as a Route.
func (s Service) Names() []string {
	if s.OrDefault() == KubeAPIServerPrivate {
		return []string{apiName}
	}
	return []string{apiName, "*.apps"}
}

// apiName is the API server's name in the local zone.
const apiName = "api"

// serviceTag is the tag by which HyperShift's operators find a service's endpoint.
const serviceTag = "AWSEndpointService"

// securityGroupName returns the name of the security group of a cluster's endpoint.
func (s Service) securityGroupName(cluster hypershift.Cluster) string {
	return cluster.InfraID + "-vpce-" + string(s.OrDefault())
}

// ValidateServiceName returns a fault if name is not the name of an endpoint service, or of one in another region than
// region; "" for any region.
func ValidateServiceName(name, region string) error {
	in := awsid.EndpointServiceRegion(name)
	switch {
	case in == "":
		return &fault.Fault{Value: name, Problem: "is not the name of an endpoint service",
			Remedy: "use one such as com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"}
	case region != "" && in != region:
		return &fault.Fault{Value: name, Problem: "is a service of another region than " + region,
			Remedy: "use a service of " + region + ": an endpoint can only reach services of its own region"}
	}
	return nil
}

var principalPattern = regexp.MustCompile(`^arn:aws[a-z-]*:iam::[0-9]{12}:(root|(role|user)/[\w+=,.@/-]+)$`)

// ValidatePrincipal returns a fault if principal is not the ARN of an account's root, a role or a user. "*", which AWS
// would accept, is refused because it allows everyone.
func ValidatePrincipal(principal string) error {
	if principalPattern.MatchString(principal) {
		return nil
	}
	return &fault.Fault{
		Value: principal, Problem: "is not the ARN of a principal",
		Remedy: "use the ARN of a role, a user or an account, such as arn:aws:iam::123456789012:root",
	}
}

// withoutPath returns a role's ARN without the role's path, as AWS compares it with the caller; any other ARN is
// unchanged.
func withoutPath(arn string) string {
	account, role, ok := strings.Cut(arn, ":role/")
	if !ok {
		return arn
	}
	return account + ":role/" + role[strings.LastIndex(role, "/")+1:]
}
