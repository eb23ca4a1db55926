package awsconfig

import (
	"errors"
	"net"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMFAAndAnSSOPortalThatIsNotReachedAreNamed(t *testing.T) {
	t.Parallel()
	s := &Settings{prefix: "aws:"}
	s.base.Profile = "dev"
	err := s.known(errors.New("assume role with MFA enabled, but AssumeRoleTokenProvider session option not set"))
	var known *Error
	require.ErrorAs(t, err, &known)
	require.Contains(t, known.Problem, "requires MFA")
	require.Contains(t, known.Remedy, "aws configure export-credentials --profile dev --format env")

	unreached := func(host string) error {
		return &url.Error{Op: "Get", URL: "https://" + host + "/", Err: &net.OpError{Op: "dial", Net: "tcp",
			Err: &net.DNSError{Name: host, Err: "no such host", IsNotFound: true}}}
	}
	require.ErrorContains(t, s.known(unreached("portal.sso.us-east-1.amazonaws.com")), "the AWS SSO portal cannot be reached")
	require.ErrorContains(t, s.known(unreached("sts.us-east-1.amazonaws.com")), "AWS STS cannot be reached")
}
