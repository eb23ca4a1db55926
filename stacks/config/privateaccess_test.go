package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// accessed returns a file of a private cluster with further accounts, and a section privateLink.
func accessed(t *testing.T, further, section string) (*File, error) {
	t.Helper()
	return load(t, strings.Replace(whole, "    kmsKeyARN:", "    accounts: {further: "+further+"}\n    privateLink: "+
		section+"\n    kmsKeyARN:", 1))
}

const (
	hubAccount = `[{name: hub, assumeRole: {roleArn: "arn:aws:iam::333333333333:role/deployer"}}]`
	hubVPC     = `vpcID: vpc-0123456789abcdef0`
	hubSubnets = `subnetIDs: [subnet-0123456789abcdef0], allowedCIDRs: [10.100.0.0/16]`
)

func TestTheAccessOfOtherVPCsIsRefusedWithItsPathAndARemedy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ further, section, want string }{
		{hubAccount, `{}`, `accounts.further[0]: "hub" is not used: no VPC in privateLink is in that account; leave it out`},
		{`[{profile: hub}]`, `{}`, `accounts.further[0].name is missing; set the name by which other keys refer to the account`},
		{`[{name: Hub, allowedAccountIds: ["333333333333"]}]`, `{consumers: [{name: a, account: Hub, localZoneID: none, hostNames: [a.example.com], ` + hubVPC + `, ` + hubSubnets + `}]}`,
			`accounts.further[0].name: "Hub" is not a name; use lower-case letters, digits, and hyphens`},
		{`[{name: management, profile: hub}]`, `{localZoneVPCs: [{account: management, ` + hubVPC + `}]}`,
			`accounts.further[0].name: "management" is the name of another account; use a different name`},
		{`[{name: hub}]`, `{localZoneVPCs: [{account: hub, ` + hubVPC + `}]}`, `accounts.further[0] is empty; use profile, assumeRole`},
		{`[{name: hub, profile: hub, region: cn-north-1}]`, `{localZoneVPCs: [{account: hub, ` + hubVPC + `}]}`,
			`accounts.further[0].region: "cn-north-1" is not in the partition of us-east-1`},
		{`[]`, `{localZoneVPCs: [{account: spoke, ` + hubVPC + `}]}`,
			`privateLink.localZoneVPCs[0].account: "spoke" is not the name of an account in accounts.further; add the account`},
		{`[]`, `{localZoneVPCs: [{vpcID: hub}]}`, `privateLink.localZoneVPCs[0].vpcID: "hub" is not the ID of a VPC`},
		{`[]`, `{localZoneVPCs: [{region: us-east-9, ` + hubVPC + `}]}`,
			`privateLink.localZoneVPCs[0].region: "us-east-9" is not a known region of AWS; use us-east-`},
		{`[]`, `{localZoneVPCs: [{region: us east, ` + hubVPC + `}]}`,
			`privateLink.localZoneVPCs[0].region: "us east" is not a region; use one such as us-east-1`},
		{`[]`, `{localZoneVPCs: [{region: cn-north-1, ` + hubVPC + `}]}`,
			`privateLink.localZoneVPCs[0].region: "cn-north-1" is not in the partition of us-east-1; use a region of partition aws`},
		{`[]`, `{localZoneVPCs: [{` + hubVPC + `}, {` + hubVPC + `}]}`,
			`privateLink.localZoneVPCs[1].vpcID: "vpc-0123456789abcdef0" already gets the zone demo.hypershift.local by localZoneVPCs[0]`},
		{hubAccount, `{localZoneVPCs: [{account: hub, ` + hubVPC + `}], consumers: [{name: hub, account: hub, ` + hubVPC + `, ` + hubSubnets + `}]}`,
			`privateLink.consumers[0].vpcID: "vpc-0123456789abcdef0" already gets the zone demo.hypershift.local by localZoneVPCs[0]`},
		{hubAccount, `{consumers: [{account: hub, ` + hubVPC + `, ` + hubSubnets + `}]}`, `privateLink.consumers[0].name: "" is not a name`},
		{hubAccount, `{consumers: [{name: hub, account: hub, ` + hubVPC + `, ` + hubSubnets + `}, {name: hub, account: hub, vpcID: vpc-0123456789abcdef1, ` + hubSubnets + `}]}`,
			`privateLink.consumers[1].name: "hub" is the name of consumer [0]; use a different name for each consumer`},
		{`[{name: hub, profile: hub}]`, `{consumers: [{name: hub, account: hub, ` + hubVPC + `, ` + hubSubnets + `}]}`,
			`privateLink.consumers[0].account: "hub" does not tell its ID, and the endpoint service has to allow the account; set allowedAccountIds`},
		{hubAccount, `{consumers: [{name: hub, account: hub, ` + hubVPC + `, allowedCIDRs: [10.0.0.0/8]}]}`,
			`privateLink.consumers[0].subnetIDs are missing`},
		{hubAccount, `{localZoneVPCs: [{account: hub, region: mars-north-1, ` + hubVPC + `}]}`,
			`privateLink.localZoneVPCs[0].region: "mars-north-1" is not a known region of AWS; use `},
		{hubAccount, `{localZoneVPCs: [{account: hub, region: us-gov-west-1, ` + hubVPC + `}]}`,
			`privateLink.localZoneVPCs[0].region: "us-gov-west-1" is not in the partition of us-east-1; use a region of partition aws`},
		{strings.Replace(hubAccount, "arn:aws:", "arn:aws-us-gov:", 1), `{localZoneVPCs: [{account: hub, ` + hubVPC + `}]}`,
			`accounts.further[0].assumeRole.roleArn: "arn:aws-us-gov:iam::333333333333:role/deployer" is not in partition aws; use one of aws`},
		{`[]`, `{owner: stack, loadBalancers: {arns: ["arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/net/router/0123456789abcdef"]}, ` +
			`allowedPrincipals: ["arn:aws-cn:iam::222222222222:root"]}`,
			`privateLink.allowedPrincipals[0]: "arn:aws-cn:iam::222222222222:root" is not in partition aws; use one of aws`},
		{`[]`, `{allowedCIDRs: [10.0.0.1/8]}`, `privateLink.allowedCIDRs[0]: "10.0.0.1/8" is not a network address; use 10.0.0.0/8`},
		{`[]`, `{allowedSecurityGroups: [web]}`, `privateLink.allowedSecurityGroups[0]: "web" is not the ID of a security group`},
	} {
		_, err := accessed(t, c.further, c.section)
		require.ErrorContains(t, err, c.want, c.section)
		require.Len(t, fault.In(err), 1, c.section)
		require.NotZero(t, fault.In(err)[0].Line, c.section)
	}
}

func TestTheAccountsOfConsumersMayConnect(t *testing.T) {
	t.Parallel()
	const own, hub = "arn:aws:iam::123456789012:root", "arn:aws:iam::333333333333:root"
	consumers := `consumers: [{name: hub, account: hub, ` + hubVPC + `, ` + hubSubnets + `},
      {name: own, vpcID: vpc-0123456789abcdef1, localZoneID: none, hostNames: [a.example.com], ` + hubSubnets + `}]`
	for section, want := range map[string][]string{
		`{` + consumers + `}`: {hub, own},
		`{owner: stack, loadBalancers: {names: [router]}, ` + consumers + `}`:                                     {own, hub},
		`{owner: stack, loadBalancers: {names: [router]}, allowedPrincipals: ["` + hub + `"], ` + consumers + `}`: {hub, own},
	} {
		for _, account := range []string{hubAccount, `[{name: hub, profile: hub, allowedAccountIds: ["333333333333"]}]`} {
			file, err := accessed(t, account, section)
			require.NoError(t, err, section)
			require.Equal(t, want, input.Texts(As[*Cluster](file).EndpointPrincipals(own)), section)
			require.Contains(t, file.Existing(nil), Existing{
				Kind: ExistingClientVPC, Name: "vpc-0123456789abcdef0", Provider: "hub-account",
			})
		}
	}
}

func TestAFurtherAccountHasAProvider(t *testing.T) {
	t.Parallel()
	file, err := accessed(t, hubAccount, `{localZoneVPCs: [{account: hub, `+hubVPC+`}]}`)
	require.NoError(t, err)
	all := file.ProviderSettings()
	require.Len(t, all, 2)
	require.Equal(t, "cluster.accounts.further[0].", all[1].Prefix)
	require.Equal(t, "hub-account", all[1].Provider)
	require.Equal(t, "us-east-1", all[1].Values["region"])
	require.NotContains(t, all[1].Values, "name")
	require.Contains(t, all[1].Values, "assumeRole")
}

func TestTheVPCOfAnotherAccountHasNoConsumersOfTheStack(t *testing.T) {
	t.Parallel()
	existing := withNetwork("Private", `existing: {vpcID: vpc-0aaaaaaaaaaaaaaa1, privateZoneID: Z0PRIVATE000000000000, localZoneID: Z0LOCAL00000000000000, `+
		`subnets: [{zone: us-east-1a, private: subnet-0aaaaaaaaaaaaaaa1}], sharedVPC: {`+
		`ingressRoleARN: "arn:aws:iam::210987654321:role/a", controlPlaneRoleARN: "arn:aws:iam::210987654321:role/b"}}`)
	_, err := load(t, existing)
	require.NoError(t, err)
	_, err = load(t, existing+"    privateLink: {consumers: [{name: hub, localZoneID: none, hostNames: [a.example.com], "+hubVPC+", "+hubSubnets+"}]}\n")
	require.ErrorContains(t, err, "privateLink.consumers are not possible with network.existing.sharedVPC")
	_, err = load(t, strings.Replace(existing, "arn:aws:iam::210987654321:role/a", "arn:aws-cn:iam::210987654321:role/a", 1))
	require.ErrorContains(t, err, `sharedVPC.ingressRoleARN: "arn:aws-cn:iam::210987654321:role/a" is not in partition aws`)
}
