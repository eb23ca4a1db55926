package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistributionIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	control := e.id(accessControlToken, accessControl("demo"))
	require.Regexp(t, `^E[A-Z0-9]{13}$`, control)
	id, made := e.create(distributionToken, distribution(control))
	require.Equal(t, "arn:aws:cloudfront::123456789012:distribution/"+id, made["arn"])
	require.Regexp(t, `^d[a-z0-9]{13}\.cloudfront\.net$`, made["domainName"])
}

func TestCloudFrontRefuses(t *testing.T) {
	t.Parallel()
	e := start(t)
	control := e.id(accessControlToken, accessControl("demo"))
	with := func(change func(props)) props {
		p := distribution(control).clone()
		change(p)
		return p
	}
	own := func(p props) {
		p["aliases"] = list("oidc.example.com")
		p["viewerCertificate"] = map[string]any{"acmCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/x"}
	}
	used := e.id(distributionToken, with(own))
	for _, c := range []struct {
		name, token string
		inputs      props
		code        string
	}{
		{"a name twice", accessControlToken, accessControl("demo"), "OriginAccessControlAlreadyExists"},
		{"no such access control", distributionToken, distribution("E0"), "NoSuchOriginAccessControl"},
		{"no such origin", distributionToken, with(func(p props) { p.object("defaultCacheBehavior")["targetOriginId"] = "none" }), "NoSuchOrigin"},
		{"a domain without certificate", distributionToken, with(func(p props) { p["aliases"] = list("x.example.com") }), "InvalidViewerCertificate"},
		{"a certificate of another region", distributionToken, with(func(p props) {
			p["viewerCertificate"] = map[string]any{"acmCertificateArn": "arn:aws:acm:eu-west-1:123456789012:certificate/x"}
		}), "InvalidViewerCertificate"},
		{"a domain twice", distributionToken, with(own), "CNAMEAlreadyExists"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	refused(t, e.delete(accessControlToken, control), "OriginAccessControlInUse")
	require.NoError(t, e.delete(distributionToken, used))
	require.NoError(t, e.delete(accessControlToken, control))
}
