package picture

import (
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// arrows returns the arrows of who may do what, by the boxes' keys.
func arrows(t *testing.T, name string) (drawn, highlighted []string) {
	t.Helper()
	called := func(b *box) string {
		if b.outside != nil && b.outside.label == "Its policies allow it to" {
			return "policies of " + b.name()
		} else if b.outside != nil {
			return b.outside.key
		}
		return b.name()
	}
	for _, e := range layOut(boxesOf(newGraph(state(t, name), nil))).edges {
		if e.from.kind.section != identity && e.to.kind.section != identity {
			continue
		}
		arrow := called(e.from) + " -> " + called(e.to)
		if e.drawn {
			drawn = append(drawn, arrow)
		} else {
			highlighted = append(highlighted, arrow)
		}
	}
	return drawn, highlighted
}

func TestArrowsGoFromServiceAccountsToRolesToWhatTheirPoliciesReach(t *testing.T) {
	t.Parallel()
	drawn, highlighted := arrows(t, "shared-vpc")
	assert.Subset(t, drawn, []string{
		"service account kube-system/control-plane-operator -> roles-control-plane-operator",
		"roles-control-plane-operator -> policies of roles-control-plane-operator",
		"policies of roles-control-plane-operator -> shared-vpc-roles-route53",
		"service account openshift-image-registry/registry -> roles-openshift-image-registry",
		"AWS service ec2.amazonaws.com -> workers-role",
	})
	assert.Subset(t, highlighted, []string{
		"policies of roles-control-plane-operator -> network-local-zone",
		"policies of shared-vpc-roles-endpoint -> network-vpc",
		"policies of roles-node-pool -> workers-role",
	})
	assert.NotContains(t, highlighted, "policies of roles-control-plane-operator -> network-private-zone",
		"its own policy does not reach it")
}

func TestGrantsNameResourcesVerbsAndConditions(t *testing.T) {
	t.Parallel()
	const account = "arn:aws:ec2:us-east-2:210987654321:"
	for _, of := range []struct {
		name, statement string
		want            []string
	}{
		{"an action that only reads", `{"Effect":"Allow","Action":"ec2:DescribeVpcs","Resource":"*"}`, []string{"read every ec2 resource"}},
		{
			"the strongest verb for each resource", `{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject","kms:Decrypt"],"Resource":"*"}`,
			[]string{"change every s3 resource", "use every kms resource"},
		},
		{
			"an action for each of the services of the resources",
			`{"Effect":"Allow","Action":["ec2:CreateTags","iam:PassRole"],"Resource":["` + account + `subnet/*","arn:aws:iam::1:role/other"]}`,
			[]string{"pass iam other", "change every ec2 subnet"},
		},
		{
			"conditions",
			`[{"Effect":"Allow","Action":"kms:CreateGrant","Resource":"*","Condition":{"Bool":{"kms:ViaService":"true"}}},{"Effect":"Allow","Action":"kms:Decrypt","Resource":"*"}]`,
			[]string{"use every kms resource", "and under conditions:", "use every kms resource"},
		},
		{"everything", `{"Effect":"Allow","Action":"*","Resource":"*"}`, []string{"change every AWS resource"}},
		{
			"what is denied", `[{"Effect":"Allow","Action":"ec2:RunInstances","Resource":"*"},{"Effect":"Deny","Action":"ec2:RunInstances","Resource":"` + account + `subnet/*"}]`,
			[]string{"change every ec2 resource", "except what is denied"},
		},
	} {
		resources := state(t, "shared-vpc")
		for i, r := range resources {
			if r.Type == awstype.RolePolicy && r.URN.Name() == "workers-role" {
				resources[i].Inputs["policy"] = `{"Version":"2012-10-17","Statement":` + of.statement + `}`
				delete(resources[i].Outputs, "policy")
			}
		}
		g := newGraph(resources, nil)
		i := slices.IndexFunc(g.items, func(it *item) bool {
			return string(it.Type) == awstype.Role && it.name() == "workers-role"
		})
		require.GreaterOrEqual(t, i, 0)
		assert.Equal(t, of.want, grantLines(grantsOf(g.items[i])), of.name)
	}
}

func TestAPolicyThatThePlanDoesNotKnowIsNotGuessed(t *testing.T) {
	t.Parallel()
	resources := state(t, "private")
	for i, r := range resources {
		if r.Type == awstype.RolePolicy {
			delete(resources[i].Inputs, "policy")
			delete(resources[i].Outputs, "policy")
		}
	}
	for _, it := range newGraph(resources, nil).items {
		if string(it.Type) == awstype.Role {
			assert.Equal(t, []string{unknownPolicy}, grantLines(grantsOf(it)), it.name())
		}
	}
}

func TestAccountsAreSideBySideWithWhatConnectsThem(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		name              string
		titles, crossings []string
	}{
		{
			"shared-vpc", []string{"VPC owner account 210987654321", "Cluster account 123456789012"},
			[]string{
				"assumes roles: from cluster account 123456789012 to VPC owner account 210987654321",
				"4 shared subnets: from VPC owner account 210987654321 to cluster account 123456789012",
			},
		},
		{
			"privatelink", []string{"Cluster account 123456789012", "Management account 222222222222"},
			[]string{"PrivateLink: from cluster account 123456789012 to management account 222222222222"},
		},
		{
			"complete", []string{"Account 123456789012", "Account of the management cluster"},
			[]string{"control plane: from account of the management cluster to account 123456789012"},
		},
		{"public", []string{"Account 123456789012"}, nil},
	} {
		d := layOut(boxesOf(newGraph(state(t, of.name), nil)))
		var titles, crossings []string
		for i, p := range d.panels {
			titles = append(titles, p.title())
			assert.Equal(t, d.panels[0].y, p.y, of.name)
			assert.True(t, i == 0 || d.panels[i-1].x+d.panels[i-1].w < p.x, "%s: beside each other", of.name)
		}
		for _, c := range d.crossings {
			crossings = append(crossings, c.text())
		}
		assert.Equal(t, of.titles, titles, of.name)
		assert.Equal(t, of.crossings, crossings, of.name)
		assert.Len(t, d.lines, len(of.crossings), of.name)
	}
}

func TestThreeAccountsAreConnectedAroundTheMiddleOne(t *testing.T) {
	t.Parallel()
	cluster, owner := state(t, "shared-vpc"), state(t, "privatelink")
	resources := slices.Clone(cluster)
	for _, r := range owner { // the service of another account, with an endpoint in the VPC's account
		if r.Type == awstype.VPCEndpointService || r.URN.Name() == "management-account" {
			resources = append(resources, r)
		}
	}
	service := ""
	for _, r := range resources {
		if r.Type == awstype.VPCEndpointService {
			service, _ = r.Outputs["serviceName"].(string)
		}
	}
	require.NotEmpty(t, service)
	for i, r := range resources {
		if r.Type == awstype.VPCEndpoint {
			resources[i].Inputs["serviceName"], resources[i].Outputs["serviceName"] = service, service
		}
	}
	d := layOut(boxesOf(newGraph(resources, nil)))
	require.Len(t, d.panels, 3)
	assert.Equal(t, "Management account 222222222222", d.panels[2].title())
	i := slices.IndexFunc(d.lines, func(l line) bool { return l.label == "PrivateLink" })
	require.GreaterOrEqual(t, i, 0)
	assert.Len(t, d.lines[i].points, 8, "below the account between them")
	for _, b := range d.boxes {
		assert.False(t, b.kind.section != accounts && b.y < d.lines[i].points[3], "%s is on the line", b.name())
	}
}

// The VPC of an association may exist outside the stack, in an account that the stack has nothing else in.
func TestAHostedZoneIsConnectedWithTheAccountOfAVPCOutsideTheStack(t *testing.T) {
	t.Parallel()
	resources := slices.Clone(state(t, "privatelink"))
	var hub, zone apitype.ResourceV3
	for _, r := range resources {
		switch {
		case r.URN.Name() == "management-account":
			hub = r
		case r.Type == awstype.HostedZone && r.URN.Name() == "network-local-zone":
			zone = r
		}
	}
	hub.URN = resource.URN(strings.Replace(string(hub.URN), "management-account", "hub-account", 1))
	hub.Inputs = map[string]any{"region": "us-east-1", "assumeRole": `{"roleArn":"arn:aws:iam::333333333333:role/deployer"}`}
	hub.Outputs = hub.Inputs
	association := apitype.ResourceV3{
		URN: resource.URN(strings.Replace(string(zone.URN), awstype.HostedZone+"::network-local-zone",
			awstype.ZoneAssociation+"::private-access-zone", 1)),
		Type: awstype.ZoneAssociation, ID: "Z:vpc", Custom: true, Provider: string(hub.URN) + "::" + string(hub.ID),
		Inputs: map[string]any{"zoneId": string(zone.ID), "vpcId": "vpc-theirs"},
	}
	association.Outputs = association.Inputs
	d := layOut(boxesOf(newGraph(append(resources, hub, association), nil)))
	var crossings []string
	for _, c := range d.crossings {
		crossings = append(crossings, c.text())
	}
	assert.Contains(t, crossings, "hosted zone: from account hub 333333333333 to cluster account 123456789012")
}
