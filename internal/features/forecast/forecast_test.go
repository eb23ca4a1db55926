package forecast

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	api "github.com/hypershift-aws/hypershift-aws/api/forecast"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/estimate"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

func TestImportingANATGatewayTakesASecondAndAddsNoCost(t *testing.T) {
	t.Parallel()
	urn := resource.URN("urn:pulumi:dev::hypershift-aws::" + awstype.NATGateway + "::nat")
	gateway := apitype.ResourceV3{
		URN: urn, Type: awstype.NATGateway, ID: "nat-1", Custom: true,
		Outputs: map[string]any{"arn": "arn:aws:ec2:us-east-1:111122223333:natgateway/nat-1"},
	}
	planned := &plan.Builder{Plan: changes.Plan{After: []apitype.ResourceV3{gateway}}}
	planned.Add(apitype.StepEventMetadata{
		Op: apitype.OpImport, URN: string(urn), Type: awstype.NATGateway,
		New: &apitype.StepEventStateMetadata{ID: "nat-1", Custom: true},
	})

	steps := stepsOf(&planned.Plan)
	require.Len(t, steps, 1)
	assert.Equal(t, api.Import, steps[0].Op)
	assert.Equal(t, "about 1 s: importing NatGateway", estimate.Text(estimate.Schedule(steps, estimate.Typical, 8), func(string) string { return "NatGateway" }))

	prices, err := price.Builtin()
	require.NoError(t, err)
	cost := price.Compare(prices.Estimate(planned.Existing()), prices.Estimate(planned.After))
	assert.Zero(t, cost.Monthly)
	assert.InDelta(t, 32.85, cost.Before.Monthly, 0.001)
}
