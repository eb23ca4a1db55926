package offline

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

func TestAHostedClusterIsCreatedChangedAndDeletedWithItsOperatorsResources(t *testing.T) {
	t.Parallel()
	for access, want := range map[string][]string{
		"Public": {awstype.SecurityGroup + " demo-x1-default-sg"},
		"PublicAndPrivate": {
			awstype.Record + " *.apps.demo.hypershift.local", awstype.Record + " api.demo.hypershift.local",
			awstype.SecurityGroup + " demo-x1-default-sg", awstype.SecurityGroup + " demo-x1-vpce-kube-apiserver-private",
			awstype.SecurityGroup + " demo-x1-vpce-private-router", awstype.VPCEndpoint + " kube-apiserver-private",
			awstype.VPCEndpoint + " private-router",
			awstype.VPCEndpointService + " ", awstype.VPCEndpointService + " ",
		},
	} {
		t.Run(access, func(t *testing.T) {
			t.Parallel()
			h := newHosted(t)
			inputs := h.hostedCluster(access)
			id, made := h.kubernetes.create(kubernetes.HostedClusterToken, inputs)
			require.Equal(t, "clusters/demo", id)
			require.Equal(t, "hypershift-aws", made[kubernetes.ManagerKey])
			for _, condition := range []string{"Available", "ValidAWSIdentityProvider", "AWSDefaultSecurityGroupCreated"} {
				require.True(t, kubernetes.ConditionsOf(h.object("HostedCluster", "demo")).Is(condition), condition)
			}
			require.ElementsMatch(t, want, h.made())
			requireValid(t, h.object("HostedCluster", "demo"))

			kubeconfig, err := base64.StdEncoding.DecodeString(h.object("Secret",
				"demo-admin-kubeconfig").Object("data").String("kubeconfig"))
			require.NoError(t, err)
			require.Contains(t, string(kubeconfig), "server: https://")
			require.NotEmpty(t, h.object("Secret", "demo-kubeadmin-password").Object("data").String("password"))

			require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
			require.Empty(t, h.made())
			require.Nil(t, h.object("HostedCluster", "demo"))
			require.Nil(t, h.object("Secret", "demo-admin-kubeconfig"), "it is deleted with its owner")
			require.NoError(t, h.aws.delete(awstype.Subnet, h.ids["subnet"]))
			require.NoError(t, h.aws.delete(awstype.VPC, h.ids["vpc"]))
		})
	}
}

// requireValid validates an object with its status against its definition.
func requireValid(t *testing.T, object props.Map) {
	t.Helper()
	o, err := kubernetes.ToUnstructured(object)
	require.NoError(t, err)
	require.Empty(t, crd.Set.Check(o.Object, nil))
}

func TestNodesJoinOnlyWithEgress(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(kubernetes.NodePoolToken, h.nodePool(2))
	require.Empty(t, h.object("NodePool", "demo-us-east-1a").Object("status"), "there is no cluster yet")
	h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Public"))
	require.Zero(t, h.object("NodePool", "demo-us-east-1a").Object("status").Number("replicas"))
	require.Equal(t, "False ignitionNotReached: ", h.says("NodePool", "demo-us-east-1a", "ReachedIgnitionEndpoint"))
	require.Equal(t, "Partial", h.object("HostedCluster",
		"demo").Object("status").Object("version").Objects("history")[0].String("state"))

	h.way()
	pool := h.object("NodePool", "demo-us-east-1a")
	require.Equal(t, 2.0, pool.Object("status").Number("replicas"))
	require.Equal(t, "True AsExpected: All is well", h.says("NodePool", "demo-us-east-1a", "AllNodesHealthy"))
	requireValid(t, pool)
	cluster := h.object("HostedCluster", "demo")
	require.Equal(t, "Completed", cluster.Object("status").Object("version").Objects("history")[0].String("state"))
	require.Equal(t, "4.19.0", cluster.Object("status").Object("version").Objects("history")[0].String("version"))
	requireValid(t, cluster)

	_, err := h.kubernetes.update(kubernetes.NodePoolToken, "clusters/demo-us-east-1a", h.nodePool(2), h.nodePool(3))
	require.NoError(t, err)
	require.Equal(t, 3.0, h.object("NodePool", "demo-us-east-1a").Object("status").Number("replicas"))
	require.Len(t, h.made(), 1+3)

	require.NoError(t, h.gone(kubernetes.HostedClusterToken, h.hostedCluster("Public")), "its NodePools go with it")
	require.Nil(t, h.object("NodePool", "demo-us-east-1a"))
	require.Empty(t, h.made())
}

func TestACleanUpThatAWSRefusesKeepsTheObjectsAndReportsWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token, id string
		want      string
		code      string
	}{
		"the role does not exist": {awstype.Role, "control-plane-operator", "Unknown AWSError: AccessDenied",
			"AccessDenied"},
		"the OIDC provider does not exist": {awstype.OIDCProvider, "oidc", "Unknown AWSError: InvalidIdentityToken",
			"InvalidIdentityToken"},
		"the role may nothing": {awstype.RolePolicy, "control-plane-operator-policy",
			"Unknown AWSError: UnauthorizedOperation", "UnauthorizedOperation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHosted(t)
			inputs := h.hostedCluster("Public")
			h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
			if c.token == awstype.Role {
				require.NoError(t, h.aws.delete(awstype.RolePolicy, h.ids[c.id+"-policy"]))
			}
			require.NoError(t, h.aws.delete(c.token, h.ids[c.id]))

			require.ErrorContains(t, h.gone(kubernetes.HostedClusterToken, inputs), "timed out waiting for the condition")
			require.Equal(t, c.want, h.says("HostedCluster", "demo", "ValidAWSIdentityProvider"))
			require.Contains(t, h.says("HostedCluster", "demo", "CloudResourcesDestroyed"),
				"Invalid AWS identity provider: "+c.code+": ")
			require.Equal(t, []any{hypershift.Finalizer, "hypershift.io/aws-oidc-discovery"},
				h.object("HostedCluster", "demo").Object("metadata")["finalizers"])
			require.NoError(t, h.aws.delete(awstype.Subnet, h.ids["subnet"]))
			refused(t, h.aws.delete(awstype.VPC, h.ids["vpc"]), "DependencyViolation")
		})
	}
}

func TestNodesThatCannotBeTerminatedHoldTheirPoolAndItsCluster(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.way()
	h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Public"))
	h.kubernetes.id(kubernetes.NodePoolToken, h.nodePool(1))
	refused(t, h.aws.delete(awstype.Subnet, h.ids["subnet"]), "DependencyViolation")
	require.NoError(t, h.aws.delete(awstype.RolePolicy, h.ids["node-pool-policy"]))
	require.ErrorContains(t, h.gone(kubernetes.NodePoolToken, h.nodePool(1)), "timed out waiting for the condition")
	require.Contains(t, h.says("NodePool", "demo-us-east-1a", "AllMachinesReady"),
		"not authorized to perform: ec2:TerminateInstances")
}

func TestResourcesThatOperatorsCannotDeleteAreLeftWhenTheirPatienceEnds(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.hostedCluster("Public")
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	require.NoError(t, h.aws.delete(awstype.OIDCProvider, h.ids["oidc"]))
	require.NoError(t, h.cluster.SetOperators(faults.Operators{Patience: 600}))
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
	require.Equal(t, []string{awstype.SecurityGroup + " demo-x1-default-sg"}, h.made())
}

func TestWithoutTheAnnotationTheSecurityGroupStays(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.hostedCluster("PublicAndPrivate")
	delete(inputs.Object("metadata").Object("annotations"), "hypershift.openshift.io/cleanup-cloud-resources")
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
	require.Equal(t, []string{awstype.SecurityGroup + " demo-x1-default-sg"}, h.made())
}

func TestKilledOperatorsLeaveTheirResources(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.hostedCluster("PublicAndPrivate")
	h.kubernetes.id(kubernetes.NodePoolToken, h.nodePool(0)) // whose subnet the endpoints are in
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	made := h.made()
	require.NoError(t, h.cluster.SetOperators(faults.Operators{Killed: true}))
	require.ErrorContains(t, h.gone(kubernetes.HostedClusterToken, inputs), "timed out waiting for the condition")

	require.NoError(t, h.cluster.Edit("HostedCluster", "clusters", "demo", "somebody", func(object map[string]any) {
		delete(props.Map(object).Object("metadata"), "finalizers")
	}))
	require.Nil(t, h.object("HostedCluster", "demo"))
	require.Equal(t, made, h.made())
	refused(t, h.aws.delete(awstype.Subnet, h.ids["subnet"]), "DependencyViolation")
	refused(t, h.aws.delete(awstype.VPC, h.ids["vpc"]), "DependencyViolation")
}

func TestKilledOperatorsBringNothingUp(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	require.NoError(t, h.cluster.SetOperators(faults.Operators{Killed: true}))
	h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Public"))
	require.Empty(t, h.object("HostedCluster", "demo").Object("status"))
	require.Empty(t, h.made())
	require.NoError(t, h.cluster.SetOperators(faults.Operators{}))
	require.Equal(t, "True AsExpected: The hosted control plane is available",
		h.says("HostedCluster", "demo", "Available"))
}

func TestAHostedClusterTakesItsTime(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	require.NoError(t, h.cluster.SetOperators(faults.Operators{Scale: 1}))
	h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Public"))
	require.Equal(t, "True AsExpected: OIDC configuration is valid",
		h.says("HostedCluster", "demo", "ValidOIDCConfiguration"))
	require.Equal(t, "False WaitingForAvailable: Waiting for hosted control plane to be healthy",
		h.says("HostedCluster", "demo", "Available"))
	require.NoError(t, h.cluster.SetOperators(faults.Operators{}))
	require.Equal(t, "True AsExpected: The hosted control plane is available",
		h.says("HostedCluster", "demo", "Available"))
}

func TestAReleaseThatIsNotFoundOrNotSupportedStartsNoControlPlane(t *testing.T) {
	t.Parallel()
	for image, valid := range map[string]bool{
		"nonsense": false, "4.22.5": false, "quay.io/openshift-release-dev/ocp-release:4.13.0-x86_64": false,
		"quay.io/openshift-release-dev/ocp-release:5.2.0-x86_64": false,
		"quay.io/openshift-release-dev/ocp-release:5.1.0-x86_64": true,
		"quay.io/openshift-release-dev/ocp-release@sha256:0a":    true,
	} {
		h := newHosted(t)
		cluster, pool := h.hostedCluster("Public"), h.nodePool(1)
		cluster.Object("spec").Object("release")["image"], pool.Object("spec").Object("release")["image"] = image, image
		h.kubernetes.id(kubernetes.HostedClusterToken, cluster)
		h.kubernetes.id(kubernetes.NodePoolToken, pool)
		for kind, name := range map[string]string{"HostedCluster": "demo", "NodePool": "demo-us-east-1a"} {
			require.Equal(t, valid, kubernetes.ConditionsOf(h.object(kind, name)).Is("ValidReleaseImage"), "%s of %s", kind,
				image)
		}
		require.Equal(t, valid, kubernetes.ConditionsOf(h.object("HostedCluster", "demo")).Is("Available"), image)
	}
}

func TestAHostedClusterWaitsForWhatItRefersTo(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := h.hostedCluster("Public")
	inputs.Object("spec")["pullSecret"] = map[string]any{"name": "other"}
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	require.Equal(t, `False InvalidConfiguration: Secret "other" not found`, h.says("HostedCluster", "demo", "ValidConfiguration"))
	h.kubernetes.id(secretToken, inNamespace("clusters", "other", nil))
	require.True(t, kubernetes.ConditionsOf(h.object("HostedCluster", "demo")).Is("Available"))
}

func TestAnIssuersDocumentsAreWrittenToTheInstalledBucketAndDeleted(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.kubernetes.id(configMapToken, inNamespace("kube-public", "oidc-storage-provider-s3-config", props.Map{
		"data": map[string]any{"name": "demo-oidc"},
	}))
	inputs := h.hostedCluster("Public")
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	require.Contains(t, h.says("HostedCluster", "demo", "ValidOIDCConfiguration"),
		"False OIDCConfigurationInvalid: NoSuchBucket")
	bucket := h.aws.id(awstype.Bucket, props.Map{"bucket": "demo-oidc"})
	require.True(t, kubernetes.ConditionsOf(h.object("HostedCluster", "demo")).Is("Available"))
	refused(t, h.aws.delete(awstype.Bucket, bucket), "BucketNotEmpty")
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
	require.NoError(t, h.aws.delete(awstype.Bucket, bucket))
}

// The operator creates the endpoint service where it was installed: an endpoint in another region cannot connect to it.
func TestAnEndpointServiceIsInTheRegionOfTheOperator(t *testing.T) {
	t.Parallel()
	for name, installed := range map[string]func(*hosted){
		"its Deployment": func(h *hosted) {
			h.kubernetes.id(kubernetes.NamespaceToken, props.Map{"metadata": map[string]any{"name": "hypershift"}})
			h.kubernetes.id("kubernetes:apps/v1:Deployment", inNamespace("hypershift", "operator", props.Map{
				"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
					"name": "operator", "env": []any{map[string]any{"name": "AWS_REGION", "value": "us-west-2"}},
				}}}}},
			}))
		},
		"its bucket": func(h *hosted) {
			west := attach(h.t, serve(h.t, Options{Dir: h.dir}), props.Map{"region": "us-west-2"})
			west.id(awstype.Bucket, props.Map{"bucket": "demo-oidc"})
		},
	} {
		h := newHosted(t)
		h.way()
		installed(h)
		h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Private"))
		h.kubernetes.id(kubernetes.NodePoolToken, h.nodePool(2))
		require.Contains(t, h.says("HostedCluster", "demo", "AWSEndpointAvailable"), "False AWSError: InvalidServiceName",
			name)
		require.Zero(t, h.object("NodePool", "demo-us-east-1a").Object("status").Number("replicas"), name)
	}
}

func TestInASharedVPCTheOperatorsOnlySayWhatWouldBeInIt(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	inputs := put(h.hostedCluster("PublicAndPrivate"), map[string]any{"localZoneID": "Z1", "rolesRef": map[string]any{
		"controlPlaneARN": "arn:aws:iam::210987654321:role/a", "ingressARN": "arn:aws:iam::210987654321:role/b"}},
		"spec", "platform", "aws", "sharedVPC")
	h.kubernetes.id(kubernetes.HostedClusterToken, inputs)
	h.kubernetes.id(kubernetes.NodePoolToken, h.nodePool(2))
	require.Equal(t, 2.0, h.object("NodePool", "demo-us-east-1a").Object("status").Number("replicas"))
	require.True(t, kubernetes.ConditionsOf(h.object("HostedCluster", "demo")).Is("AWSEndpointAvailable"))
	require.Empty(t, h.made())
	require.NoError(t, h.gone(kubernetes.HostedClusterToken, inputs))
}

func TestAPoolOfAnotherArchitectureThanTheReleaseGetsNoMachines(t *testing.T) {
	t.Parallel()
	h := newHosted(t)
	h.way()
	h.kubernetes.id(kubernetes.HostedClusterToken, h.hostedCluster("Public"))
	pool := h.nodePool(1)
	pool.Object("spec")["arch"] = "arm64"
	h.kubernetes.id(kubernetes.NodePoolToken, pool)
	require.Contains(t, h.says("NodePool", "demo-us-east-1a", "ValidArchPlatform"),
		"False InvalidArchPlatform: NodePool CPU arch, arm64, is not supported by the HostedCluster payload type, AMD64")
	require.Zero(t, h.object("NodePool", "demo-us-east-1a").Object("status").Number("replicas"))
}
