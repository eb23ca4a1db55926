package network

import "github.com/hypershift-aws/hypershift-aws/components/fault"

// validatePublicOnly returns the faults of nodes in public subnets in a network that has none, and of what
// needs private subnets.
func (args *GuestNetworkArgs) validatePublicOnly() error {
	var faults fault.Faults
	if !args.PublicOnly {
		return nil
	}
	if !args.EndpointAccess.HasPublic() {
		faults.Add("", true, "puts nodes into public subnets, but endpointAccess Private has none",
			"use endpointAccess Public or PublicAndPrivate, or leave it out")
	}
	if args.SecondaryCIDR != "" {
		faults.Add("", true, "creates no private subnets, but secondaryCIDR adds some", "leave one of them out")
	}
	return faults.Err()
}
