package preflight

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// The issuer of a created provider is the operator's: an issuer whose documents the user publishes has a provider
// already.
func TestTheDocumentsOfEachCreatedProviderAreLookedUp(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"d111111abcdef8.cloudfront.net", "oidc.example.com",
		"demo-oidc.s3.us-east-1.amazonaws.com"} {
		for _, isNew := range []bool{true, false} {
			p := Plan{
				New: isNew,
				Resources: []Resource{{
					Type:    awstype.OIDCProvider,
					Created: true,
					Inputs:  props.Map{"url": "https://" + host + "/demo-x1"},
				}},
			}
			names := p.names()[inventory.Place{}]
			require.Contains(t, names, Name{Token: awstype.OIDCProvider, Name: host + "/demo-x1"})
			require.Equal(t, isNew, len(names) == 2, host)
		}
	}
	p := Plan{
		New: true,
		Resources: []Resource{{
			Type:    awstype.OIDCProvider,
			Created: true,
			Inputs:  props.Map{"url": "https://d1.cloudfront.net/demo-x1"},
		}},
	}
	found := Run(t.Context(), p, Accounts{{}: fake{}}, Options{
		Quick:    true,
		Resolver: fakeDNS{serves: "d1.cloudfront.net/demo-x1"},
	})
	f := findingOn(t, found, Names, "OIDC documents d1.cloudfront.net/demo-x1")
	require.Equal(t, finding.Error, f.Severity)
	require.Equal(t, "exists already, in the bucket behind the issuer's host", f.Problem)
	require.Contains(t, f.Remedy, "otherwise use another infraID")
	for _, resolver := range []workspace.Resolver{nil, fakeDNS{}} {
		require.Empty(t, Run(t.Context(), p, Accounts{{}: fake{}}, Options{
			Quick:    true,
			Resolver: resolver,
		}).Count(finding.Error))
	}
}
