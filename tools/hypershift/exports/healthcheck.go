package healthcheck

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// IdentityProvider sets the condition of the identity provider.
func IdentityProvider(ctx context.Context, plane *hyperv1.HostedControlPlane) error {
	return awsHealthCheckIdentityProvider(ctx, plane)
}
