package hostedcluster_test

import (
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

const account = "arn:aws:iam::123456789012:role/acme-x7k2p-"

// settings returns the minimal settings of a cluster.
func settings() *hostedcluster.Settings {
	return &hostedcluster.Settings{
		Cluster:    hypershift.Cluster{Name: "acme", InfraID: "acme-x7k2p", Tags: map[string]string{"team": "platform"}},
		Region:     "us-east-1",
		BaseDomain: "example.com",
		Release:    "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64",
	}
}

// site returns the site of a cluster in two zones.
func site() *hostedcluster.Site {
	return &hostedcluster.Site{
		VPCID: "vpc-0123456789abcdef0", MachineCIDRs: []string{"10.0.0.0/16"},
		Zones: []hostedcluster.SiteZone{
			{Name: "us-east-1a", SubnetID: "subnet-0aaaaaaaaaaaaaaaa"},
			{Name: "us-east-1b", SubnetID: "subnet-0bbbbbbbbbbbbbbbb"},
		},
		PublicZoneID: "Z0000000PUBLIC", PrivateZoneID: "Z000000PRIVATE",
		IssuerURL:       "https://acme-oidc.s3.us-east-1.amazonaws.com/acme-x7k2p",
		InstanceProfile: "acme-x7k2p-worker",
		Roles: map[iam.RoleName]string{
			iam.RoleIngress: account + "openshift-ingress", iam.RoleImageRegistry: account + "openshift-image-registry",
			iam.RoleStorage:             account + "aws-ebs-csi-driver-controller",
			iam.RoleNetwork:             account + "cloud-network-config-controller",
			iam.RoleKubeCloudController: account + "cloud-controller", iam.RoleNodePoolManagement: account + "node-pool",
			iam.RoleControlPlaneOperator: account + "control-plane-operator",
		},
	}
}

func at(object map[string]any, path ...string) any {
	var value any = object
	for _, key := range path {
		inner, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = inner[key]
	}
	return value
}
