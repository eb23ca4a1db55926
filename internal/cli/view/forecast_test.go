package view

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/estimate"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/price"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func TestImportingANATGatewayTakesASecondAndAddsNoCost(t *testing.T) {
	t.Parallel()
	urn := resource.URN("urn:pulumi:dev::hypershift-aws::" + awstype.NATGateway + "::nat")
	gateway := apitype.ResourceV3{
		URN: urn, Type: awstype.NATGateway, ID: "nat-1", Custom: true, Outputs: map[string]any{"arn": "arn:aws:ec2:us-east-1:111122223333:natgateway/nat-1"},
	}
	planned := &plan.Plan{After: []apitype.ResourceV3{gateway}}
	planned.Planned(apitype.StepEventMetadata{
		Op: apitype.OpImport, URN: string(urn), Type: awstype.NATGateway, New: &apitype.StepEventStateMetadata{ID: "nat-1", Custom: true},
	})

	steps := stepsOf(planned)
	require.Len(t, steps, 1)
	assert.Equal(t, estimate.Import, steps[0].Op)
	assert.Equal(t, "about 1 s: importing NatGateway", estimate.Of(steps, estimate.Typical, parallel).Text(func(string) string { return "NatGateway" }))

	prices, err := price.Builtin()
	require.NoError(t, err)
	cost := price.Compare(prices.Estimate(planned.Existing()), prices.Estimate(planned.After))
	assert.Zero(t, cost.Monthly)
	assert.InDelta(t, 32.85, cost.Before.Monthly, 0.001)
}

func TestResourcesThatCAPAWillCreateAreListedWithTheirPrices(t *testing.T) {
	t.Parallel()
	prices, err := price.Builtin()
	require.NoError(t, err)
	file := &config.File{Region: "eu-west-3", Config: config.Config{CAPA: &config.CAPA{Args: capa.Args{
		Name: "demo", Network: capa.NetworkArgs{Zones: []network.Zone{{Name: "eu-west-3a"}, {Name: "eu-west-3b"}}},
		Workers: []capa.WorkersArgs{{Name: "md"}, {Name: "big", InstanceType: "m9.huge"}},
	}}}}
	list := beyondTheStack(prices, file)
	require.Len(t, list, 4)
	assert.Equal(t, "CAPA's network load balancer demo-apiserver", list[0])
	assert.Equal(t, "CAPA's 3 x t3.large, control plane: 206.74 USD/month (eu-west-3, 2026-09-27)", list[1])
	assert.Equal(t, "CAPA's 2 x m9.huge, big: price unknown", list[3])
	assert.Empty(t, beyondTheStack(prices, &config.File{}))
}
