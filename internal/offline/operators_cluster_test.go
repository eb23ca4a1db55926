package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// withPublicSubnet adds the public subnet and the zone that the cluster's own operators need.
func (h *hosted) withPublicSubnet() props.Map {
	h.t.Helper()
	h.ids["gateway"] = h.aws.gateway(h.ids["vpc"])
	h.ids["public"] = h.aws.id(awstype.Subnet, props.Map{"vpcId": h.ids["vpc"], "cidrBlock": "10.0.0.0/20",
		"availabilityZone": "us-east-1a",
		"tags":             map[string]any{"kubernetes.io/role/elb": "1"}})
	h.ids["private zone"] = h.aws.id(awstype.HostedZone, props.Map{"name": "demo.example.com", "forceDestroy": true,
		"vpcs": []any{map[string]any{"vpcId": h.ids["vpc"]}}})
	inputs := h.hostedCluster("Public")
	for _, role := range []string{"kubeCloudControllerARN", "ingressARN", "imageRegistryARN"} {
		h.ids[role] = h.aws.id(awstype.Role, props.Map{
			"name":             role,
			"assumeRolePolicy": trustOf(h.ids["oidc"], hypershift.ServiceAccounts()[role]),
		})
		h.ids[role+"-policy"] = h.aws.id(awstype.RolePolicy, props.Map{"name": role, "role": role, "policy": `{"Statement":[{"Effect":"Allow",` +
			`"Action":["ec2:*","elasticloadbalancing:*","route53:ChangeResourceRecordSets","s3:*"],"Resource":"*"}]}`})
		put(inputs, "arn:aws:iam::123456789012:role/"+role, "spec", "platform", "aws", "rolesRef", role)
	}
	return put(inputs, h.ids["private zone"], "spec", "dns", "privateZoneID")
}

func TestResourcesOfTheHostedClusterAreDeletedWithIt(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.withPublicSubnet()
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	made := h.made()
	require.Len(t, made, 5)
	require.Contains(t, made, awstype.Record+" *.apps.demo.example.com")
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
	require.Empty(t, h.made())
}

func TestResourcesOfTheHostedClusterStayWithoutTheAnnotation(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.withPublicSubnet()
	delete(inputs.Object("metadata").Object("annotations"), "hypershift.openshift.io/cleanup-cloud-resources")
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
	require.Len(t, h.made(), 5)
}

func TestAnIngressOperatorWaitsForAMissingZone(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.withPublicSubnet()
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	require.NoError(t, h.aws.delete(awstype.HostedZone, h.ids["private zone"]))
	require.ErrorContains(t, h.gone(kubernetes.HostedClusterToken, inputs), "timed out waiting for the condition")
	require.Equal(t, "False RemainingCloudResources: Remaining resources: ingress-controllers: NoSuchHostedZone: No hosted zone found with ID: "+
		h.ids["private zone"], h.says("HostedCluster", "demo", "CloudResourcesDestroyed"))
}

func TestARoutersLoadBalancerKeepsItsRoleItsSubnetAndTheGateway(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.withPublicSubnet()
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	refused(t, h.aws.delete(awstype.InternetGateway, h.ids["gateway"]), "DependencyViolation")
	refused(t, h.aws.delete(awstype.Subnet, h.ids["public"]), "DependencyViolation")
	require.NoError(t, h.aws.delete(awstype.RolePolicy, h.ids["kubeCloudControllerARN-policy"]))
	require.NoError(t, h.aws.delete(awstype.Role, h.ids["kubeCloudControllerARN"]))
	require.ErrorContains(t, h.gone(kubernetes.HostedClusterToken, inputs), "timed out waiting for the condition")
	require.Equal(t, "False RemainingCloudResources: Remaining resources: loadbalancers: AccessDenied: "+
		"Not authorized to perform sts:AssumeRoleWithWebIdentity", h.says("HostedCluster", "demo", "CloudResourcesDestroyed"))
}

func TestOperatorsTakeOverTheStacksResources(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	tags := map[string]any{"kubernetes.io/cluster/demo-x1": "owned", "Name": "demo-x1-vpce-private-router"}
	group := h.aws.id(awstype.SecurityGroup, props.Map{
		"name":  "demo-x1-vpce-private-router",
		"vpcId": h.ids["vpc"],
		"tags":  tags,
	})
	inputs := h.hostedCluster("Private")
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	require.NotContains(t, h.made(), awstype.SecurityGroup+" demo-x1-vpce-private-router")
	refused(t, h.aws.delete(awstype.SecurityGroup, group), "DependencyViolation")
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
	found, _, _ := h.aws.read(awstype.SecurityGroup, group, nil)
	require.Empty(t, found, "it is found by its tags, and taken away")
}
