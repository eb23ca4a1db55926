package awsconfig

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsbase "github.com/hashicorp/aws-sdk-go-base/v2"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
)

// stsServer answers as AWS STS does: with an error where refuse has one for the call, and remembers the calls.
type stsServer struct {
	*httptest.Server
	// refuse has the error code of each call that is refused.
	refuse map[string]string
	mu     sync.Mutex
	calls  []url.Values
}

func serveSTS(t *testing.T, refuse map[string]string) *stsServer {
	t.Helper()
	s := &stsServer{refuse: refuse}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *stsServer) answer(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	s.calls = append(s.calls, r.Form)
	s.mu.Unlock()
	action := r.Form.Get("Action")
	w.Header().Set("Content-Type", "text/xml")
	if code := s.refuse[action]; code != "" {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, `<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>refused</Message></Error></ErrorResponse>`, code)
		return
	}
	result := `<Arn>arn:aws-us-gov:sts::123456789012:assumed-role/r/s</Arn><UserId>x</UserId><Account>123456789012</Account>`
	if action != "GetCallerIdentity" {
		result = `<Credentials><AccessKeyId>a</AccessKeyId><SecretAccessKey>b</SecretAccessKey><SessionToken>c</SessionToken>` +
			`<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>`
	}
	_, _ = fmt.Fprintf(w, `<%[1]sResponse><%[1]sResult>%[2]s</%[1]sResult></%[1]sResponse>`, action, result)
}

// withoutAWS takes everything of AWS's out of the environment.
func withoutAWS(t *testing.T) {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
			require.NoError(t, os.Unsetenv(name))
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true") // the base library sets it too
}

// write writes a file of the AWS CLI and gives the settings that name it.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// TestEachErrorOfCredentialsHasASpecificMessage changes the environment: it is not parallel.
func TestEachErrorOfCredentialsHasASpecificMessage(t *testing.T) {
	withoutAWS(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	sso := write(t, "[profile corp]\nsso_session = corp\nsso_account_id = 123456789012\nsso_role_name = r\n"+
		"[sso-session corp]\nsso_region = us-east-1\nsso_start_url = https://corp.example.com/start\n")
	keys := map[string]any{"region": "us-east-1", "accessKey": "AKIDEXAMPLE", "secretKey": "s", "maxRetries": 1}
	with := func(more map[string]any) map[string]any {
		all := map[string]any{}
		for _, values := range []map[string]any{keys, more} {
			for key, value := range values {
				all[key] = value
			}
		}
		return all
	}
	for _, c := range []struct {
		name   string
		values map[string]any
		refuse map[string]string
		sts    string
		want   string
	}{
		{
			name:   "no credentials",
			values: map[string]any{"region": "us-east-1", "maxRetries": 1},
			want:   "no AWS credentials were found; log in with `aws sso login`",
		},
		{name: "no region", values: with(map[string]any{"region": ""}), want: "no AWS region is configured; set aws:region"},
		{name: "a profile that is not there", values: map[string]any{"region": "us-east-1", "profile": "corp"}, want: `AWS profile "corp" does not exist; correct aws:profile`},
		{name: "an expired SSO session", values: map[string]any{
			"region":            "us-east-1",
			"profile":           "corp",
			"sharedConfigFiles": []any{sso},
		},
			want: "the AWS SSO session has expired or does not exist; run `aws sso login --profile corp`"},
		{name: "wrong keys", values: keys, refuse: map[string]string{"GetCallerIdentity": "InvalidClientTokenId"},
			want: "AWS does not accept the credentials (InvalidClientTokenId); check the access key"},
		{name: "a wrong secret", values: keys, refuse: map[string]string{"GetCallerIdentity": "SignatureDoesNotMatch"},
			want: "AWS does not accept the credentials (SignatureDoesNotMatch)"},
		{name: "expired credentials", values: keys, refuse: map[string]string{"GetCallerIdentity": "ExpiredToken"},
			want: "the AWS credentials have expired (ExpiredToken); obtain new ones"},
		{name: "STS that is not there", values: keys, sts: closed, want: "AWS STS cannot be reached (dial tcp"},
		{name: "a role that may not be assumed", values: with(map[string]any{"assumeRole": `{"roleArn": "arn:aws:iam::210987654321:role/x"}`}),
			refuse: map[string]string{"AssumeRole": "AccessDenied"},
			want:   "role arn:aws:iam::210987654321:role/x cannot be assumed (AccessDenied: refused); check aws:assumeRole"},
		{name: "a token that is refused", values: map[string]any{"region": "us-east-1", "maxRetries": 1,
			"assumeRoleWithWebIdentity": map[string]any{"roleArn": "arn:aws:iam::210987654321:role/x", "webIdentityToken": "t"}},
			refuse: map[string]string{"AssumeRoleWithWebIdentity": "InvalidIdentityToken"},
			want:   "role arn:aws:iam::210987654321:role/x cannot be assumed with the web identity token (InvalidIdentityToken: refused)"},
		{name: "another account", values: with(map[string]any{"allowedAccountIds": `["210987654321"]`}),
			want: "the AWS credentials belong to account 123456789012, which aws:allowedAccountIds or aws:forbiddenAccountIds excludes"},
		{
			name:   "a forbidden account",
			values: with(map[string]any{"forbiddenAccountIds": []any{"123456789012"}}),
			want:   "belong to account 123456789012",
		},
		{name: "credentials that are right", values: keys},
		{name: "what is not to be tried", values: map[string]any{"skipCredentialsValidation": "true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			address := c.sts
			if address == "" {
				address = serveSTS(t, c.refuse).URL
			}
			t.Setenv("AWS_ENDPOINT_URL_STS", address)
			s, err := Parse(c.values)
			require.NoError(t, err)
			err = s.Check(t.Context())
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var own *Error
			require.ErrorAs(t, err, &own)
			require.ErrorContains(t, err, c.want, "%v", own.Cause)
			require.NotEmpty(t, own.Problem)
			require.NotEmpty(t, own.Remedy)
		})
	}
}

func TestEverySettingReachesAWSAsInTheProvider(t *testing.T) {
	withoutAWS(t)
	sts := serveSTS(t, nil)
	token := write(t, "token")
	s, err := Parse(map[string]any{
		"region": "us-gov-west-1", "maxRetries": "1", "profile": "p", "stsRegion": "us-gov-east-1",
		"sharedConfigFiles":      `["` + write(t, "[profile p]\nregion = us-east-1\n") + `"]`,
		"sharedCredentialsFiles": []any{write(t, "[p]\naws_access_key_id = base\naws_secret_access_key = s\n")},
		"endpoints":              fmt.Sprintf(`[{"sts": %q, "ec2": "http://ec2.example.com"}]`, sts.URL),
		"assumeRoles": []any{
			map[string]any{"roleArn": "arn:aws-us-gov:iam::111111111111:role/a", "externalId": "e", "sessionName": "n",
				"duration": "1h",
				"policy":   "{}", "policyArns": []any{"arn:p"}, "tags": map[string]any{"k": "v"}, "transitiveTagKeys": []any{"k"},
				"sourceIdentity": "i"},
			map[string]any{"roleArn": "arn:aws-us-gov:iam::222222222222:role/b"},
		},
		"assumeRoleWithWebIdentity": map[string]any{
			"roleArn":              "arn:aws-us-gov:iam::333333333333:role/w",
			"webIdentityTokenFile": token,
			"sessionName":          "w",
		},
		"defaultTags": `{"tags": {"a": "b"}}`,
	})
	require.NoError(t, err)
	cfg, err := s.Load(t.Context())
	require.NoError(t, err)
	identity, err := s.Identify(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, Identity{Place: inventory.Place{
		Partition: "aws-us-gov",
		Account:   "123456789012",
		Region:    "us-gov-west-1",
	},
		ARN: "arn:aws-us-gov:sts::123456789012:assumed-role/r/s"}, identity)
	endpoint, other := (*string)(nil), (*string)(nil)
	s.SetEndpoint("ec2", &endpoint)
	s.SetEndpoint("route53", &other)
	require.Equal(t, "http://ec2.example.com", *endpoint)
	require.Nil(t, other)

	first := map[string]url.Values{}
	for _, call := range sts.calls {
		key := call.Get("Action") + " " + call.Get("RoleArn")
		if first[key] == nil {
			first[key] = call
		}
	}
	web := first["AssumeRoleWithWebIdentity arn:aws-us-gov:iam::333333333333:role/w"]
	require.Equal(t, []string{"token", "w"}, []string{web.Get("WebIdentityToken"), web.Get("RoleSessionName")})
	a := first["AssumeRole arn:aws-us-gov:iam::111111111111:role/a"]
	require.Equal(t, []string{"e", "n", "3600", "{}", "arn:p", "k", "v", "k", "i"}, []string{
		a.Get("ExternalId"), a.Get("RoleSessionName"), a.Get("DurationSeconds"), a.Get("Policy"),
		a.Get("PolicyArns.member.1.arn"),
		a.Get("Tags.member.1.Key"), a.Get("Tags.member.1.Value"), a.Get("TransitiveTagKeys.member.1"),
		a.Get("SourceIdentity"),
	})
	require.Contains(t, first, "AssumeRole arn:aws-us-gov:iam::222222222222:role/b")
}

func TestSettingsAreReadInEveryFormOfTheStateAndTheConfig(t *testing.T) {
	t.Parallel()
	proxy := "http://proxy"
	want := awsbase.Config{
		HTTPProxy: &proxy, HTTPSProxy: &proxy, NoProxy: "a,b", CustomCABundle: "/ca", UseFIPSEndpoint: true,
		UseDualStackEndpoint: true,
		RetryMode:            "adaptive", MaxRetries: 3, Insecure: true, EC2MetadataServiceEndpoint: "http://md",
		EC2MetadataServiceEndpointMode: "IPv6",
		SkipRequestingAccountId:        true, TokenBucketRateLimiterCapacity: 5,
	}
	for _, values := range []map[string]any{
		{
			"useFipsEndpoint":                true,
			"useDualstackEndpoint":           true,
			"maxRetries":                     3.0,
			"insecure":                       true,
			"skipRequestingAccountId":        true,
			"tokenBucketRateLimiterCapacity": 5,
		},
		{
			"useFipsEndpoint":                "true",
			"useDualstackEndpoint":           "true",
			"maxRetries":                     "3",
			"insecure":                       "true",
			"skipRequestingAccountId":        "true",
			"tokenBucketRateLimiterCapacity": "5",
		},
	} {
		for key, value := range map[string]any{"httpProxy": proxy, "httpsProxy": proxy, "noProxy": "a,b",
			"customCaBundle": "/ca", "retryMode": "adaptive",
			"ec2MetadataServiceEndpoint": "http://md", "ec2MetadataServiceEndpointMode": "IPv6"} {
			values[key] = value
		}
		s, err := Parse(values)
		require.NoError(t, err)
		s.base.CallerName, s.base.CallerDocumentationURL, s.base.SuppressDebugLog = "", "", false
		require.Equal(t, want, s.base)
	}
	s, err := Parse(map[string]any{"assumeRole": map[string]any{"roleArn": "r", "duration": "900"}})
	require.NoError(t, err)
	require.Equal(t, 15*time.Minute, s.base.AssumeRole[0].Duration)
}

// The keys of a further account are named as the stack's file has them.
func TestMessagesNameTheKeysOfAFurtherAccount(t *testing.T) {
	withoutAWS(t)
	t.Setenv("AWS_ENDPOINT_URL_STS", serveSTS(t, map[string]string{"AssumeRole": "AccessDenied"}).URL)
	const prefix = "cluster.accounts.management."
	s, err := ParseSection(prefix, map[string]any{"region": "us-east-1", "accessKey": "a", "secretKey": "s",
		"maxRetries": 1,
		"assumeRole": map[string]any{"roleArn": "arn:aws:iam::210987654321:role/x"}})
	require.NoError(t, err)
	require.ErrorContains(t, s.Check(t.Context()), "role arn:aws:iam::210987654321:role/x cannot be assumed (AccessDenied: refused); check cluster.accounts.management.assumeRole, and")
	_, err = ParseSection(prefix, map[string]any{"maxRetries": "many"})
	require.ErrorContains(t, err, "cluster.accounts.management.maxRetries: expected a whole number")
}

func TestReadableSecretsAreUsedAndEncryptedOnesRefused(t *testing.T) {
	t.Parallel()
	shown := map[string]any{"accessKey": "a", "secretKey": map[string]any{sig.Key: sig.Secret, "plaintext": `"s3cret"`}}
	require.False(t, Encrypted(shown))
	s, err := Parse(shown)
	require.NoError(t, err)
	require.Equal(t, "s3cret", s.base.SecretKey)

	hidden := map[string]any{"secretKey": map[string]any{sig.Key: sig.Secret, "ciphertext": "v1:x"}}
	require.True(t, Encrypted(hidden))
	_, err = Parse(hidden)
	require.EqualError(t, err, "aws:secretKey is encrypted and cannot be read; set PULUMI_CONFIG_PASSPHRASE, or grant access to the stack's secrets provider")
	require.True(t, Encrypted(map[string]any{"secretKey": map[string]any{"secure": "v1:x"}}), "as in a stack's file")
	require.True(t, Encrypted(map[string]any{"assumeRole": map[string]any{"externalId": hidden["secretKey"]}}))
}

func TestAllFaultsOfSettingsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Parse(map[string]any{
		"maxRetries": "many", "useFipsEndpoint": "perhaps", "retryMode": "never", "sharedConfigFiles": "x", "assumeRole": "x",
		"assumeRoleWithWebIdentity": map[string]any{"duration": "long"}, "region": []any{},
	})
	for _, want := range []string{
		"aws:maxRetries: expected a whole number", "aws:useFipsEndpoint: expected a boolean",
		"aws:retryMode: expected standard or adaptive",
		"aws:sharedConfigFiles: expected a list of strings", "aws:assumeRole: expected an object",
		"aws:assumeRoleWithWebIdentity.duration: expected a duration such as 1h", "aws:region: expected a string",
	} {
		require.ErrorContains(t, err, want)
	}
}

// TestAServiceThatThrottlesIsAskedMoreSlowly unless the provider's settings or the environment say otherwise.
func TestAServiceThatThrottlesIsAskedMoreSlowly(t *testing.T) {
	for _, c := range []struct {
		given, inEnvironment string
		want                 aws.RetryMode
	}{
		{"", "", aws.RetryModeAdaptive}, {"standard", "", aws.RetryModeStandard}, {"", "standard", aws.RetryModeStandard},
	} {
		t.Setenv("AWS_RETRY_MODE", c.inEnvironment)
		values := map[string]any{"region": "us-east-1", "accessKey": "a", "secretKey": "s"}
		if c.given != "" {
			values["retryMode"] = c.given
		}
		s, err := Parse(values)
		require.NoError(t, err)
		cfg, err := s.Load(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, cfg.RetryMode, c)
	}
}
