package hosted

import (
	"testing"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/utilities"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// astray is a program that creates a HostedCluster without a dependency on the roles, which its control plane needs
// until it is deleted: it names them as texts.
func astray(ctx *pulumi.Context) error {
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
	guest, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
		Cluster: cluster, BaseDomain: "example.com",
		Options: network.Options{Zones: []network.Zone{{Name: "us-east-1a"}}, NAT: network.Single},
	})
	if err != nil {
		return err
	}
	oidc, err := iam.NewOIDCProvider(ctx, "oidc", &iam.OIDCProviderArgs{
		Cluster:      cluster,
		BucketName:   pulumi.String("demo-oidc"),
		BucketRegion: pulumi.String("us-east-1"),
	})
	if err != nil {
		return err
	}
	workers, err := iam.NewWorkerProfile(ctx, "workers", &iam.WorkerProfileArgs{Cluster: cluster})
	if err != nil {
		return err
	}
	if _, err := iam.NewRoleSet(ctx, "roles", &iam.RoleSetArgs{
		Cluster: cluster, OIDCProviderARN: oidc.ARN, IssuerURL: oidc.IssuerURL, WorkerRoleARN: workers.RoleARN,
		PublicZoneARN: guest.PublicZone.ARN, PrivateZoneARN: guest.PrivateZone.ARN,
	}); err != nil {
		return err
	}
	secret := &pulumi.CustomResourceState{}
	err = ctx.RegisterResource("kubernetes:core/v1:Secret", "pull-secret", pulumi.Map{
		"apiVersion": pulumi.String("v1"), "kind": pulumi.String("Secret"),
		"metadata":   pulumi.Map{"name": pulumi.String("demo-pull-secret"), "namespace": pulumi.String("default")},
		"stringData": pulumi.ToSecret(pulumi.StringMap{".dockerconfigjson": pulumi.String("{}")}),
	}, secret, utilities.PkgResourceDefaultOpts(nil)...)
	if err != nil {
		return err
	}
	spec := pulumi.All(guest.VPCID, guest.NodeSubnetIDs.MapIndex(pulumi.String("us-east-1a"))).
		ApplyT(func(ids []any) map[string]any {
			return astraySpec(ids[0], ids[1])
		}).(pulumi.MapOutput)
	return ctx.RegisterResource("kubernetes:hypershift.openshift.io/v1beta1:HostedCluster", "demo", pulumi.Map{
		"apiVersion": pulumi.String("hypershift.openshift.io/v1beta1"), "kind": pulumi.String("HostedCluster"),
		"metadata": pulumi.Map{"name": pulumi.String("demo"), "namespace": pulumi.String("default"),
			"annotations": pulumi.StringMap{"hypershift.openshift.io/cleanup-cloud-resources": pulumi.String("true")}},
		"spec": spec,
	}, &pulumi.CustomResourceState{}, pulumi.DependsOn([]pulumi.Resource{secret}),
		pulumi.Timeouts(&pulumi.CustomTimeouts{Delete: "60s"}))
}

func astraySpec(vpc, subnet any) map[string]any {
	roles := map[string]any{}
	for key, name := range map[string]string{
		"ingressARN": "openshift-ingress", "imageRegistryARN": "openshift-image-registry",
		"storageARN": "aws-ebs-csi-driver-controller",
		"networkARN": "cloud-network-config-controller", "kubeCloudControllerARN": "cloud-controller",
		"nodePoolManagementARN": "node-pool", "controlPlaneOperatorARN": "control-plane-operator",
	} {
		roles[key] = "arn:aws:iam::123456789012:role/demo-x1-" + name
	}
	services := []any{map[string]any{
		"service":                   "APIServer",
		"servicePublishingStrategy": map[string]any{"type": "LoadBalancer"},
	}}
	for _, name := range []string{"OAuthServer", "Konnectivity", "Ignition"} {
		services = append(services, map[string]any{
			"service":                   name,
			"servicePublishingStrategy": map[string]any{"type": "Route"},
		})
	}
	network := func(cidr string) []any { return []any{map[string]any{"cidr": cidr}} }
	return map[string]any{
		"infraID": "demo-x1", "issuerURL": "https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1",
		"controllerAvailabilityPolicy": "SingleReplica",
		"dns":                          map[string]any{"baseDomain": "example.com"},
		"etcd": map[string]any{"managementType": "Managed",
			"managed": map[string]any{"storage": map[string]any{"type": "PersistentVolume",
				"persistentVolume": map[string]any{"size": "8Gi"}}}},
		"networking": map[string]any{"clusterNetwork": network("10.132.0.0/14"), "machineNetwork": network("10.0.0.0/16"),
			"serviceNetwork": network("172.31.0.0/16"), "networkType": "OVNKubernetes"},
		"platform": map[string]any{"type": "AWS",
			"aws": map[string]any{"region": "us-east-1", "endpointAccess": "Public", "rolesRef": roles,
				"cloudProviderConfig": map[string]any{"vpc": vpc, "zone": "us-east-1a", "subnet": map[string]any{"id": subnet}}}},
		"pullSecret": map[string]any{"name": "demo-pull-secret"}, "sshKey": map[string]any{"name": ""},
		"release": map[string]any{"image": stackfile.Release}, "services": services,
	}
}

func TestDestroyInTheWrongOrderStopsAtTheHostedClusterWithItsConditions(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, astray, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure("config: {aws:region: us-east-1}\n")
	stack.Up()
	// The deletion of a HostedCluster takes time; that of roles' policies does not.
	operate(t, stack, offline.Operators{Scale: 0.05})
	changes, err := stack.DestroyErr()
	require.ErrorContains(t, err, "timed out waiting for the condition")
	require.True(t, holds(changes.BegunBefore(apitype.OpDelete, hostedClusterType), "aws:iam/rolePolicy:RolePolicy"))
	require.Contains(t, says(stack, "HostedCluster", "CloudResourcesDestroyed"), "Invalid AWS identity provider")
}

// says returns the message of a condition of the only object of a kind, or "" where there is none.
func says(stack *enginetest.Stack, kind, name string) string {
	for _, object := range stack.Objects() {
		status, _ := object.Properties["status"].(map[string]any)
		conditions, _ := status["conditions"].([]any)
		for _, c := range conditions {
			if condition, _ := c.(map[string]any); object.Kind == kind && condition["type"] == name {
				return condition["message"].(string)
			}
		}
	}
	return ""
}
