package preflight

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// parts is an account with some resources, by type.
type parts struct {
	fake
	byType              map[string][]inventory.Resource
	support, hostnames  bool
	unreadable, without string
}

func (p parts) Snapshot() account.Account { return p }

func (p parts) VPCAttributes(context.Context, string) (dnsSupport, dnsHostnames bool, err error) {
	return p.support, p.hostnames, nil
}

func (p parts) List(_ context.Context, q account.Query) (found []inventory.Resource, err error) {
	if q.Type == p.unreadable {
		return nil, accessDenied("EC2", "DescribeVpcs")
	}
	for _, r := range p.byType[q.Type] {
		if r.ID != p.without && (len(q.IDs) == 0 || slices.Contains(q.IDs, r.ID)) {
			found = append(found, r)
		}
	}
	return found, nil
}

const (
	givenRole   = "arn:aws:iam::111111111111:role/given"
	givenIssuer = "https://issuer.example.com/demo"
	ec2Trust    = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":{"Service":"ec2.amazonaws.com"}}]}`
	anything    = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`
)

// whole returns a plan with an existing resource of each kind that is compared, and an account in which none differs.
func whole(t *testing.T) (Plan, parts) {
	t.Helper()
	provider := "arn:aws:iam::111111111111:oidc-provider/issuer.example.com/demo"
	trust := iam.TrustPolicy(provider, givenIssuer, iam.RoleStorage).JSON()
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}
	net := network.GuestNetworkArgs{Cluster: cluster, Existing: &network.ExistingVPC{}}
	given := &ExistingParts{Place: here, Cluster: cluster, Network: net.Base(), Parts: []config.Existing{
		{Kind: config.ExistingRole, Name: givenRole, Document: trust},
		{Kind: config.ExistingOIDCProvider, Name: givenIssuer, ClientIDs: iam.ClientIDs()},
		{Kind: config.ExistingInstanceProfile, Name: "nodes"},
		{Kind: config.ExistingVPC, Name: "vpc-1"},
		{Kind: config.ExistingPrivateSubnet, Name: "subnet-1", VPC: "vpc-1", Zone: "us-east-1a"},
		{Kind: config.ExistingPublicSubnet, Name: "subnet-2", VPC: "vpc-1", Zone: "us-east-1a"},
		{Kind: config.ExistingSecurityGroup, Name: "sg-1", VPC: "vpc-1"},
		{Kind: config.ExistingPrivateZone, Name: "Z1", Domain: "demo.example.com", VPC: "vpc-1"},
	}, Roles: []iam.ExistingRole{{
		Name:   iam.RoleStorage,
		ARN:    givenRole,
		Breaks: "volumes cannot be attached",
		Needs:  []iam.Need{{Action: "ec2:AttachVolume", Why: "w", Vital: true}},
	}}}
	route := func(target, id string) map[string]any {
		return map[string]any{"destinationCidrBlock": "0.0.0.0/0", target: id, "state": "active"}
	}
	table := func(id, subnet string, r map[string]any) inventory.Resource {
		return inventory.Resource{
			ID: id,
			Properties: map[string]any{
				"vpcId":        "vpc-1",
				"routes":       []any{r},
				"associations": []any{map[string]any{"subnetId": subnet}},
			},
		}
	}
	subnet := func(id, role string) inventory.Resource {
		return inventory.Resource{ID: id, Tags: map[string]string{"kubernetes.io/role/" + role: "1"},
			Properties: map[string]any{"vpcId": "vpc-1", "availabilityZone": "us-east-1a", "mapPublicIpOnLaunch": false}}
	}
	in := parts{
		fake:    fake{policies: map[string]account.Policies{"given": may(t, anything), "nodes-role": may(t, anything)}},
		support: true, hostnames: true,
		byType: map[string][]inventory.Resource{
			awstype.Role: {{
				ID:         "given",
				Properties: map[string]any{"assumeRolePolicy": trust},
			}, {ID: "nodes-role", Properties: map[string]any{"assumeRolePolicy": ec2Trust}}},
			awstype.OIDCProvider: {{
				ID:         provider,
				Properties: map[string]any{"url": givenIssuer, "clientIdLists": []any{"openshift", "sts.amazonaws.com"}},
			}},
			awstype.InstanceProfile: {{ID: "nodes", Properties: map[string]any{"role": "nodes-role"}}},
			awstype.VPC: {{
				ID:         "vpc-1",
				Properties: map[string]any{"cidrBlock": "10.0.0.0/16", "instanceTenancy": "default", "dhcpOptionsId": "dopt-1"},
			}},
			awstype.DHCPOptions: {{
				ID:         "dopt-1",
				Properties: map[string]any{"domainNameServers": []any{"AmazonProvidedDNS"}, "domainName": "ec2.internal"},
			}},
			awstype.VPCEndpoint: {{ID: "vpce-1", Properties: map[string]any{"serviceName": "com.amazonaws.us-east-1.s3"}}},
			awstype.Subnet:      {subnet("subnet-1", "internal-elb"), subnet("subnet-2", "elb")},
			awstype.RouteTable: {table("rtb-1", "subnet-1",
				route("natGatewayId", "nat-1")), table("rtb-2", "subnet-2", route("gatewayId", "igw-1"))},
			awstype.SecurityGroup: {{ID: "sg-1", Properties: map[string]any{"vpcId": "vpc-1"}, Tags: map[string]string{}}},
			awstype.HostedZone: {
				{
					ID: "Z1",
					Properties: map[string]any{
						"name":    "demo.example.com",
						"private": true,
						"vpcs":    []any{map[string]any{"vpcId": "vpc-1"}},
					},
				},
			},
			awstype.Record: {{
				ID:         "Z1_demo.example.com_SOA",
				Properties: map[string]any{"type": "SOA", "records": []any{"ns host 1 7200 900 1209600 60"}},
			}},
		},
	}
	return Plan{Own: here, Given: given}, in
}

func TestEachKindOfExistingResourceIsComparedOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	compared := comparisons()
	p, _ := whole(t)
	source, err := os.ReadFile("../../../stacks/config/existing.go")
	require.NoError(t, err)
	kinds := regexp.MustCompile(`(?m)^\tExisting\w+ +(?:ExistingKind +)?= "(.*)"$`).FindAllStringSubmatch(string(source), -1)
	require.Len(t, kinds, len(compared))
	for _, kind := range kinds {
		how, known := compared[config.ExistingKind(kind[1])]
		require.True(t, known, kind[1])
		require.NotEqual(t, how.judge == nil, how.because == "", "%s: judge or because", kind[1])
		require.Equal(t, how.judge == nil, how.differences == nil, kind[1])
	}
	for kind, how := range compared {
		require.Equal(t, how.judge != nil, slices.ContainsFunc(p.Given.Parts, func(e config.Existing) bool {
			return e.Kind == kind
		}), "%s", kind)
	}
}

func TestExistingResourcesLikeTheStacksOwnPass(t *testing.T) {
	t.Parallel()
	p, in := whole(t)
	findings := checkExisting(t.Context(), p, Accounts{here: in}, false)
	require.Len(t, findings, len(p.Given.Parts))
	for _, f := range findings {
		require.Equal(t, finding.Passed, f.Severity, f.String())
	}
	require.Len(t, checkExisting(t.Context(), p, Accounts{here: in}, true), 1,
		"of those that pass, commands only report roles")
}

// Each row changes one property of an existing resource, by hand as an owner may, and has the finding that follows.
func TestEachDifferenceOfAnExistingResourceSaysWhatItBreaks(t *testing.T) {
	t.Parallel()
	set := func(token string, i int, key string, value any) func(*Plan, *parts) {
		return func(_ *Plan, in *parts) { in.byType[token][i].Properties[key] = value }
	}
	for name, c := range map[string]struct {
		change  func(*Plan, *parts)
		subject string
		verdict finding.Severity
		message string
		// quick is true if only these comparisons find it, so that up and preview show it.
		quick bool
	}{
		"the provider's audience": {set(awstype.OIDCProvider, 0, "clientIdLists", []any{"sts.amazonaws.com"}),
			"OIDC provider " + givenIssuer, finding.Error,
			`has the provider arn:aws:iam::111111111111:oidc-provider/issuer.example.com/demo without the client ID "openshift", so the control plane's components cannot assume their roles`, false},
		"the SDKs' audience": {set(awstype.OIDCProvider, 0, "clientIdLists", []any{"openshift"}),
			"OIDC provider " + givenIssuer, finding.Warning,
			`has the provider arn:aws:iam::111111111111:oidc-provider/issuer.example.com/demo without the client ID "sts.amazonaws.com", so pods cannot assume roles of their own with the tokens of AWS's SDKs`, true},
		"the SDKs' audience, roles for pods": {func(p *Plan, in *parts) {
			in.byType[awstype.OIDCProvider][0].Properties["clientIdLists"] = []any{"openshift"}
			p.Given.Parts[1].ClientIDs[1].Vital = true
		}, "OIDC provider " + givenIssuer, finding.Error, `has the provider arn:aws:iam::111111111111:oidc-provider/issuer.example.com/demo without the client ID "sts.amazonaws.com", so pods cannot assume roles of their own with the tokens of AWS's SDKs`, true},
		"the provider": {func(_ *Plan, in *parts) { in.byType[awstype.OIDCProvider] = nil }, "OIDC provider " + givenIssuer,
			finding.Error,
			"does not exist, or cannot be read in this account and region", false},
		"the role's trust": {set(awstype.Role, 0, "assumeRolePolicy", ec2Trust), "role given (storage)", finding.Error,
			"does not trust the tokens of https://issuer.example.com/demo for system:serviceaccount:openshift-cluster-csi-drivers:aws-ebs-csi-driver-controller-sa", false},
		"the role's policy": {func(_ *Plan, in *parts) {
			in.policies = map[string]account.Policies{"given": {}, "nodes-role": may(t, anything)}
		}, "role given (storage)", finding.Error,
			"lacks ec2:AttachVolume: w; without it volumes cannot be attached", true},
		"the profile's role": {set(awstype.InstanceProfile, 0, "role",
			""), "instance profile nodes", finding.Error, "has no role, so machines start without credentials", false},
		"the profile's trust": {set(awstype.Role, 1, "assumeRolePolicy", strings.Replace(ec2Trust, "ec2", "lambda", 1)),
			"instance profile nodes", finding.Error,
			"has the role nodes-role, which EC2 may not assume", false},
		"the profile's policy": {func(_ *Plan, in *parts) {
			in.policies = map[string]account.Policies{"given": may(t, anything), "nodes-role": may(t, `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"ec2:DescribeRegions","Resource":"*"}]}`)}
		}, "instance profile nodes", finding.Warning, "has the role nodes-role, which lacks ec2:DescribeInstances: what looks up instances with the credentials of nodes fails", true},
		"DNS support": {func(_ *Plan, in *parts) { in.support = false }, "VPC vpc-1", finding.Error,
			"has enableDnsSupport turned off, so nodes cannot resolve names in private zones", false},
		"DNS hostnames": {func(_ *Plan, in *parts) { in.hostnames = false }, "VPC vpc-1", finding.Error,
			"has enableDnsHostnames turned off, so nodes cannot resolve names in private zones", false},
		"DNS servers": {set(awstype.DHCPOptions, 0, "domainNameServers", []any{"10.0.0.53"}), "VPC vpc-1", finding.Error,
			"is the VPC's DHCP options set, with the DNS servers 10.0.0.53, which do not resolve names in private zones", false},
		"tenancy": {set(awstype.VPC, 0, "instanceTenancy", "dedicated"), "VPC vpc-1", finding.Warning,
			"has the tenancy dedicated: each machine runs on hardware of its own, which costs more", true},
		"S3": {func(_ *Plan, in *parts) { in.byType[awstype.VPCEndpoint] = nil }, "VPC vpc-1", finding.Warning,
			"has no endpoint for S3: the NAT gateway or firewall charges by the gigabyte for image layers and what the registry stores", true},
		"the VPC": {func(_ *Plan, in *parts) {
			in.without = "vpc-1"
		}, "VPC vpc-1", finding.Error, "does not exist, or cannot be read in this account and region", false},
		"another VPC": {set(awstype.Subnet, 0, "vpcId",
			"vpc-2"), "private subnet subnet-1", finding.Error, "is in vpc-2", false},
		"another zone": {set(awstype.Subnet, 1, "availabilityZone", "us-east-1b"), "public subnet subnet-2", finding.Error,
			"is in zone us-east-1b", false},
		"public addresses": {set(awstype.Subnet, 0, "mapPublicIpOnLaunch", true), "private subnet subnet-1", finding.Warning,
			"gives machines public addresses: they cost money, and cannot be used without a route to an internet gateway", true},
		"no way out": {set(awstype.RouteTable, 0, "routes", []any{}), "private subnet subnet-1", finding.Error,
			"has no route out of the VPC in rtb-1", false},
		"a lost NAT gateway": {set(awstype.RouteTable, 0, "routes", []any{map[string]any{
			"destinationCidrBlock": "0.0.0.0/0",
			"natGatewayId":         "nat-1",
			"state":                "blackhole",
		}}),
			"private subnet subnet-1", finding.Error, "has a default route whose target was deleted: its packets are dropped",
			true},
		"no internet gateway": {set(awstype.RouteTable, 1, "routes", []any{}), "public subnet subnet-2", finding.Error,
			"has no route to an internet gateway in rtb-2", false},
		"an internet gateway": {set(awstype.RouteTable, 0, "routes", []any{map[string]any{
			"destinationCidrBlock": "0.0.0.0/0",
			"gatewayId":            "igw-1",
		}}),
			"private subnet subnet-1", finding.Error, "routes to the internet gateway igw-1, which only forwards traffic from public addresses", false},
		"a tag": {func(_ *Plan, in *parts) { in.byType[awstype.Subnet][1].Tags = nil }, "public subnet subnet-2",
			finding.Warning,
			"has no tag kubernetes.io/role/elb: the AWS Load Balancer Controller finds no subnet for load balancers on the internet, and Kubernetes' cloud " +
				"controller may use another public subnet of the zone", false},
		"the zone's domain": {set(awstype.HostedZone, 0, "name", "other.example.com"), "private zone Z1", finding.Error,
			"is the zone other.example.com, not the private zone demo.example.com", false},
		"a public zone": {set(awstype.HostedZone, 0, "vpcs",
			[]any{}), "private zone Z1", finding.Error, "is the zone demo.example.com, not the private zone demo.example.com",
			false},
		"the zone's VPC": {set(awstype.HostedZone, 0, "vpcs", []any{map[string]any{"vpcId": "vpc-2"}}), "private zone Z1",
			finding.Error,
			"is not associated with vpc-1", false},
		"the zone's SOA": {set(awstype.Record, 0, "records", []any{"ns host 1 7200 900 1209600 86400"}), "private zone Z1",
			finding.Warning,
			"lets resolvers cache for 86400 seconds that a name does not exist: nodes that ask for the control plane before its records exist may not find it for 15 minutes", true},
		"the group's tag": {func(_ *Plan, in *parts) {
			in.byType[awstype.SecurityGroup][0].Tags["kubernetes.io/cluster/demo-x1"] = "owned"
		}, "security group sg-1", finding.Error,
			"has the tag kubernetes.io/cluster/demo-x1: HyperShift's own group has it too, and Kubernetes' cloud controller fails with \"Multiple tagged security groups found\" " +
				"for each load balancer", true},
		"too many groups": {func(p *Plan, in *parts) {
			for i := 2; i <= maxGroups; i++ {
				id := fmt.Sprintf("sg-%d", i)
				p.Given.Parts = append(p.Given.Parts, config.Existing{Kind: config.ExistingSecurityGroup, Name: id, VPC: "vpc-1"})
				in.byType[awstype.SecurityGroup] = append(in.byType[awstype.SecurityGroup], inventory.Resource{
					ID:         id,
					Properties: map[string]any{"vpcId": "vpc-1"},
				})
			}
		}, "security group sg-1", finding.Warning, "is one of 5 groups, to which HyperShift adds its own: AWS allows 5 per network interface unless the quota vpc/L-2AFB9258 was raised, " +
			"and machines are not started", true},
		"a denied call": {func(_ *Plan, in *parts) {
			in.unreadable = awstype.VPC
		}, "VPC vpc-1", finding.Warning, "not checked: the caller may not call ec2:DescribeVpcs", false},
	} {
		p, in := whole(t)
		c.change(&p, &in)
		for _, quick := range []bool{false, true} {
			found := slices.DeleteFunc(checkExisting(t.Context(), p, Accounts{here: in}, quick), func(f finding.Finding) bool {
				return f.Severity == finding.Passed
			})
			if quick && !c.quick {
				require.Empty(t, found, "%s: the program's own comparison finds it", name)
				continue
			}
			require.Len(t, found, 1, name)
			require.Equal(t, []string{c.subject, string(c.verdict), c.message},
				[]string{found[0].Subject, string(found[0].Severity), found[0].Problem}, name)
			require.NotEmpty(t, found[0].Remedy, name)
		}
	}
}

func TestOnlyWhatTheClusterUsesOfAnExistingNetworkIsCompared(t *testing.T) {
	t.Parallel()
	p, in := whole(t)
	p.Given.Network.ProxiedEgress, p.Given.Network.Existing.TagSubnets = true, true
	in.byType[awstype.RouteTable][0].Properties["routes"] = []any{}
	for i := range in.byType[awstype.Subnet] {
		in.byType[awstype.Subnet][i].Tags = nil
	}
	for _, f := range checkExisting(t.Context(), p, Accounts{here: in}, false) {
		require.Equal(t, finding.Passed, f.Severity, f.String())
	}
	p.Given.Network.Karpenter, p.Given.Network.Existing.TagSubnets = true, false
	missing := map[string]bool{}
	for _, f := range checkExisting(t.Context(), p, Accounts{here: in}, false) {
		if f.Severity != finding.Passed {
			missing[f.Problem[:len("has no tag k")]] = true
		}
	}
	require.Equal(t, []string{"has no tag k"}, slices.Collect(maps.Keys(missing)))
}

func TestAnExistingSubnetWithoutATableOfItsOwnUsesTheMainOne(t *testing.T) {
	t.Parallel()
	p, in := whole(t)
	properties := props.Map(in.byType[awstype.RouteTable][0].Properties)
	properties["associations"] = []any{map[string]any{"main": true}}
	for _, f := range checkExisting(t.Context(), p, Accounts{here: in}, false) {
		require.Equal(t, finding.Passed, f.Severity, f.String())
	}
}
