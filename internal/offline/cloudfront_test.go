package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestDistributionIdentifiers(t *testing.T) {
	t.Parallel()
	e := start(t)
	control := e.id(awstype.OriginAccessControl, accessControl("demo"))
	require.Regexp(t, `^E[A-Z0-9]{13}$`, control)
	id, made := e.create(awstype.Distribution, distribution(control))
	require.Equal(t, "arn:aws:cloudfront::123456789012:distribution/"+id, made["arn"])
	require.Regexp(t, `^d[a-z0-9]{13}\.cloudfront\.net$`, made["domainName"])
}

func TestADistributionNeedsAControlAndACertificate(t *testing.T) {
	t.Parallel()
	e := start(t)
	control := e.id(awstype.OriginAccessControl, accessControl("demo"))
	with := func(change func(props.Map)) props.Map {
		p := distribution(control).Clone()
		change(p)
		return p
	}
	own := func(p props.Map) {
		p["aliases"] = props.List("oidc.example.com")
		p["viewerCertificate"] = map[string]any{"acmCertificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/x"}
	}
	used := e.id(awstype.Distribution, with(own))
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		code        string
	}{
		{"a name twice", awstype.OriginAccessControl, accessControl("demo"), "OriginAccessControlAlreadyExists"},
		{"no such access control", awstype.Distribution, distribution("E0"), "NoSuchOriginAccessControl"},
		{"no such origin", awstype.Distribution, with(func(p props.Map) {
			p.Object("defaultCacheBehavior")["targetOriginId"] = "none"
		}), "NoSuchOrigin"},
		{"a domain without certificate", awstype.Distribution, with(func(p props.Map) {
			p["aliases"] = props.List("x.example.com")
		}), "InvalidViewerCertificate"},
		{"a certificate of another region", awstype.Distribution, with(func(p props.Map) {
			p["viewerCertificate"] = map[string]any{"acmCertificateArn": "arn:aws:acm:eu-west-1:123456789012:certificate/x"}
		}), "InvalidViewerCertificate"},
		{"a domain twice", awstype.Distribution, with(own), "CNAMEAlreadyExists"},
	} {
		_, _, err := e.try(c.token, c.inputs, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	refused(t, e.delete(awstype.OriginAccessControl, control), "OriginAccessControlInUse")
	require.NoError(t, e.delete(awstype.Distribution, used))
	require.NoError(t, e.delete(awstype.OriginAccessControl, control))
}
