package awsconfig

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	awsbase "github.com/hashicorp/aws-sdk-go-base/v2"
	"github.com/hashicorp/aws-sdk-go-base/v2/diag"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
)

// Identity is the owner of the credentials, with account and region.
type Identity struct {
	inventory.Place
	// ARN is the owner's.
	ARN string
}

// Load builds the SDK's configuration and gets credentials: roles are assumed, tokens are exchanged. It fails with an
// *Error.
func (s *Settings) Load(ctx context.Context) (aws.Config, error) {
	base := s.base
	base.SkipCredsValidation = true // Identify validates
	if base.RetryMode == "" && os.Getenv("AWS_RETRY_MODE") == "" {
		base.RetryMode = aws.RetryModeAdaptive // a service that throttles is asked more slowly
	}
	_, cfg, diags := awsbase.GetAwsConfig(ctx, &base)
	for _, d := range diags {
		if d.Severity() == diag.SeverityError {
			return cfg, s.explain(d)
		}
	}
	if cfg.Region == "" {
		return cfg, s.noRegion()
	}
	return cfg, nil
}

// SetEndpoint sets a client's BaseEndpoint to the service's endpoint, if the settings have one. service is its name in
// the provider's endpoints, such as "ec2".
func (s *Settings) SetEndpoint(service string, base **string) {
	if address := s.endpoints[service]; address != "" {
		*base = &address
	}
}

// Identify returns the identity of the credentials of cfg, from STS, and checks the account against allowedAccountIds
// and forbiddenAccountIds. It fails with an *Error.
func (s *Settings) Identify(ctx context.Context, cfg aws.Config) (Identity, error) {
	client := sts.NewFromConfig(cfg, func(o *sts.Options) {
		s.SetEndpoint("sts", &o.BaseEndpoint)
		if s.base.StsRegion != "" {
			o.Region = s.base.StsRegion
		}
	})
	who, err := client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return Identity{}, s.refused(err)
	}
	name, err := arn.Parse(aws.ToString(who.Arn))
	if err != nil {
		return Identity{}, &Error{
			Problem: "AWS STS returned no ARN for the credentials",
			Remedy:  "check the endpoint of STS",
			Cause:   err,
		}
	}
	if err := s.base.VerifyAccountIDAllowed(aws.ToString(who.Account)); err != nil {
		return Identity{}, &Error{
			Problem: "the AWS credentials belong to account " + aws.ToString(who.Account) + ", which " + s.prefix +
				"allowedAccountIds or " + s.prefix + "forbiddenAccountIds excludes",
			Remedy: "use credentials of another account, or correct the config", Cause: err,
		}
	}
	return Identity{
		Place: inventory.Place{Partition: name.Partition, Account: aws.ToString(who.Account), Region: cfg.Region},
		ARN:   name.String(),
	}, nil
}

// checkTimeout limits the time of Check: the provider itself fails later, with a less clear error.
const checkTimeout = 30 * time.Second

// Check tries the credentials as the provider would before its first call. It does nothing if skipCredentialsValidation
// is set. It fails with an *Error.
func (s *Settings) Check(ctx context.Context) error {
	if s.skipValidation {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	cfg, err := s.Load(ctx)
	if err != nil {
		return err
	}
	_, err = s.Identify(ctx, cfg)
	return err
}

// loggerPrefix begins a line of the AWS SDK's default logger: "SDK 2026/11/23 05:00:00 WARN falling back to IMDSv1".
const loggerPrefix = "SDK 2"

// HideLogs hides the lines of the AWS SDK's loggers, which write to the os.Stderr of the time at which a client is
// made: it replaces os.Stderr by a pipe that leaves them out, and returns the former. Neither the base library nor the
// library of the states' bucket passes on a logger of its caller. What matters in such a line is in the error that
// follows. Call it once, before anything else uses os.Stderr.
func HideLogs() *os.File {
	terminal := os.Stderr
	from, to, err := os.Pipe()
	if err != nil { // too many open files, which what follows reports
		return terminal
	}
	os.Stderr = to
	go func() { _, _ = io.Copy(&withoutLogs{to: terminal}, from) }()
	return terminal
}

// withoutLogs writes everything but the lines of the SDK's loggers, without waiting for the end of other lines: some
// are prompts.
type withoutLogs struct {
	to io.Writer
	// begun is the beginning of a line that may be one of the SDK's.
	begun []byte
	// within is true after the beginning of another line.
	within bool
}

func (w *withoutLogs) Write(text []byte) (int, error) {
	rest := slices.Concat(w.begun, text)
	w.begun = nil
	var shown []byte
	for len(rest) > 0 {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		switch {
		case !w.within && bytes.HasPrefix(line, []byte(loggerPrefix)) && ended:
		case !w.within && !ended && (bytes.HasPrefix(line, []byte(loggerPrefix)) ||
			bytes.HasPrefix([]byte(loggerPrefix), line)):
			w.begun = bytes.Clone(line)
		default:
			shown = append(shown, rest[:len(rest)-len(after)]...)
			w.within = !ended
		}
		rest = after
	}
	if _, err := w.to.Write(shown); err != nil {
		return 0, err
	}
	return len(text), nil
}
