package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

const hostedIssuer = "https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"

// hosted is an account with all that a hosted cluster's operators need, and a cluster with what its objects refer to.
type hosted struct {
	t               *testing.T
	dir             string
	aws, kubernetes *engine
	// ids are those of the account's resources by a word for each: "vpc", "subnet", "oidc", "zone".
	ids     map[string]string
	cluster *kubernetes.Cluster
}

func newHosted(t *testing.T) *hosted {
	t.Helper()
	dir := t.TempDir()
	server := serve(t, Options{Dir: dir})
	h := &hosted{t: t, dir: dir, ids: map[string]string{}, aws: attach(t, server, props.Map{"region": "us-east-1"}),
		kubernetes: attachTo(t, server, "kubernetes", props.Map{})}
	h.ids["vpc"] = h.aws.vpc()
	h.ids["subnet"] = h.aws.subnet(h.ids["vpc"], "10.0.128.0/20", "us-east-1a")
	h.ids["oidc"] = h.aws.id(awstype.OIDCProvider, props.Map{
		"url":           hostedIssuer,
		"clientIdLists": props.List("openshift", "sts.amazonaws.com"),
	})
	h.ids["zone"] = h.aws.id(awstype.HostedZone, props.Map{"name": "demo.hypershift.local", "forceDestroy": true,
		"vpcs": []any{map[string]any{"vpcId": h.ids["vpc"]}}})
	for name, role := range map[string]string{
		"control-plane-operator": "controlPlaneOperatorARN",
		"node-pool":              "nodePoolManagementARN",
	} {
		account := hypershift.ServiceAccounts()[role]
		h.ids[name] = h.aws.id(awstype.Role, props.Map{
			"name":             "demo-x1-" + name,
			"assumeRolePolicy": trustOf(h.ids["oidc"], account),
		})
		h.ids[name+"-policy"] = h.aws.id(awstype.RolePolicy, props.Map{"name": name, "role": h.ids[name],
			"policy": `{"Statement":[{"Effect":"Allow","Action":["ec2:*","route53:Change*"],"Resource":"*"}]}`})
	}
	h.aws.role("demo-x1-worker-role")
	h.aws.id(awstype.InstanceProfile, props.Map{"name": "demo-x1-worker", "role": "demo-x1-worker-role"})
	h.kubernetes.id(kubernetes.NamespaceToken, props.Map{"metadata": map[string]any{"name": "clusters"}})
	h.kubernetes.id(secretToken, inNamespace("clusters", "demo-pull-secret", props.Map{
		"stringData": map[string]any{".dockerconfigjson": "{}"},
	}))
	clusters, err := Clusters(dir)
	require.NoError(t, err)
	require.Len(t, clusters, 1)
	h.cluster = clusters[0]
	t.Cleanup(func() { require.NoError(t, h.cluster.Close()) })
	return h
}

func trustOf(provider, account string) string {
	return fmt.Sprintf(`{"Statement":[{"Effect":"Allow","Principal":{"Federated":%q},"Action":"sts:AssumeRoleWithWebIdentity",`+
		`"Condition":{"StringEquals":{"demo-oidc.s3.us-east-1.amazonaws.com/demo-x1:sub":["system:serviceaccount:%s"]}}}]}`, provider, account)
}

// way adds a route from the subnet to the internet.
func (h *hosted) way() {
	h.t.Helper()
	gateway := h.aws.gateway(h.ids["vpc"])
	table := h.aws.id(awstype.RouteTable, props.Map{
		"vpcId":  h.ids["vpc"],
		"routes": []any{map[string]any{"cidrBlock": "0.0.0.0/0", "gatewayId": gateway}},
	})
	h.aws.id(awstype.RouteTableAssociation, props.Map{"routeTableId": table, "subnetId": h.ids["subnet"]})
}

// hostedCluster returns the inputs of a HostedCluster in the account.
func (h *hosted) hostedCluster(access string) props.Map {
	h.t.Helper()
	role := func(name string) string { return "arn:aws:iam::123456789012:role/demo-x1-" + name }
	text, err := json.Marshal(map[string]any{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
		"metadata": map[string]any{"name": "demo", "namespace": "clusters", "annotations": map[string]any{
			"hypershift.openshift.io/cleanup-cloud-resources": "true", "pulumi.com/patchFieldManager": "hypershift-aws"}},
		"spec": map[string]any{
			"infraID": "demo-x1", "issuerURL": hostedIssuer, "controllerAvailabilityPolicy": "SingleReplica",
			"dns": map[string]any{"baseDomain": "example.com"},
			"etcd": map[string]any{"managementType": "Managed",
				"managed": map[string]any{"storage": map[string]any{"type": "PersistentVolume",
					"persistentVolume": map[string]any{"size": "8Gi"}}}},
			"networking": map[string]any{
				"clusterNetwork": []any{map[string]any{"cidr": "10.132.0.0/14"}},
				"machineNetwork": []any{map[string]any{"cidr": "10.0.0.0/16"}},
				"serviceNetwork": []any{map[string]any{"cidr": "172.31.0.0/16"}}, "networkType": "OVNKubernetes"},
			"platform": map[string]any{"type": "AWS", "aws": map[string]any{
				"region": "us-east-1", "endpointAccess": access,
				"resourceTags": []any{map[string]any{
					"key":   "team",
					"value": "platform",
				}, map[string]any{"key": "kubernetes.io/cluster/demo-x1", "value": "owned"}},
				"cloudProviderConfig": map[string]any{
					"vpc":    h.ids["vpc"],
					"zone":   "us-east-1a",
					"subnet": map[string]any{"id": h.ids["subnet"]},
				},
				"rolesRef": map[string]any{
					"controlPlaneOperatorARN": role("control-plane-operator"), "nodePoolManagementARN": role("node-pool"),
					"imageRegistryARN": role("a"), "ingressARN": role("b"), "kubeCloudControllerARN": role("c"),
					"networkARN": role("d"),
					"storageARN": role("e")}}},
			"pullSecret": map[string]any{"name": "demo-pull-secret"}, "sshKey": map[string]any{"name": ""},
			"release": map[string]any{"image": "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"},
			"services": []any{
				map[string]any{"service": "APIServer", "servicePublishingStrategy": map[string]any{"type": "LoadBalancer"}},
				map[string]any{"service": "OAuthServer", "servicePublishingStrategy": map[string]any{"type": "Route"}},
				map[string]any{"service": "Konnectivity", "servicePublishingStrategy": map[string]any{"type": "Route"}},
				map[string]any{"service": "Ignition", "servicePublishingStrategy": map[string]any{"type": "Route"}}},
		},
	})
	require.NoError(h.t, err)
	var inputs props.Map
	require.NoError(h.t, json.Unmarshal(text, &inputs))
	return inputs
}

// nodePool returns the inputs of a NodePool of the cluster.
func (h *hosted) nodePool(replicas float64) props.Map {
	return props.Map{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": map[string]any{"name": "demo-us-east-1a", "namespace": "clusters"},
		"spec": map[string]any{
			"clusterName": "demo", "replicas": replicas, "arch": "amd64",
			"management": map[string]any{"autoRepair": true, "upgradeType": "Replace"},
			"release":    map[string]any{"image": "quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64"},
			"platform": map[string]any{"type": "AWS", "aws": map[string]any{
				"instanceType": "m5.large", "instanceProfile": "demo-x1-worker", "subnet": map[string]any{"id": h.ids["subnet"]},
				"rootVolume": map[string]any{"size": 120.0, "type": "gp3"}}},
		},
	}
}

// object returns one of the cluster's as it is now.
func (h *hosted) object(kind, name string) props.Map {
	h.t.Helper()
	object, err := h.cluster.Get(kind, "clusters", name)
	require.NoError(h.t, err)
	return object
}

// says returns what a condition of an object says: "True AsExpected: All is well".
func (h *hosted) says(kind, name, condition string) string {
	h.t.Helper()
	c := kubernetes.ConditionsOf(h.object(kind, name)).Find(condition)
	return c.String("status") + " " + c.String("reason") + ": " + c.String("message")
}

// made returns the names of what the operators have made in the account.
func (h *hosted) made() []string {
	h.t.Helper()
	accounts, err := Accounts(h.dir)
	require.NoError(h.t, err)
	names := []string{}
	for _, account := range accounts {
		for _, r := range account.Resources() {
			if r.Operator {
				p := props.Map(r.Properties)
				names = append(names, r.Type+" "+cmp.Or(p.Object("tags").String("Name"),
					cmp.Or(p.String("fqdn"), p.Object("tags").String("AWSEndpointService"))))
			}
		}
	}
	return names
}

// gone deletes one of the cluster's objects and waits for it, as the engine does.
func (h *hosted) gone(token string, inputs props.Map) error {
	h.t.Helper()
	given, err := props.Marshal(inputs)
	require.NoError(h.t, err)
	_, err = h.kubernetes.client.Delete(h.t.Context(), &pulumirpc.DeleteRequest{Type: token, Name: "it",
		Id:        kubernetes.ObjectKinds()[token].ID(inputs),
		OldInputs: given, Properties: given})
	return err
}
