package adopt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDistributionOfABucketIsTheOneThatItsPolicyAllows(t *testing.T) {
	t.Parallel()
	const allow = `{"Effect":"Allow","Principal":{"Service":"cloudfront.amazonaws.com"},"Action":"s3:GetObject","Resource":"*","Condition":`
	for document, want := range map[string][]string{
		`{"Statement":[` + allow + `{"StringEquals":{"AWS:SourceArn":"arn:aws:cloudfront::111111111111:distribution/E1"}}}]}`:                                             {"E1"},
		`{"Statement":[` + allow + `{"ArnLike":{"aws:sourcearn":["arn:aws:cloudfront::1:distribution/E2","arn:aws:cloudfront::1:distribution/E1"]}}}]}`:                   {"E1", "E2"},
		`{"Statement":[{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*","Condition":{"ArnLike":{"aws:SourceArn":"arn:aws:cloudfront::1:distribution/E1"}}}]}`: nil,
		`{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"*"}]}`:                                                                       nil,
	} {
		got, err := distributionsOf(document)
		require.NoError(t, err, document)
		require.Equal(t, want, got, document)
	}
	_, err := distributionsOf("no policy")
	require.Error(t, err)
}

func TestTheAccessControlIsThatOfTheBucketsOrigin(t *testing.T) {
	t.Parallel()
	distribution := map[string]any{"origins": []any{
		map[string]any{"domainName": "demo-oidc-2.s3.us-east-1.amazonaws.com", "originAccessControlId": "E2"},
		map[string]any{"domainName": "demo-oidc.s3.us-east-1.amazonaws.com", "originAccessControlId": "E1"},
	}}
	require.Equal(t, "E1", AccessControlOf(distribution, "demo-oidc"))
	require.Empty(t, AccessControlOf(distribution, "demo"))
	require.Empty(t, AccessControlOf(nil, "demo-oidc"))
}
