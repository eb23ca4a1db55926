package network

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/enum"
)

// NATStrategy is how nodes reach the internet: PerZone, Single or None.
type NATStrategy string

const (
	// PerZone creates a NAT gateway in every zone, so that the failure of a zone does not affect the others. It is the
	// default.
	PerZone NATStrategy = "PerZone"
	// Single creates one NAT gateway for all zones, in the zone with the lowest slot.
	Single NATStrategy = "Single"
	// None creates no NAT gateway. Nodes reach AWS through the interface endpoints that NodeServices lists, and their
	// control plane over PrivateLink.
	None NATStrategy = "None"
)

// NATStrategies lists the strategies.
func NATStrategies() []NATStrategy { return []NATStrategy{PerZone, Single, None} }

// OrDefault returns s, or PerZone for the zero value.
func (s NATStrategy) OrDefault() NATStrategy { return cmp.Or(s, PerZone) }

// Validate returns a fault for an unknown strategy.
func (s NATStrategy) Validate() error {
	if awsid.IsEC2("nat", string(s)) {
		return &fault.Fault{Value: string(s), Problem: "is a NAT gateway, which is part of the VPC that it was created in and the target of that VPC's routes only",
			Remedy: "use existing with that VPC and its subnets, or transitGateway or firewallEndpoint to reach the internet through another VPC"}
	}
	return enum.Validate(s, "is not a NAT strategy", NATStrategies()...)
}

// zones returns the zones that get a NAT gateway.
func (s NATStrategy) zones(zones []placedZone) []placedZone {
	switch s.OrDefault() {
	case PerZone:
		return zones
	case Single:
		return zones[:1]
	case None:
	}
	return nil
}

// NodeServices returns the AWS services, by the names of their endpoints, that nodes and their workloads may call. S3
// always has a gateway endpoint.
func NodeServices() []string {
	return []string{"ec2", "ecr.api", "ecr.dkr", "elasticloadbalancing", "sts"}
}

// RequiredNodeServices returns those of NodeServices that the nodes of a hosted cluster cannot do without: the image
// registry's pods assume their role by STS, and store images in S3. What calls EC2 and Elastic Load Balancing runs in
// the management cluster. In control-plane-operator/controllers/hostedcontrolplane/v2 of HyperShift (3ee9615567) that
// is cloud_controller_manager/aws, storage (the controller of the EBS CSI driver), cno
// (cloud-network-config-controller), ingressoperator, registryoperator, capi_provider, karpenter and
// awsnodeterminationhandler. On nodes, the kubelet and the CSI driver's node plugin read the instance metadata service.
// Only images that are in ECR need ECR.
// https://github.com/openshift/hypershift/tree/main/control-plane-operator/controllers/hostedcontrolplane/v2
// https://github.com/openshift/cluster-image-registry-operator/blob/master/pkg/storage/s3/s3.go
func RequiredNodeServices() []string { return []string{"sts"} }

// natOrDefault returns the strategy, with the default that the other args imply.
func (args *BaseNetworkArgs) natOrDefault() NATStrategy {
	if args.PublicMachines || args.NAT == "" && (args.Existing != nil || args.ProxiedEgress || args.RoutesInternet()) {
		return None
	}
	return args.NAT.OrDefault()
}

// natZones returns the zones that get a NAT gateway.
func (args *BaseNetworkArgs) natZones(zones []placedZone) []placedZone {
	return args.natOrDefault().zones(zones)
}

// isolated reports whether machines have no access to the internet.
func (args *BaseNetworkArgs) isolated() bool {
	return args.NAT == None && !args.publicOnly() && !args.ProxiedEgress && !args.RoutesInternet()
}

// validateEgress returns a fault if nodes could not reach what they need, or if NAT gateways cannot be created.
func (args *GuestNetworkArgs) validateEgress() error {
	var faults fault.Faults
	base := args.Base()
	asked := args.NAT == PerZone || args.NAT == Single
	switch {
	case asked && args.Existing != nil:
		faults.Add("nat", string(args.NAT), "creates NAT gateways, but an existing VPC is not changed",
			"leave it out, or use None where the subnets have no route to the internet")
	case asked && args.PublicOnly:
		faults.Add("nat", string(args.NAT), "creates NAT gateways for private subnets, but publicOnly has none",
			"leave it out")
	case base.isolated() && !args.EndpointAccess.HasPrivate():
		faults.Add("nat", string(args.NAT), "leaves the nodes without a route to the control plane, which is Public",
			"use PerZone or Single, or an endpointAccess with PrivateLink")
	}
	// An existing VPC may already have endpoints.
	if missing := base.missingServices(base.RequiredServices); base.isolated() && args.Existing == nil &&
		len(missing) > 0 {
		faults.Join("nat", base.withoutServices(missing, "", base.Services))
	}
	return faults.Err()
}

// withoutServices returns the fault for services without the endpoint that machines need, and why. create are the
// services whose endpoints the stack should create.
func (args *BaseNetworkArgs) withoutServices(missing []string, why string, create []string) *fault.Fault {
	return &fault.Fault{Value: string(None), Problem: "leaves the nodes without " + strings.Join(missing, ", ") + why,
		Remedy: "set interfaceEndpoints: [" + strings.Join(create, ", ") + "]"}
}

// missingServices returns those of the services for which the args create no interface endpoint.
func (args *BaseNetworkArgs) missingServices(needed []string) []string {
	services := expandServices(args.InterfaceEndpoints, args.Services)
	return slices.DeleteFunc(slices.Clone(needed), func(service string) bool {
		return slices.Contains(services, service)
	})
}

// ServicesOfVPC returns the services whose endpoints machines need from the owner of an existing VPC: those for which
// the args create none, in a network without access to the internet.
func (args *BaseNetworkArgs) ServicesOfVPC() []string {
	if args.Existing == nil || !args.isolated() {
		return nil
	}
	return append(args.missingServices(args.Services), "s3")
}
