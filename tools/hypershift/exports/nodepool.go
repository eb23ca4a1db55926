package nodepool

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	capiaws "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
)

// MachineTemplate returns what the operator writes for the machines of a NodePool with an AMI.
func MachineTemplate(cluster *hyperv1.HostedCluster, pool *hyperv1.NodePool) (*capiaws.AWSMachineTemplateSpec, error) {
	return awsMachineTemplateSpec(cluster.Spec.InfraID, cluster, pool, true, nil, "")
}
