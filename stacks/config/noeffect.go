package config

import "github.com/hypershift-aws/hypershift-aws/components/fault"

// noObjects returns the fault of a section whose objects are not applied because it names no management cluster.
func noObjects(path string) fault.Faults {
	return fault.Faults{{
		Path: path, Problem: "is described, not applied: no management cluster is named", Remedy: "set kubeconfig, or use `hypershift-aws render`",
	}}
}

// NoEffect implements Section.
func (c *Cluster) NoEffect() fault.Faults {
	var faults fault.Faults
	if c.HostedCluster != nil && c.HostedCluster.Kubeconfig == nil {
		faults = append(faults, noObjects("hostedCluster")...)
	}
	const public = "has no effect with endpointAccess Public, which has no PrivateLink"
	if c.PrivateLink != nil && !c.EndpointAccess.HasPrivate() {
		faults.Add("privateLink", nil, public, "leave it out, or set endpointAccess: PublicAndPrivate or Private")
	}
	if c.HostedCluster != nil && len(c.HostedCluster.AdditionalAllowedPrincipals) > 0 && !c.EndpointAccess.HasPrivate() {
		faults.Add("hostedCluster.additionalAllowedPrincipals", nil, public, "leave it out, or set endpointAccess: PublicAndPrivate or Private")
	}
	return faults
}

// NoEffect implements Section.
func (c *CAPA) NoEffect() fault.Faults {
	if c.Kubeconfig == nil {
		return noObjects("")
	}
	return nil
}

// NoEffect implements Section.
func (m *Management) NoEffect() fault.Faults {
	var faults fault.Faults
	if m.Kubeconfig == nil && m.Operator.ExistingNamespace {
		faults.Add("operator.existingNamespace", nil, "has no effect without a management cluster", "set kubeconfig, or leave it out")
	}
	return faults
}

// NoEffect implements Section. Every key of a network has an effect, or is refused.
func (*Network) NoEffect() fault.Faults { return nil }

// NoEffect implements Section. Every key of the roles has an effect, or is refused.
func (*IAM) NoEffect() fault.Faults { return nil }

// NoEffect implements Section. The section needs a management cluster.
func (*NodePools) NoEffect() fault.Faults { return nil }
