package awsconfig

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	ssotypes "github.com/aws/aws-sdk-go-v2/service/sso/types"
	"github.com/aws/smithy-go"
	awsbase "github.com/hashicorp/aws-sdk-go-base/v2"
	"github.com/hashicorp/aws-sdk-go-base/v2/diag"
)

// Error is why AWS cannot be called, and the remedy.
type Error struct {
	// Problem is a sentence without its full stop.
	Problem string
	// Remedy says what to do next.
	Remedy string
	// Cause is the SDK's error, nil if there is none.
	Cause error
}

var _ error = (*Error)(nil)

// Error returns the problem followed by the remedy.
func (e *Error) Error() string { return e.Problem + "; " + e.Remedy }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

func (s *Settings) noRegion() error {
	return &Error{
		Problem: "no AWS region is configured",
		Remedy:  "set " + s.prefix + "region in the stack's file, AWS_REGION, or region in the AWS profile",
	}
}

// explain converts the base library's error to an Error.
func (s *Settings) explain(d diag.Diagnostic) error {
	cause := errors.New(strings.TrimSpace(d.Summary() + ": " + d.Detail()))
	if with, ok := d.(diag.DiagnosticWithErr); ok && with.Err() != nil {
		cause = with.Err()
	}
	if err := s.known(cause); err != nil {
		return err
	}
	switch {
	case s.base.AssumeRoleWithWebIdentity != nil && s.base.AssumeRoleWithWebIdentity.RoleARN != "" &&
		!awsbase.IsNoValidCredentialSourcesError(d):
		return &Error{
			Problem: fmt.Sprintf("role %s cannot be assumed with the web identity token (%s)",
				s.base.AssumeRoleWithWebIdentity.RoleARN, reason(cause)),
			Remedy: "check " + s.prefix + "assumeRoleWithWebIdentity, the token and the role's trust policy", Cause: cause,
		}
	case awsbase.IsCannotAssumeRoleError(d):
		var arns []string
		for _, role := range s.base.AssumeRole {
			arns = append(arns, role.RoleARN)
		}
		return &Error{
			Problem: fmt.Sprintf("role %s cannot be assumed (%s)", strings.Join(arns, " or "), reason(cause)),
			Remedy:  "check " + s.prefix + "assumeRole, and that the role's trust policy allows the principal of the credentials", Cause: cause,
		}
	case awsbase.IsNoValidCredentialSourcesError(d):
		return s.noCredentials(cause)
	}
	return &Error{
		Problem: "the AWS configuration cannot be used: " + reason(cause),
		Remedy:  "correct the keys " + s.prefix + "* or the environment",
		Cause:   cause,
	}
}

func (s *Settings) noCredentials(cause error) error {
	return &Error{
		Problem: "no AWS credentials were found",
		Remedy:  "log in with `aws sso login` or `aws configure`, set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use " + s.prefix + "profile", Cause: cause,
	}
}

// refused converts the error of a failed GetCallerIdentity to an Error.
func (s *Settings) refused(err error) error {
	if known := s.known(err); known != nil {
		return known
	}
	return &Error{
		Problem: "AWS STS does not return the identity of the credentials (" + reason(err) + ")",
		Remedy:  "check the credentials",
		Cause:   err,
	}
}

// known returns an Error with a specific message for a known error, or nil for others.
func (s *Settings) known(err error) error {
	var noProfile config.SharedConfigProfileNotExistError
	var noToken *ssocreds.InvalidTokenError
	var unauthorized *ssotypes.UnauthorizedException
	var api smithy.APIError
	var network *net.OpError
	var name *net.DNSError
	var address *url.Error
	switch {
	case errors.As(err, &noProfile):
		return &Error{
			Problem: fmt.Sprintf("AWS profile %q does not exist", noProfile.Profile),
			Remedy:  "correct " + s.prefix + "profile or AWS_PROFILE, or run `aws configure list-profiles` to list the profiles", Cause: err,
		}
	case strings.Contains(err.Error(), "AssumeRoleTokenProvider"): // the SDK's name for whatever asks for the code
		profile := s.base.Profile
		if profile == "" {
			profile = "NAME"
		}
		return &Error{
			Problem: "the role of the AWS profile requires MFA (mfa_serial), and nothing here can ask for the code",
			Remedy: "get a session first: eval \"$(aws configure export-credentials --profile " + profile +
				" --format env)\", and leave " +
				s.prefix + "profile out",
			Cause: err,
		}
	case errors.As(err, &noToken), errors.As(err, &unauthorized), strings.Contains(err.Error(), "cached SSO token"):
		return &Error{
			Problem: "the AWS SSO session has expired or does not exist",
			Remedy:  "run `aws sso login" + s.withProfile() + "`",
			Cause:   err,
		}
	case errors.As(err, &api):
		switch api.ErrorCode() {
		case "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch", "InvalidAccessKeyId",
			"AuthFailure", "IncompleteSignature":
			return &Error{
				Problem: fmt.Sprintf("AWS does not accept the credentials (%s)", api.ErrorCode()),
				Remedy:  "check the access key and its secret, and that they belong to this AWS partition", Cause: err,
			}
		case "ExpiredToken", "ExpiredTokenException", "RequestExpired":
			return &Error{
				Problem: fmt.Sprintf("the AWS credentials have expired (%s)", api.ErrorCode()),
				Remedy:  "obtain new ones, for instance with `aws sso login`",
				Cause:   err,
			}
		}
	case errors.As(err, &name), errors.As(err, &network), errors.As(err, &address),
		errors.Is(err, context.DeadlineExceeded):
		return &Error{
			Problem: serviceIn(err) + " cannot be reached (" + reason(err) + ")",
			Remedy:  "check the network, the proxy settings and " + s.prefix + "region", Cause: err,
		}
	}
	return nil
}

// serviceIn returns the service whose host an error of the network names.
func serviceIn(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "portal.sso."):
		return "the AWS SSO portal"
	case strings.Contains(text, "oidc."):
		return "AWS SSO (its OIDC service)"
	case strings.Contains(text, "signin."):
		return "the AWS sign-in service"
	}
	return "AWS STS"
}

func (s *Settings) withProfile() string {
	if s.base.Profile == "" {
		return ""
	}
	return " --profile " + s.base.Profile
}

// reason returns the innermost part of the SDK's error.
func reason(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode() + ": " + api.ErrorMessage()
	}
	var network *net.OpError
	if errors.As(err, &network) {
		return network.Error()
	}
	text := err.Error()
	var canceled *aws.RequestCanceledError
	if errors.As(err, &canceled) && canceled.Err != nil {
		text = canceled.Err.Error()
	}
	return strings.TrimSpace(strings.SplitN(text, "\n", 2)[0])
}
