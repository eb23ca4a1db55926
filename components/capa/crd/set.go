// Package crd has the schemas of those kinds of Cluster API and Cluster API Provider AWS that a cluster consists of.
package crd

import (
	"embed"

	"github.com/hypershift-aws/hypershift-aws/components/crd"
)

// The API versions of the schemas.
const (
	CoreVersion           = "cluster.x-k8s.io/v1beta2"
	BootstrapVersion      = "bootstrap.cluster.x-k8s.io/v1beta2"
	ControlPlaneVersion   = "controlplane.cluster.x-k8s.io/v1beta2"
	InfrastructureVersion = "infrastructure.cluster.x-k8s.io/v1beta2"
)

// The CRDs' versions v1beta2: those of Cluster API at ae7ff047 (2026-08-21), MachineHealthCheck at v1.13.4, and those of Cluster API Provider AWS
// at 2cf09d785 (2026-07-01).
//
//go:embed *.json.gz
var files embed.FS

// Set checks objects as the API server of a management cluster with both providers does, without webhooks.
var Set = crd.NewSet("the Cluster API", files, map[crd.Kind]string{
	{APIVersion: CoreVersion, Kind: "Cluster"}:                                "clusters.json.gz",
	{APIVersion: CoreVersion, Kind: "MachineDeployment"}:                      "machinedeployments.json.gz",
	{APIVersion: CoreVersion, Kind: "MachineHealthCheck"}:                     "machinehealthchecks.json.gz",
	{APIVersion: BootstrapVersion, Kind: "KubeadmConfigTemplate"}:             "kubeadmconfigtemplates.json.gz",
	{APIVersion: ControlPlaneVersion, Kind: "KubeadmControlPlane"}:            "kubeadmcontrolplanes.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSCluster"}:                   "awsclusters.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSMachineTemplate"}:           "awsmachinetemplates.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSClusterControllerIdentity"}: "awsclustercontrolleridentities.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSClusterRoleIdentity"}:       "awsclusterroleidentities.json.gz",
	{APIVersion: InfrastructureVersion, Kind: "AWSClusterStaticIdentity"}:     "awsclusterstaticidentities.json.gz",
})
