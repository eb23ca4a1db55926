package languages

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// languagePair is a program in Go with instances of components, and the same by the plugin.
type languagePair struct {
	inGo, remotely pulumi.RunFunc
	// names are the names of the components.
	names []string
}

// languagePairs have, together, an instance of each component but for the whole stacks.
func languagePairs() map[string]languagePair {
	return map[string]languagePair{
		"hosted cluster": {everyComponentInGo, everyComponentRemotely, []string{
			"network", "oidc", "workers", "roles", "orders", "service", "endpoint", "prerequisites", "documents", "queue",
			"install", "hosted-cluster", "node-pools",
		}},
		"shared VPC": {sharedVPCInGo, sharedVPCRemotely,
			[]string{"network", "network-vpc-owner", "shared-vpc-roles", "shared-vpc-roles-vpc-owner"}},
		"CAPA": {capaInGo, capaRemotely,
			[]string{"capa", "capa-network", "capa-groups", "capa-profiles", "profiles", "groups", "cluster"}},
	}
}

// vpcOwner returns the provider of the account that owns the VPC.
func vpcOwner(ctx *pulumi.Context) (*aws.Provider, error) {
	return aws.NewProvider(ctx, "vpc-owner", &aws.ProviderArgs{
		Region: pulumi.String("us-east-1"), AssumeRole: &aws.ProviderAssumeRoleArgs{
			RoleArn: pulumi.String("arn:aws:iam::" + stackfile.OwnerAccount + ":role/network"),
		},
	})
}

const (
	ingressRoleARN      = "arn:aws:iam::" + stackfile.ClusterAccount + ":role/demo-x1-openshift-ingress"
	controlPlaneRoleARN = "arn:aws:iam::" + stackfile.ClusterAccount + ":role/demo-x1-control-plane-operator"
)

func sharedVPCInGo(ctx *pulumi.Context) error {
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
	owner, err := vpcOwner(ctx)
	if err != nil {
		return err
	}
	guest, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
		Cluster: cluster, BaseDomain: "example.com", EndpointAccess: hypershift.PublicAndPrivate,
		Options: network.Options{NAT: network.Single, Zones: []network.Zone{{Name: "us-east-1a"}}},
		Shared:  &network.SharedVPC{VPCOwner: owner},
	})
	if err != nil {
		return err
	}
	_, err = iam.NewSharedVPCRoles(ctx, "shared-vpc-roles", &iam.SharedVPCRolesArgs{
		Cluster: cluster, VPCOwner: owner, VPCID: guest.VPCID, PrivateZoneARN: guest.PrivateZone.ARN,
		LocalZoneARN:   guest.LocalZone.ARN,
		IngressRoleARN: pulumi.String(ingressRoleARN), ControlPlaneOperatorRoleARN: pulumi.String(controlPlaneRoleARN),
	})
	return err
}

func sharedVPCRemotely(ctx *pulumi.Context) error {
	r := &remotes{ctx: ctx}
	cluster := pulumi.Map{"name": pulumi.String("demo"), "infraId": pulumi.String("demo-x1")}
	owner, err := vpcOwner(ctx)
	if err != nil {
		return err
	}
	guest := r.register("network:GuestNetwork", "network", pulumi.Map{
		"cluster": cluster, "baseDomain": pulumi.String("example.com"), "endpointAccess": pulumi.String("PublicAndPrivate"),
		"nat":   pulumi.String("Single"),
		"zones": pulumi.Array{pulumi.Map{"name": pulumi.String("us-east-1a")}}, "shared": pulumi.Map{"vpcOwner": owner},
	})
	r.register("iam:SharedVPCRoles", "shared-vpc-roles", pulumi.Map{
		"cluster": cluster, "vpcOwner": owner, "vpcId": guest.VPCID, "privateZoneArn": of(guest.PrivateZone, "arn"),
		"localZoneArn":   of(guest.LocalZone, "arn"),
		"ingressRoleArn": pulumi.String(ingressRoleARN), "controlPlaneOperatorRoleArn": pulumi.String(controlPlaneRoleARN),
	})
	return r.err
}

func capaInGo(ctx *pulumi.Context) error {
	args := capa.Args{Name: "demo", KubernetesVersion: "v1.33.4", Network: capa.NetworkArgs{Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}}}}
	made, err := capa.NewInfrastructure(ctx, "capa", &args)
	if err != nil {
		return err
	}
	if _, err := capa.NewInstanceProfiles(ctx, "profiles", &capa.InstanceProfilesArgs{
		Cluster: "other",
		IAM:     capa.IAMArgs{Controllers: true},
	}); err != nil {
		return err
	}
	if _, err := capa.NewSecurityGroups(ctx, "groups", &capa.SecurityGroupsArgs{
		Tagging: capa.Tagging{Cluster: "other", Tags: map[string]string{"team": "platform"}}, VPCID: made.VPCID,
		VPCCIDRs: []pulumi.StringInput{pulumi.String("10.0.0.0/16")},
	}); err != nil {
		return err
	}
	provider, err := managementCluster(ctx)
	if err != nil {
		return err
	}
	_, err = capa.NewCluster(ctx, "cluster", &capa.ClusterArgs{Args: args, Site: made.Site(), Unprotected: true}, pulumi.Provider(provider))
	return err
}

func capaRemotely(ctx *pulumi.Context) error {
	r := &remotes{ctx: ctx}
	text := func(s string) pulumi.String { return pulumi.String(s) }
	settings := pulumi.Map{
		"name": text("demo"), "kubernetesVersion": text("v1.33.4"),
		"network": pulumi.Map{"zones": pulumi.Array{pulumi.Map{"name": text("us-east-1a")}}},
	}
	made := r.register("capa:Infrastructure", "capa", settings)
	r.register("capa:InstanceProfiles", "profiles", pulumi.Map{
		"cluster": text("other"),
		"iam":     pulumi.Map{"controllers": pulumi.Bool(true)},
	})
	r.register("capa:SecurityGroups", "groups", pulumi.Map{
		"tagging": pulumi.Map{"cluster": text("other"), "tags": pulumi.Map{"team": text("platform")}}, "vpcId": made.VPCID,
		"vpcCidrs": pulumi.Array{text("10.0.0.0/16")},
	})
	provider, err := managementCluster(ctx)
	if err != nil {
		return err
	}
	groups := pulumi.Map{}
	for _, role := range capa.Roles() {
		groups[string(role)] = made.SecurityGroupIDs.MapIndex(text(string(role)))
	}
	r.register("capa:Cluster", "cluster", pulumi.Map{
		"settings": settings, "unprotected": pulumi.Bool(true),
		"site": pulumi.Map{
			"region": text("us-east-1"), "vpcId": made.VPCID, "controlPlaneProfile": made.ControlPlaneProfile,
			"nodesProfile":   made.NodesProfile,
			"securityGroups": groups, "images": pulumi.Map{capa.DefaultInstanceType: made.Images.MapIndex(text(capa.DefaultInstanceType))},
			"zones": pulumi.Array{pulumi.Map{
				"name": text("us-east-1a"), "publicSubnetId": made.PublicSubnetIDs.MapIndex(text("us-east-1a")),
				"privateSubnetId": made.PrivateSubnetIDs.MapIndex(text("us-east-1a")),
			}},
		},
	}, pulumi.Providers(provider))
	return r.err
}
