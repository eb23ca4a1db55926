package run

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"
)

const (
	tagURN      = "urn:pulumi:dev::hypershift-aws::aws:ec2/tag:Tag::network-private-a-name"
	endpointURN = "urn:pulumi:dev::hypershift-aws::aws:ec2/vpcEndpoint:VpcEndpoint::private-link"
	serviceURN  = "urn:pulumi:dev::hypershift-aws::aws:ec2/vpcEndpointService:VpcEndpointService::private-link-service"
)

// stepOf returns a creation as in the engine's events.
func stepOf(urn, id string, inputs, outputs map[string]any) apitype.StepEventMetadata {
	return apitype.StepEventMetadata{
		Op:  apitype.OpCreate,
		URN: urn,
		New: &apitype.StepEventStateMetadata{ID: id, Inputs: inputs, Outputs: outputs},
	}
}

// Only what this update created can be late: the same answer for a configured name is an error.
func TestAnErrorIsTemporaryOnlyForResourcesThatWereJustCreated(t *testing.T) {
	t.Parallel()
	const (
		service = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
		role    = "arn:aws:iam::123456789012:role/demo-x1-control-plane-operator"
		subnet  = "subnet-0123456789abcdef0"
	)
	p := &propagation{}
	p.made(stepOf(serviceURN, "vpce-svc-0123456789abcdef0", nil, map[string]any{"serviceName": service}))
	p.made(stepOf("urn:pulumi:dev::hypershift-aws::aws:iam/role:Role::roles-cpo", "demo-x1-control-plane-operator", nil,
		map[string]any{"arn": role}))
	p.made(stepOf("urn:pulumi:dev::hypershift-aws::aws:ec2/subnet:Subnet::network-private-a", subnet, nil, nil))
	for _, c := range []struct {
		name, urn, message string
		inputs             map[string]any
		want               bool
	}{
		{"a tag of a new subnet", tagURN, "reading ec2 resource (subnet-0123456789abcdef0) tag (Name): empty result",
			map[string]any{"resourceId": subnet}, true},
		{"a tag of an older subnet", tagURN, "reading ec2 resource (subnet-1) tag (Name): empty result",
			map[string]any{"resourceId": "subnet-1"}, false},
		{"an endpoint of a new service", endpointURN, "api error InvalidServiceName: The Vpc Endpoint Service does not exist",
			map[string]any{"serviceName": service}, true},
		{"a service that is not available", endpointURN, "https response error StatusCode: 503",
			map[string]any{"serviceName": service}, true},
		{"an endpoint of a service that was given", endpointURN, "api error InvalidServiceName",
			map[string]any{"serviceName": "com.amazonaws.vpce.us-east-1.vpce-svc-0fedcba9876543210"}, false},
		{"an endpoint without permission", endpointURN, "api error UnauthorizedOperation",
			map[string]any{"serviceName": service}, false},
		{"a new principal", serviceURN, "api error InvalidPrincipal", map[string]any{"allowedPrincipals": []any{role}}, true},
		{"a principal that was given", serviceURN, "api error InvalidPrincipal", map[string]any{
			"allowedPrincipals": []any{"arn:aws:iam::1:role/x"},
		}, false},
		{"a creation that refers to a new subnet", "urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::nat",
			"api error InvalidSubnetID.NotFound: The subnet ID '" + subnet + "' does not exist",
			map[string]any{"subnetId": subnet}, true},
		{"a creation that refers to an older subnet", "urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::other",
			"api error InvalidSubnetID.NotFound: The subnet ID 'subnet-1' does not exist",
			map[string]any{"subnetId": "subnet-1"}, false},
		{"what is created", "urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::new",
			"sdk-v2/provider2.go:515: sdk.helper_schema: reading EC2 NAT Gateway (nat-0123456789abcdef0): couldn't find resource", nil, true},
		{"another type", "urn:pulumi:dev::hypershift-aws::aws:ec2/vpc:Vpc::network", "empty result",
			map[string]any{"id": subnet}, false},
	} {
		p.began(stepOf(c.urn, "", c.inputs, nil))
		require.Equal(t, c.want, p.temporary(c.urn, c.message), c.name)
	}
	require.Equal(t, []string{tagURN, endpointURN, serviceURN,
		"urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::nat",
		"urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::new"}, p.late)
	require.Equal(t, []string{"urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::new"}, p.unlisted)
	changed := stepOf(tagURN, "", nil, nil)
	changed.Op, changed.URN = apitype.OpUpdate, "urn:pulumi:dev::hypershift-aws::aws:ec2/natGateway:NatGateway::deleted"
	p.began(changed)
	require.False(t, p.temporary(changed.URN, "reading EC2 NAT Gateway (nat-1): couldn't find resource"),
		"somebody has deleted it")
	p.last = true
	p.began(stepOf(tagURN, "", map[string]any{"resourceId": subnet}, nil))
	require.False(t, p.temporary(tagURN, "empty result"), "there is no further run")
}
