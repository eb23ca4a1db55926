package privatelink

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func TestAPrincipalThatIsNotAnARNIsRefused(t *testing.T) {
	t.Parallel()
	args := &EndpointServiceArgs{Cluster: demo(), LoadBalancers: &LoadBalancers{Names: input.Strings("router")},
		AllowedPrincipals: []pulumi.StringInput{pulumi.String("arn:aws:iam::123456789012:root"), pulumi.String("operator")}}
	require.ErrorContains(t, args.Validate(), `allowedPrincipals[1]: "operator" is not the ARN of a principal`)
	require.Len(t, fault.In(args.Validate()), 1)
}
