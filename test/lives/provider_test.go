package lives

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

func TestEveryComponentWorksWithDefaultProvidersDisabled(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, everyComponent, enginetest.Options{Seeds: append(stackfile.Seeds(),
		offline.Seed{Kind: offline.SeedLoadBalancer, Name: guestBalancer})})
	stack.Configure("config:\n  pulumi:disable-default-providers: [\"*\"]\n")
	stack.Up()
	made := stack.Custom()
	require.Greater(t, len(made), 40)
	for _, r := range made {
		require.True(t, strings.Contains(r.Provider, "::guest-account::"), "%s is made by %s", r.URN, r.Provider)
	}
	for _, account := range stack.Accounts() {
		require.Equal(t, "210987654321", account.ID(), "an account that no provider was passed for")
	}
	require.Empty(t, stack.Up())
	stack.Destroy()
	require.Empty(t, stack.Resources())
}

// everyComponent creates one of each component in the account of a separate provider.
func everyComponent(ctx *pulumi.Context) error {
	provider, err := aws.NewProvider(ctx, "guest-account", &aws.ProviderArgs{
		Region: pulumi.String("us-east-1"),
		AssumeRole: aws.ProviderAssumeRoleArgs{
			RoleArn: pulumi.String("arn:aws:iam::210987654321:role/deployer"),
		},
	})
	if err != nil {
		return err
	}
	in := pulumi.Provider(provider)
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
	guest, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
		Cluster: cluster, BaseDomain: "example.com", EndpointAccess: hypershift.PublicAndPrivate,
		Options: network.Options{
			Zones:              []network.Zone{{Name: "us-east-1a"}, {Name: "us-east-1b"}},
			InterfaceEndpoints: []string{"sts"},
		},
	}, in)
	if err != nil {
		return err
	}
	oidc, err := iam.NewOIDCProvider(ctx, "oidc", &iam.OIDCProviderArgs{
		Cluster:      cluster,
		BucketName:   pulumi.String("demo-oidc"),
		BucketRegion: pulumi.String("us-east-1"),
	}, in)
	if err != nil {
		return err
	}
	workers, err := iam.NewWorkerProfile(ctx, "workers", &iam.WorkerProfileArgs{Cluster: cluster}, in)
	if err != nil {
		return err
	}
	roles, err := iam.NewRoleSet(ctx, "roles", &iam.RoleSetArgs{
		Cluster: cluster, EndpointAccess: hypershift.PublicAndPrivate,
		OIDCProviderARN: oidc.ARN, IssuerURL: oidc.IssuerURL, WorkerRoleARN: workers.RoleARN,
		PublicZoneARN: guest.PublicZone.ARN, PrivateZoneARN: guest.PrivateZone.ARN, LocalZoneARN: guest.LocalZone.ARN,
		KMSKeyARN: pulumi.String(stackfile.KMSKeyARN),
	}, in)
	if err != nil {
		return err
	}
	service, err := privatelink.NewEndpointService(ctx, "service", &privatelink.EndpointServiceArgs{
		Cluster: cluster, LoadBalancers: &privatelink.LoadBalancers{Names: input.Strings("router")},
		AllowedPrincipals: []pulumi.StringInput{roles.ControlPlaneOperatorARN},
	}, in)
	if err != nil {
		return err
	}
	_, err = privatelink.NewEndpoint(ctx, "endpoint", &privatelink.EndpointArgs{
		Cluster: cluster, ServiceName: service.ServiceName, VPCID: guest.VPCID, LocalZoneID: guest.LocalZone.ID,
		MachineCIDRs: input.Strings("10.0.0.0/16"),
		Subnets: []privatelink.Subnet{{
			Zone: "us-east-1a",
			ID:   guest.PrivateSubnetIDs.MapIndex(pulumi.String("us-east-1a")),
		}},
	}, in)
	if err != nil {
		return err
	}
	_, err = management.NewPrerequisites(ctx, "prerequisites", &management.PrerequisitesArgs{
		OIDCBucket: management.OIDCBucketArgs{Name: "demo-oidc", Access: management.ThroughCloudFront},
		Zone:       &management.ZoneArgs{Domain: "clusters.example.com", ParentZone: "example.com"},
		Operator:   management.OperatorArgs{Identity: management.AccessKeys},
		EtcdKey:    &management.EtcdKeyArgs{Alias: "etcd"}, RegistryBucketName: "demo-registry",
		InterruptionQueueName: "demo",
		Unprotected:           true,
	}, in)
	return err
}

// guestBalancer is in the account of every component.
const guestBalancer = "arn:aws:elasticloadbalancing:us-east-1:210987654321:loadbalancer/net/router/0123456789abcdef"
