package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestAQuotaIsComparedWithItsFiguresWhereItIsCounted(t *testing.T) {
	t.Parallel()
	reported := fake{
		limits: map[string]int{"elasticIPs": 5, "natGatewaysPerZone": 5, "subnetsPerVPC": 2, "interfaceEndpointsPerVPC": 1},
		used:   map[string]int{"elasticIPs": 4, "natGatewaysPerZoneus-east-1a": 5, "subnetsPerVPC": 99},
	}
	r := Run(t.Context(), networkPlan(), Accounts{here: reported}, Options{})
	f := findingOn(t, r, Quotas, "elastic IPs per region")
	require.Equal(t, finding.Error, f.Severity)
	require.Equal(t, &finding.Figures{Limit: 5, Used: 4, Needed: 2}, f.Figures)
	require.Equal(t, "ec2/L-0263D0A3", f.Quota)
	require.Contains(
		t,
		f.Remedy,
		"request an increase of ec2/L-0263D0A3 to 6 or more: https://us-east-1.console.aws.amazon.com/servicequotas/home/services/ec2/quotas/L-0263D0A3",
	)
	require.Equal(t, finding.Error, findingOn(t, r, Quotas, "NAT gateways per zone, us-east-1a").Severity)
	require.Equal(t, finding.Passed, findingOn(t, r, Quotas, "NAT gateways per zone, us-east-1b").Severity)
	require.Equal(t, &finding.Figures{Limit: 2, Used: 0, Needed: 2},
		findingOn(t, r, Quotas, "subnets per VPC, dev/vpc").Figures, "a new VPC has none")
	require.Equal(t, finding.Passed, findingOn(t, r, Quotas, "interface endpoints per VPC, dev/vpc").Severity)
	require.Equal(t, failure.Failed, failure.ReasonOf(r.Err("dev")))
	require.ErrorContains(t, r.Err("dev"), "--skip-preflight")
}

func TestAnExistingVPCIsCounted(t *testing.T) {
	t.Parallel()
	p := Plan{
		Stack: "dev",
		Own:   here,
		Resources: []Resource{created(awstype.Subnet, "s", map[string]any{
			"vpcId":            "vpc-1",
			"availabilityZone": "us-east-1a",
		})},
	}
	r := Run(t.Context(), p, Accounts{
		here: fake{limits: map[string]int{"subnetsPerVPC": 3}, used: map[string]int{"subnetsPerVPCvpc-1": 3}},
	}, Options{})
	require.Equal(t, finding.Error, findingOn(t, r, Quotas, "subnets per VPC, vpc-1").Severity)
}

func TestNodesWarnWhereTheirVCPUsAreTooMany(t *testing.T) {
	t.Parallel()
	p := Plan{Stack: "dev", Own: here, Nodes: []Nodes{
		{Nodes: config.Nodes{Name: "a", InstanceType: "m5.xlarge", Count: 3}, Place: here},
		{Nodes: config.Nodes{Name: "b", InstanceType: "m5.large", Count: 2}, Place: here},
		{
			Nodes: config.Nodes{Name: "spot", InstanceType: "m5.large", Count: 1, Spot: true},
			Place: here,
		},
		{Nodes: config.Nodes{Name: "there", InstanceType: "m5.large", Count: 100}, Place: here, Exist: true},
		{Nodes: config.Nodes{Name: "gpu", InstanceType: "g5.xlarge", Count: 100}, Place: here},
	}}
	r := Run(t.Context(), p, Accounts{here: fake{limits: map[string]int{awstype.StandardVCPUs: 19}}}, Options{})
	f := findingOn(t, r, Quotas, "vCPUs of on-demand instances per region")
	require.Equal(t, finding.Warning, f.Severity, "up itself is not refused")
	require.Equal(t, 20, f.Figures.Needed)
	require.Equal(t, 4, findingOn(t, r, Quotas, "vCPUs of spot instances per region").Figures.Needed)
}

func TestTheDemandsOfManyStacksAreSummed(t *testing.T) {
	t.Parallel()
	one, two := networkPlan(), networkPlan()
	two.Stack = "prod"
	sum := Sum(Demands(one), Demands(two))
	findings := CheckQuotas(t.Context(), sum, Accounts{
		here: fake{limits: map[string]int{"elasticIPs": 3, "subnetsPerVPC": 2}},
	})
	r := &Report{}
	r.Add(findings...)
	f := findingOn(t, r, Quotas, "elastic IPs per region")
	require.Equal(t, 4, f.Figures.Needed)
	require.Contains(t, f.Problem, "(stacks dev, prod)")
	require.Equal(t, 2, findingOn(t, r, Quotas, "subnets per VPC, dev/vpc").Figures.Needed, "each has a VPC of its own")
	require.Equal(t, Sum(Demands(one)), Sum(Sum(Demands(one))))
}

// A role has ten managed policies unless its account's quota is raised; fewer are not compared.
func TestTheManagedPoliciesOfARoleAreCountedTogether(t *testing.T) {
	t.Parallel()
	role := Resource{URN: "urn:role", Type: awstype.Role, Created: true, Inputs: map[string]any{"name": "x1-ingress"}}
	plan := Plan{Stack: "dev", Resources: []Resource{role}}
	for i := range 11 {
		if plan.Resources = append(plan.Resources, Resource{
			URN: fmt.Sprint("urn:", i), Type: awstype.RolePolicyAttachment, Created: i > 3,
			Inputs: map[string]any{"policyArn": fmt.Sprint("arn:aws:iam::aws:policy/", i), "role": "x1-ingress"},
		}); i == 9 {
			require.NotContains(t, quotasOf(Demands(plan)), "managedPoliciesPerRole")
		}
	}
	demands := Demands(plan)
	i := slices.IndexFunc(demands, func(d Demand) bool { return d.Quota == "managedPoliciesPerRole" })
	require.GreaterOrEqual(t, i, 0)
	require.Equal(t, Demand{Quota: "managedPoliciesPerRole", Of: "x1-ingress", New: true, Count: 11, Stacks: []string{"dev"}},
		demands[i])

	plan.Nodes = []Nodes{{Nodes: config.Nodes{InstanceType: "m5.large"}}} // of a cluster whose nodes are paused
	require.Contains(t, quotasOf(Demands(plan)), awstype.StandardVCPUs, "a quota without a least limit shows a demand of 0")

	for _, r := range plan.Resources {
		delete(r.Inputs, "role")
	}
	require.NotContains(t, quotasOf(Demands(plan)), "managedPoliciesPerRole", "they may be of several roles")
}

func quotasOf(demands []Demand) (names []string) {
	for _, d := range demands {
		names = append(names, d.Quota)
	}
	return names
}

func TestADeniedReadIsAWarningThatNamesTheAction(t *testing.T) {
	t.Parallel()
	all := fake{denied: map[string]error{
		"Limit": accessDenied("Service Quotas", "GetServiceQuota"), "RegionEnabled": accessDenied("EC2", "DescribeRegions"),
		"Zones":        accessDenied("EC2", "DescribeAvailabilityZones"),
		"ServiceZones": accessDenied("EC2", "DescribeVpcEndpointServices"),
		"Peers":        accessDenied("EC2", "DescribeVpcPeeringConnections"),
		"Simulate":     accessDenied("IAM", "SimulatePrincipalPolicy"),
		"Head":         accessDenied("S3", "HeadBucket"),
	}}
	p := networkPlan()
	p.Resources = append(p.Resources, created(awstype.Bucket, "bucket", map[string]any{"bucket": "demo-oidc"}))
	p.Needs = []permissions.Need{{Token: awstype.VPC, Region: "us-east-1", Partition: "aws"}}
	r := Run(t.Context(), p, Accounts{here: all}, Options{})
	require.Zero(t, r.Count(finding.Error)+r.Count(finding.Passed), r.Text())
	for subject, action := range map[string]string{
		"VPCs per region": "servicequotas:GetServiceQuota", "the region": "ec2:DescribeRegions",
		"us-east-1a":                  "ec2:DescribeAvailabilityZones",
		"com.amazonaws.us-east-1.sts": "ec2:DescribeVpcEndpointServices", "10.0.0.0/16": "ec2:DescribeVpcPeeringConnections",
		"arn:aws:iam::111111111111:role/deployer": "iam:SimulatePrincipalPolicy", "S3 bucket demo-oidc": "s3:ListBucket",
	} {
		found := false
		for _, f := range r.Findings {
			if f.Subject == subject {
				found = true
				require.Equal(t, []string{action}, f.Actions, subject)
				require.Contains(t, f.Problem, action)
			}
		}
		require.True(t, found, "%s in\n%s", subject, r.Text())
	}
}

func TestPreflightFailsWhereAWSWouldRefuse(t *testing.T) {
	t.Parallel()
	reported := fake{
		notOptedIn: true,
		zones: []account.Zone{{
			Name:      "us-east-1a",
			ID:        "use1-az1",
			OptedIn:   true,
			Available: true,
		}, {Name: "us-east-1b", ID: "use1-az2", Available: true}},
		offers:   map[string][]string{"m7i.large": {"us-east-1a"}},
		services: map[string][]string{"com.amazonaws.us-east-1.sts": {"us-east-1a"}},
		taken: map[string]Holder{
			"demo-oidc": Hidden, "demo-role": Own, "/team/boundary": Own, "issuer.example.com/demo": Own, "alias/etcd": Own,
			"example.com": Own, "demo.hypershift.localvpc-1": Own,
		},
		peers: []inventory.Resource{{ID: "vpc-hub", Owner: "222222222222", Properties: map[string]any{"cidrBlocks": []any{
			map[string]any{"cidrBlock": "10.1.0.0/16"}, map[string]any{"cidrBlock": "10.0.128.0/17"}}}}},
	}
	p := networkPlan()
	p.Nodes = []Nodes{{
		Nodes: config.Nodes{Name: "pool", InstanceType: "m7i.large", Zones: []string{"us-east-1a", "us-east-1b"}, Count: 1},
		Place: here,
	},
		{Nodes: config.Nodes{Name: "odd", InstanceType: "m5.odd", Count: 1}, Place: here}}
	p.Resources = append(p.Resources,
		created(awstype.Bucket, "bucket", map[string]any{"bucket": "demo-oidc"}),
		created(awstype.Role, "role", map[string]any{"name": "demo-role", "path": "/"}),
		created("aws:iam/policy:Policy", "policy", map[string]any{"name": "boundary", "path": "/team/"}),
		created(awstype.OIDCProvider, "oidc", map[string]any{"url": "https://issuer.example.com/demo"}),
		created("aws:kms/alias:Alias", "alias", map[string]any{"name": "alias/etcd"}),
		created(awstype.HostedZone, "public", map[string]any{"name": "example.com"}),
		created(awstype.HostedZone, "local", map[string]any{
			"name": "demo.hypershift.local",
			"vpcs": []any{map[string]any{"vpcId": "vpc-1"}},
		}),
		created(awstype.HostedZone, "private", map[string]any{
			"name": "example.com",
			"vpcs": []any{map[string]any{"vpcId": plugin.UnknownStringValue}},
		}))
	r := Run(t.Context(), p, Accounts{here: reported}, Options{})
	for _, want := range []struct {
		check            string
		subject, message string
		verdict          finding.Severity
	}{
		{Region, "the region", "not opted in", finding.Error},
		{Zones, "us-east-1a", "available", finding.Passed},
		{Zones, "us-east-1b", "not opted in", finding.Error},
		{InstanceTypes, "m7i.large", "not offered in us-east-1b", finding.Error},
		{InstanceTypes, "m5.odd", "no zone of the region offers it", finding.Error},
		{EndpointServices, "com.amazonaws.us-east-1.sts", "not available in us-east-1b", finding.Error},
		{Names, "S3 bucket demo-oidc", "exists already, in an account that the caller cannot read", finding.Error},
		{Names, "IAM role demo-role", "exists already, in this account", finding.Error},
		{Names, "IAM policy team/boundary", "exists already", finding.Error},
		{Names, "OIDC provider issuer.example.com/demo", "exists already", finding.Error},
		{Names, "KMS alias alias/etcd", "exists already", finding.Error},
		{Names, "hosted zone example.com", "a public zone of this name", finding.Warning},
		{Names, "hosted zone demo.hypershift.local", "vpc-1 has a private zone of this name", finding.Error},
		{Networks, "10.0.0.0/16", "overlaps with 10.0.128.0/17 of vpc-hub, which is peered (account 222222222222)",
			finding.Warning},
	} {
		f := findingOn(t, r, want.check, want.subject)
		require.Equal(t, want.verdict, f.Severity, want.subject)
		require.Contains(t, f.Problem, want.message)
		if want.verdict != finding.Passed {
			require.NotEmpty(t, f.Remedy, want.subject)
		}
	}
}

// Two stacks of equal names with one OIDC bucket have equal infra IDs, unless their files contain one: the second would
// overwrite the issuer of the first.
func TestTheInfraIDOfAnotherClusterIsRefusedForANewStackAlone(t *testing.T) {
	t.Parallel()
	reported := fake{taken: map[string]Holder{
		"demo-oidc.s3.us-east-1.amazonaws.com/demo-x1": Own, "demo-x1-ingress": Own, "demo-oidc": Own,
	}}
	p := Plan{Stack: "dev", Own: here, New: true, Resources: []Resource{
		created(awstype.OIDCProvider, "oidc", map[string]any{"url": "https://demo-oidc.s3.us-east-1.amazonaws.com/demo-x1"}),
		created(awstype.Role, "role", map[string]any{"name": "demo-x1-ingress", "path": "/"}),
		created(awstype.Bucket, "bucket", map[string]any{"bucket": "demo-oidc"}),
	}}
	r := Run(t.Context(), p, Accounts{here: reported}, Options{Quick: true})
	for _, subject := range []string{
		"OIDC provider demo-oidc.s3.us-east-1.amazonaws.com/demo-x1",
		"OIDC documents demo-oidc.s3.us-east-1.amazonaws.com/demo-x1", "IAM role demo-x1-ingress",
	} {
		f := findingOn(t, r, Names, subject)
		require.Equal(t, finding.Error, f.Severity, subject)
		require.Contains(t, f.Remedy, "adopt -s dev")
	}
	require.Equal(t, 3, r.Count(finding.Error), r.Text())
	p.New = false
	require.Zero(t, Run(t.Context(), p, Accounts{here: reported}, Options{Quick: true}).Count(finding.Error),
		"a stack with resources repairs what it lacks")
}

func TestDeniedActionsFailWithWhatDeniesThem(t *testing.T) {
	t.Parallel()
	p := Plan{
		Stack: "dev",
		Own:   here,
		Needs: []permissions.Need{{
			Token:     awstype.Role,
			Region:    "us-east-1",
			Partition: "aws",
			Inputs:    map[string]any{"name": "demo", "path": "/"},
		}},
	}
	reported := fake{simulated: []account.Denial{
		{Action: "iam:CreateRole", By: "no policy allows it"}, {Action: "iam:TagRole", By: "no policy allows it"},
		{Action: "iam:DeleteRole", By: "no policy allows it", Unsure: true},
	}}
	r := Run(t.Context(), p, Accounts{here: reported}, Options{})
	require.Equal(t, 1, r.Count(finding.Error))
	require.Equal(t, []string{"iam:CreateRole", "iam:TagRole"}, r.Findings[0].Actions)
	require.Contains(t, r.Findings[0].Problem, "on arn:aws:iam::111111111111:role/demo: no policy allows it")
	require.Equal(t, 1, r.Count(finding.Warning), "where the simulation does not know all")
}

func TestADNSServerThatDoesNotForwardIsFoundBeforeNodesFail(t *testing.T) {
	t.Parallel()
	p := Plan{
		Stack: "dev",
		Own:   here,
		DNS: DNS{
			Servers: []string{"10.0.0.53", "10.0.1.53"},
			Hosts:   []string{"sts.us-east-1.amazonaws.com"},
			Zones:   []string{"demo.hypershift.local"},
		},
	}
	both := []string{"sts.us-east-1.amazonaws.com", "zone demo.hypershift.local"}
	dns := fakeDNS{resolves: map[string][]string{"10.0.0.53": both, "10.0.1.53": both[:1]}}
	r := Run(t.Context(), p, Accounts{}, Options{Resolver: dns})
	require.Equal(t, finding.Passed, findingOn(t, r, DNSServer, "10.0.0.53").Severity)
	second := findingOn(t, r, DNSServer, "10.0.1.53")
	require.Equal(t, "fails: does not resolve demo.hypershift.local",
		fmt.Sprintf("%s: %s", second.Severity.Verdict(), second.Problem))
	r = Run(t.Context(), p, Accounts{}, Options{Resolver: fakeDNS{err: errors.New("i/o timeout")}})
	unreached := findingOn(t, r, DNSServer, "10.0.0.53")
	require.Equal(t, "warns: not checked: i/o timeout",
		fmt.Sprintf("%s: %s", unreached.Severity.Verdict(), unreached.Problem))
	require.Contains(t, unreached.Remedy, "sts.us-east-1.amazonaws.com, demo.hypershift.local")
	require.Equal(t, finding.Warning, findingOn(t, Run(t.Context(), p, Accounts{}, Options{}), DNSServer,
		"10.0.1.53").Severity, "offline")
}

func TestADelegationToOtherNameServersIsAWarning(t *testing.T) {
	t.Parallel()
	p := Plan{Stack: "dev", Own: here, PublicDomain: "clusters.acme.dev"}
	reported := fake{servers: []any{"ns-1.awsdns-00.com", "ns-2.awsdns-00.net"}}
	for want, resolver := range map[string]fakeDNS{
		"passes: public DNS names the zone's name servers": {
			servers: []string{"NS-2.awsdns-00.net.", "ns-1.awsdns-00.com."},
		},
		"warns: public DNS names other name servers: ns.registrar.com": {servers: []string{"ns.registrar.com."}},
		"warns: public DNS names no name servers for it: no such host": {err: errors.New("no such host")},
	} {
		r := Run(t.Context(), p, Accounts{here: reported}, Options{Resolver: resolver})
		f := findingOn(t, r, Delegation, "clusters.acme.dev")
		require.Equal(t, want, fmt.Sprintf("%s: %s", f.Severity.Verdict(), f.Problem))
	}
	require.Empty(t, Run(t.Context(), p, Accounts{here: reported}, Options{}).Findings,
		"without a resolver nothing is asked")
	require.Equal(
		t,
		finding.Error,
		findingOn(t, Run(t.Context(), p, Accounts{here: fake{}}, Options{Resolver: fakeDNS{}}), Delegation,
			"clusters.acme.dev").Severity,
		"no zone at all",
	)
	p.PublicZoneNew = true
	found := Run(t.Context(), p, Accounts{here: reported}, Options{Resolver: fakeDNS{}})
	require.Equal(t, finding.Warning, findingOn(t, found, Delegation, "clusters.acme.dev").Severity)
}

func TestABaseDomainThatNobodyCanOwnIsRefusedOnAWS(t *testing.T) {
	t.Parallel()
	for _, domain := range []string{"example.com", "clusters.example.org", "lab.test", "corp.local", "a.invalid"} {
		p := Plan{Stack: "dev", Own: here, PublicDomain: domain}
		found := Run(t.Context(), p, Accounts{here: fake{}}, Options{Resolver: fakeDNS{}})
		require.Equal(t, finding.Error, findingOn(t, found, Delegation, domain).Severity)
		found = Run(t.Context(), p, Accounts{here: fake{}}, Options{Resolver: fakeDNS{}, Quick: true})
		require.Equal(t, finding.Warning, findingOn(t, found, Delegation, domain).Severity, "what up says")
		require.Empty(t, Run(t.Context(), p, Accounts{here: fake{}}, Options{}).Findings, "offline it is as good as any")
	}
	require.Empty(t, reservedDomain("myexample.com"))
	require.Empty(t, reservedDomain("latest.dev"))
}

func TestCredentialsThatAreRefusedFail(t *testing.T) {
	t.Parallel()
	_, f := Identify(t.Context(), fake{denied: map[string]error{"Identity": errors.New("expired")}})
	require.Equal(t, finding.Error, f.Severity)
	_, f = Identify(t.Context(), fake{})
	require.Equal(t, finding.Passed, f.Severity)
}

// slow answers nothing until its context ends.
type slow struct{ fake }

func (s slow) Snapshot() account.Account { return s }

func (slow) Limit(ctx context.Context, _ awstype.Quota, _ string) (limit, used int, err error) {
	<-ctx.Done()
	return 0, 0, ctx.Err()
}

func TestChecksEndInTime(t *testing.T) {
	t.Parallel()
	r := Run(t.Context(), networkPlan(), Accounts{here: slow{}}, Options{Quick: true, Within: time.Millisecond})
	require.NotZero(t, r.Count(finding.Warning))
	require.Contains(t, r.Findings[0].Problem, "AWS did not answer in time")
	require.NoError(t, r.Err("dev"))
}

func TestTheQuickChecksAreTheQuotasThatAreLikelyToBeMet(t *testing.T) {
	t.Parallel()
	r := Run(t.Context(), networkPlan(), Accounts{here: fake{}}, Options{Quick: true})
	var subjects []string
	for _, f := range r.Findings {
		subjects = append(subjects, f.Subject)
	}
	require.Equal(t, []string{"NAT gateways per zone, us-east-1a", "NAT gateways per zone, us-east-1b", "VPCs per region",
		"elastic IPs per region"}, subjects)
}

func TestAReportIsGroupedByAccountWithWhatFailsFirst(t *testing.T) {
	t.Parallel()
	r := &Report{}
	r.Add(
		finding.Finding{
			Severity: finding.Passed,
			Check:    Quotas,
			Account:  "222222222222",
			Region:   "us-east-1",
			Subject:  "VPCs per region",
			Problem:  "limit 5, used 0, needed 1",
		},
		finding.Finding{
			Severity: finding.Passed,
			Check:    Quotas,
			Account:  "111111111111",
			Subject:  "IAM roles per account",
			Problem:  "limit 1000, used 0, needed 9",
		},
		finding.Finding{Severity: finding.Error, Check: Quotas, Account: "111111111111", Region: "us-east-1",
			Subject: "VPCs per region",
			Problem: "limit 5, used 5, needed 1", Remedy: "raise it"},
		finding.Finding{
			Severity: finding.Warning,
			Check:    ManagementCluster,
			Subject:  "API server",
			Problem:  "slow",
			Remedy:   "wait",
		},
	)
	require.Equal(t, `account 111111111111
  fails   quota               us-east-1: VPCs per region: limit 5, used 5, needed 1
                              raise it
  passes  quota               IAM roles per account: limit 1000, used 0, needed 9
account 222222222222
  passes  quota               us-east-1: VPCs per region: limit 5, used 0, needed 1
outside the accounts
  warns   management cluster  API server: slow
                              wait
`, r.Text())
	require.Equal(t, "1 failed, 1 warned, 2 passed", r.Summary())
}
