package egress

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func cluster(access hypershift.EndpointAccess) *config.Cluster {
	return &config.Cluster{Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
		EndpointAccess: access, HostedCluster: &config.HostedCluster{}}
}

// shown returns the hosts as "name:port", with ! before those that nodes cannot do without.
func shown(hosts []host) []string {
	var list []string
	for _, h := range hosts {
		text := fmt.Sprintf("%s:%d", h.Name, h.Port)
		if h.required {
			text = "!" + text
		}
		list = append(list, text)
	}
	return list
}

func TestTheHostsFollowFromReleaseMirrorsAndAccess(t *testing.T) {
	t.Parallel()
	const ocp = "quay.io/openshift-release-dev/ocp-release@sha256:0"
	mirrors := func(to string) map[string][]string {
		return map[string][]string{"quay.io/openshift-release-dev": {to}}
	}
	for name, test := range map[string]struct {
		needs        needs
		want, absent []string
	}{
		"a release of Red Hat": {needs: needs{releases: config.Releases{Images: []string{ocp}}, region: "us-east-1"},
			want: []string{"!quay.io:443", "!cdn01.quay.io:443", "!cdn06.quay.io:443", "!sts.us-east-1.amazonaws.com:443",
				"!s3.us-east-1.amazonaws.com:443", "ec2.us-east-1.amazonaws.com:443", "registry.redhat.io:443",
				"!HyperShift's host for api:6443", "!HyperShift's host for ignition:443"}},
		"names of external-dns": {needs: needs{domain: "hc.example.org", region: "us-east-1"}, want: []string{
			"!api-demo.hc.example.org:443", "!ignition-demo.hc.example.org:443", "!konnectivity-demo.hc.example.org:443",
			"oauth-demo.hc.example.org:443"}},
		"a mirror in ECR of the region": {needs: needs{region: "eu-west-1", releases: config.Releases{Images: []string{ocp},
			Mirrors: mirrors("123456789012.dkr.ecr.eu-west-1.amazonaws.com/ocp")}},
			want: []string{"quay.io:443", "!123456789012.dkr.ecr.eu-west-1.amazonaws.com:443",
				"!api.ecr.eu-west-1.amazonaws.com:443", "!prod-eu-west-1-starport-layer-bucket.s3.eu-west-1.amazonaws.com:443"},
			absent: []string{"!quay.io:443", "!cdn01.quay.io:443"}},
		"a mirror of the release's repository alone": {needs: needs{region: "eu-west-1", releases: config.Releases{
			Images:  []string{ocp},
			Mirrors: map[string][]string{"quay.io/openshift-release-dev/ocp-release": {"mirror.corp.example.org:5000/ocp"}}}},
			want: []string{"!mirror.corp.example.org:5000", "!quay.io:443", "!cdn01.quay.io:443"}},
		"a release elsewhere": {needs: needs{region: "eu-west-1", releases: config.Releases{
			Images: []string{"registry.ci.openshift.org/ocp/release:4.21"}}},
			want: []string{"!registry.ci.openshift.org:443", "quay.io:443"}, absent: []string{"!quay.io:443"}},
		"China": {needs: needs{region: "cn-north-1"}, want: []string{"!sts.cn-north-1.amazonaws.com.cn:443"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.needs.cluster = cluster(hypershift.Public)
			got := shown(test.needs.hosts())
			require.Subset(t, got, test.want)
			for _, absent := range test.absent {
				require.NotContains(t, got, absent)
			}
			require.Equal(t, slices.Compact(slices.Clone(got)), got)
		})
	}
	private := needs{cluster: cluster(hypershift.Private), region: "us-east-1"}
	private.cluster.HostedCluster.Capabilities = &hostedcluster.Capabilities{Disabled: []string{"ImageRegistry"}}
	got := shown(private.hosts())
	require.Contains(t, got, "!*.apps.demo.hypershift.local:443")
	require.NotContains(t, got, "!s3.us-east-1.amazonaws.com:443")
}

// judgmentIn returns the judgment of a cluster in a VPC with one subnet, a route table, and what else it has.
func judgmentIn(c *config.Cluster, more ...props.Resource) judgment {
	resources := append([]props.Resource{
		{Type: awstype.VPC, ID: "vpc-1", Map: props.Map{"cidrBlock": "10.0.0.0/16"}},
		{Type: awstype.Subnet, ID: "subnet-1", Map: props.Map{"cidrBlock": "10.0.0.0/20", "availabilityZone": "a"}},
		{Type: awstype.RouteTable, ID: "rtb-1"},
		{Type: awstype.RouteTableAssociation, ID: "a", Map: props.Map{"subnetId": "subnet-1", "routeTableId": "rtb-1"}},
	}, more...)
	return judgment{graph: connectivity.NewGraph(resources), needs: needs{cluster: c, region: "us-east-1"},
		expected: config.ClusterPaths{VPCID: "vpc-1", NodeSubnets: map[string]string{"a": "subnet-1"}},
		proxy:    proxyOf(c, "us-east-1")}
}

// of returns the finding about a host.
func of(t *testing.T, j judgment, name string) finding.Finding {
	t.Helper()
	for _, h := range j.needs.hosts() {
		if h.Name == name {
			v, resource := j.judge(h, j.nodes()[0])
			return finding.Finding{Severity: v.severity, Problem: v.problem([]string{resource}), Remedy: v.remedy}
		}
	}
	require.Fail(t, "no host "+name)
	return finding.Finding{}
}

func endpoint(service string, private bool) props.Resource {
	return props.Resource{Type: awstype.VPCEndpoint, ID: "vpce-" + service, Map: props.Map{"vpcId": "vpc-1",
		"vpcEndpointType": "Interface", "serviceName": "com.amazonaws.us-east-1." + service, "privateDnsEnabled": private}}
}

func transit(destination string) []props.Resource {
	return []props.Resource{
		{Type: awstype.Route, ID: "r", Name: "corp", Map: props.Map{
			"routeTableId": "rtb-1", "destinationCidrBlock": destination, "transitGatewayId": "tgw-1"}},
		{Type: awstype.TransitGatewayAttachment, ID: "tgw-attach-1", Map: props.Map{
			"transitGatewayId": "tgw-1", "vpcId": "vpc-1"}},
	}
}

func TestNodesBehindAProxyAreJudgedByNoProxyAndTheWayToIt(t *testing.T) {
	t.Parallel()
	behind := func(noProxy ...string) *config.Cluster {
		c := cluster(hypershift.Private)
		c.Network.Proxy = &network.Proxy{HTTPAddress: pulumi.String("http://192.168.7.7:3128"), NoProxy: noProxy}
		c.HostedCluster.Release = "quay.io/openshift-release-dev/ocp-release@sha256:0"
		return c
	}
	open := of(t, judgmentIn(behind(), transit("192.168.0.0/16")...), "sts.us-east-1.amazonaws.com")
	require.Equal(t, finding.Warning, open.Severity)
	require.Contains(t, open.Problem, "not known: nodes go through the proxy http://192.168.7.7:3128")
	require.Contains(t, open.Problem, "only a probe can tell")

	blocked := of(t, judgmentIn(behind()), "sts.us-east-1.amazonaws.com")
	require.Equal(t, finding.Error, blocked.Severity, "no route leads to the proxy")
	require.Contains(t, blocked.Problem, "the proxy http://192.168.7.7:3128 is blocked at the route table")

	passed := of(t, judgmentIn(behind(), append(transit("192.168.0.0/16"), endpoint("sts", true))...),
		"sts.us-east-1.amazonaws.com")
	require.Contains(t, passed.Problem, "instead of endpoint vpce-sts, because noProxy does not list it")
	require.Equal(t, "add sts.us-east-1.amazonaws.com to network.proxy.noProxy, or let the proxy allow it", passed.Remedy)

	listed := of(t, judgmentIn(behind("sts.us-east-1.amazonaws.com"), transit("192.168.0.0/16")...),
		"sts.us-east-1.amazonaws.com")
	require.Equal(t, finding.Error, listed.Severity)
	require.Contains(t, listed.Problem, "blocked at the route table rtb-1: has no route to 0.0.0.0/0")
	require.Contains(t, listed.Remedy, "take it out of noProxy, or add an endpoint of sts")

	mirrored := judgmentIn(behind(), transit("192.168.0.0/16")...)
	mirrored.needs.releases.Mirrors = map[string][]string{"quay.io/openshift-release-dev": {"mirror.corp.internal/ocp"}}
	internal := of(t, mirrored, "mirror.corp.internal")
	require.Contains(t, internal.Problem, "although the host is internal, because noProxy does not list it")
	require.Equal(t, "add mirror.corp.internal to network.proxy.noProxy, or let the proxy reach it", internal.Remedy)

	own := judgmentIn(behind(), transit("192.168.0.0/16")...)
	require.False(t, own.proxy.uses(connectivity.Host{Name: "api.demo.hypershift.local", Port: 443}))
	require.False(t, own.proxy.uses(connectivity.Host{Name: "10.0.1.2", Port: 443}), "the machine network")
}

// Nobody knows the addresses of a proxy's name here, but the nodes' group may not let anything out to its port.
func TestAProxyByItsNameIsBehindTheNodesGroups(t *testing.T) {
	t.Parallel()
	c := cluster(hypershift.Private)
	c.Network.Proxy = &network.Proxy{HTTPAddress: pulumi.String("http://proxy.example.com:3128")}
	group := props.Resource{Type: awstype.SecurityGroup, ID: "sg-n", Map: props.Map{"vpcId": "vpc-1",
		"name": c.InfraID + "-default-sg"}}
	out := func(port float64) props.Resource {
		return props.Resource{Type: awstype.SecurityGroupEgressRule, ID: "sgr-1", Map: props.Map{"securityGroupId": "sg-n",
			"ipProtocol": "tcp", "fromPort": port, "toPort": port, "cidrIpv4": "0.0.0.0/0"}}
	}
	closed := of(t, judgmentIn(c, group, out(443)), "sts.us-east-1.amazonaws.com")
	require.Equal(t, finding.Error, closed.Severity)
	require.Equal(t, "the proxy http://proxy.example.com:3128 is blocked at the security group sg-n: no outbound rule allows 0.0.0.0/0 on port 3128",
		closed.Problem)
	open := of(t, judgmentIn(c, group, out(3128)), "sts.us-east-1.amazonaws.com")
	require.Contains(t, open.Problem, "not known: nodes go through the proxy http://proxy.example.com:3128")
}

func TestAVerdictSaysWhichEndpointHasNotTheName(t *testing.T) {
	t.Parallel()
	f := of(t, judgmentIn(cluster(hypershift.Private), endpoint("sts", false)), "sts.us-east-1.amazonaws.com")
	require.Equal(t, finding.Error, f.Severity)
	require.Equal(t, "blocked at the route table rtb-1: has no route to 0.0.0.0/0; endpoint vpce-sts has no private DNS, so that "+
		"sts.us-east-1.amazonaws.com has its public addresses", f.Problem)
	optional := of(t, judgmentIn(cluster(hypershift.Private)), "registry.redhat.io")
	require.Equal(t, finding.Warning, optional.Severity, "nodes can do without it")
	through := of(t, judgmentIn(cluster(hypershift.Private), transit("0.0.0.0/0")...), "registry.redhat.io")
	require.Contains(t, through.Problem, "not known: transit gateway tgw-attach-1: tgw-1: its own route tables")
}

// TestTheRemedyFollowsFromTheKindOfWhatDecides: and not from the words that describe it.
func TestTheRemedyFollowsFromTheKindOfWhatDecides(t *testing.T) {
	t.Parallel()
	closed := endpoint("sts", true)
	closed.Map["policy"] = `{"Statement":[{"Action":"s3:*","Effect":"Allow","Principal":"*","Resource":"*"}]}`
	closed.Map["securityGroupIds"] = []any{"sg-e"}
	open := props.Resource{Type: awstype.SecurityGroupIngressRule, ID: "sgr-1", Map: props.Map{"securityGroupId": "sg-e",
		"ipProtocol": "tcp", "fromPort": 443.0, "toPort": 443.0, "cidrIpv4": "10.0.0.0/16"}}
	found := of(t, judgmentIn(cluster(hypershift.Public), closed, open), "sts.us-east-1.amazonaws.com")
	require.Equal(t, "allow it in the endpoint's policy", found.Remedy)
	require.Equal(t, "blocked at the endpoint policy vpce-sts: does not allow sts:AssumeRoleWithWebIdentity", found.Problem)
	shut := of(t, judgmentIn(cluster(hypershift.Public), closed), "sts.us-east-1.amazonaws.com")
	require.Equal(t, "add a rule to the security group", shut.Remedy)
	image := of(t, judgmentIn(cluster(hypershift.Public)), "quay.io")
	require.Equal(t, "add a route to the internet, a proxy, or mirrors in spec.imageContentSources", image.Remedy)
}
