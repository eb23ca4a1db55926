// Package awsconfig builds the AWS SDK's configuration from the settings of an AWS provider, so that this program calls
// AWS with the credentials, the endpoints and the proxies of the provider. It uses the same library as the provider,
// and explains errors in credentials in one sentence.
//
// The environment is the process's own, as the SDK reads it.
package awsconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	awsbase "github.com/hashicorp/aws-sdk-go-base/v2"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Settings are the settings of an AWS provider for its access to AWS, under the provider's own names.
type Settings struct {
	// prefix is the prefix of the settings' keys in messages, "aws:".
	prefix    string
	base      awsbase.Config
	endpoints map[string]string
	// skipValidation is skipCredentialsValidation: credentials are not tried.
	skipValidation bool
}

// Encrypted reports whether one of the values is a secret without its text, as in an exported state or in a stack's
// file.
func Encrypted(setting any) bool { return untyped.Contains(setting, isEncrypted) }

func isEncrypted(value any) bool {
	v, _ := value.(map[string]any)
	if v[sig.Key] == sig.Secret {
		_, shown := v["plaintext"]
		return !shown
	}
	_, secure := v["secure"].(string)
	return secure && len(v) == 1
}

// Parse reads settings in the form of the engine's state or its config: nested values, numbers and booleans may be JSON
// text. Keys that do not affect the access to AWS, such as defaultTags, are ignored. The error lists every value that
// the provider would refuse.
func Parse(values map[string]any) (*Settings, error) { return ParseSection("aws:", values) }

// ParseSection is like Parse, for settings whose keys begin with the prefix in the stack's file, such as
// "cluster.accounts.management.".
func ParseSection(prefix string, values map[string]any) (*Settings, error) {
	var faults []error
	r := &reader{path: prefix, values: values, faults: &faults}
	s := &Settings{
		prefix: prefix,
		base: awsbase.Config{
			AccessKey: r.text("accessKey"), SecretKey: r.text("secretKey"), Token: r.text("token"),
			Profile: r.text("profile"), Region: r.text("region"), StsRegion: r.text("stsRegion"),
			SharedConfigFiles: r.texts("sharedConfigFiles"), SharedCredentialsFiles: r.texts("sharedCredentialsFiles"),
			AllowedAccountIds: r.texts("allowedAccountIds"), ForbiddenAccountIds: r.texts("forbiddenAccountIds"),
			CustomCABundle: r.text("customCaBundle"), Insecure: r.flag("insecure"),
			HTTPProxy: r.optional("httpProxy"), HTTPSProxy: r.optional("httpsProxy"), NoProxy: r.text("noProxy"),
			HTTPProxyMode:                  awsbase.HTTPProxyModeLegacy,
			EC2MetadataServiceEndpoint:     r.text("ec2MetadataServiceEndpoint"),
			EC2MetadataServiceEndpointMode: r.text("ec2MetadataServiceEndpointMode"),
			MaxRetries:                     r.number("maxRetries"), RetryMode: r.retryMode("retryMode"),
			TokenBucketRateLimiterCapacity: r.number("tokenBucketRateLimiterCapacity"),
			UseDualStackEndpoint:           r.flag("useDualstackEndpoint"), UseFIPSEndpoint: r.flag("useFipsEndpoint"),
			SkipRequestingAccountId: r.flag("skipRequestingAccountId"),
			CallerName:              "hypershift-aws",
			CallerDocumentationURL:  "https://www.pulumi.com/registry/packages/aws/installation-configuration/",
			SuppressDebugLog:        true,
		},
		endpoints:      r.endpoints("endpoints"),
		skipValidation: r.flag("skipCredentialsValidation"),
	}
	if _, given := values["skipMetadataApiCheck"]; given {
		s.base.EC2MetadataServiceEnableState = imds.ClientEnabled
		if r.flag("skipMetadataApiCheck") {
			s.base.EC2MetadataServiceEnableState = imds.ClientDisabled
		}
	}
	for _, key := range []string{"assumeRole", "assumeRoles"} {
		for _, role := range r.objects(key) {
			s.base.AssumeRole = append(s.base.AssumeRole, awsbase.AssumeRole{
				RoleARN: role.text("roleArn"), ExternalID: role.text("externalId"), SessionName: role.text("sessionName"),
				Duration: role.duration("duration"), Policy: role.text("policy"), PolicyARNs: role.texts("policyArns"),
				SourceIdentity: role.text("sourceIdentity"), Tags: role.textMap("tags"),
				TransitiveTagKeys: role.texts("transitiveTagKeys"),
			})
		}
	}
	for _, role := range r.objects("assumeRoleWithWebIdentity") {
		s.base.AssumeRoleWithWebIdentity = &awsbase.AssumeRoleWithWebIdentity{
			RoleARN: role.text("roleArn"), SessionName: role.text("sessionName"), Duration: role.duration("duration"),
			Policy: role.text("policy"), PolicyARNs: role.texts("policyArns"),
			WebIdentityToken: role.text("webIdentityToken"), WebIdentityTokenFile: role.text("webIdentityTokenFile"),
		}
	}
	s.base.StsEndpoint, s.base.IamEndpoint, s.base.SsoEndpoint = s.endpoints["sts"], s.endpoints["iam"], s.endpoints["sso"]
	return s, errors.Join(faults...)
}

// Key identifies the settings: those with equal keys lead to the same account, with the same credentials. It contains
// secrets. It is "" if nothing identifies them.
func (s *Settings) Key() string {
	text, err := json.Marshal([]any{s.base, s.endpoints, s.skipValidation})
	if err != nil {
		return ""
	}
	return string(text)
}

// Region returns the settings' region, or "" if the environment or the profile determines it.
func (s *Settings) Region() string { return s.base.Region }

// reader reads values and collects their errors.
type reader struct {
	// path is the prefix of the object's keys: "aws:", or a path that ends with a dot.
	path   string
	values map[string]any
	faults *[]error
}

func (r *reader) fault(key, expected string, value any) {
	if isEncrypted(value) {
		*r.faults = append(*r.faults, &Error{
			Problem: fmt.Sprintf("%s%s is encrypted and cannot be read", r.path, key),
			Remedy:  "set PULUMI_CONFIG_PASSPHRASE, or grant access to the stack's secrets provider",
		})
		return
	}
	*r.faults = append(*r.faults, &Error{
		Problem: fmt.Sprintf("%s%s: expected %s", r.path, key, expected),
		Remedy:  "correct it in the stack's file",
	})
}

// value returns a key's value with a shown secret unwrapped, or nil where it is not given.
func (r *reader) value(key string) any { return Unwrapped(r.values[key]) }

// Unwrapped returns the value of a shown secret, and any other value as it is.
func Unwrapped(value any) any {
	secret, ok := value.(map[string]any)
	if !ok || secret[sig.Key] != sig.Secret {
		return value
	}
	text, ok := secret["plaintext"].(string)
	if !ok {
		return value
	}
	var plain any
	if json.Unmarshal([]byte(text), &plain) != nil {
		return text
	}
	return plain
}

// decoded returns a key's value, read from JSON text where it is one.
func (r *reader) decoded(key string) any {
	value := r.value(key)
	if text, ok := value.(string); ok {
		var inner any
		if json.Unmarshal([]byte(text), &inner) == nil {
			return Unwrapped(inner)
		}
	}
	return value
}

func (r *reader) text(key string) string {
	switch v := r.value(key).(type) {
	case nil:
		return ""
	case string:
		return v
	case float64, int, bool:
		return fmt.Sprint(v)
	default:
		r.fault(key, "a string", v)
		return ""
	}
}

func (r *reader) optional(key string) *string {
	if r.values[key] == nil {
		return nil
	}
	text := r.text(key)
	return &text
}

func (r *reader) flag(key string) bool {
	switch v := r.decoded(key).(type) {
	case nil:
	case bool:
		return v
	default:
		if v != "" {
			r.fault(key, "a boolean", v)
		}
	}
	return false
}

func (r *reader) number(key string) int {
	switch v := r.decoded(key).(type) {
	case nil:
	case int:
		return v
	case float64:
		if v >= 0 && v == float64(int(v)) {
			return int(v)
		}
		r.fault(key, "a whole number", v)
	default:
		r.fault(key, "a whole number", v)
	}
	return 0
}

func (r *reader) retryMode(key string) aws.RetryMode {
	text := r.text(key)
	if text == "" {
		return ""
	}
	mode, err := aws.ParseRetryMode(text)
	if err != nil {
		r.fault(key, "standard or adaptive", text)
	}
	return mode
}

// duration returns a Go duration such as "1h"; a number without a unit is in seconds.
func (r *reader) duration(key string) time.Duration {
	text := r.text(key)
	if text == "" {
		return 0
	}
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(seconds) * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		r.fault(key, "a duration such as 1h", text)
	}
	return d
}

func (r *reader) texts(key string) []string {
	switch v := r.decoded(key).(type) {
	case nil:
		return nil
	case []any:
		all := make([]string, 0, len(v))
		for _, item := range v {
			switch item := Unwrapped(item).(type) {
			case string:
				all = append(all, item)
			default:
				r.fault(key, "a list of strings", item)
			}
		}
		return all
	default:
		r.fault(key, "a list of strings", v)
		return nil
	}
}

func (r *reader) textMap(key string) map[string]string {
	if r.values[key] == nil {
		return nil
	}
	object, ok := r.decoded(key).(map[string]any)
	if !ok {
		r.fault(key, "a map of strings", r.values[key])
		return nil
	}
	inner := &reader{r.path + key + ".", object, r.faults}
	texts := map[string]string{}
	for name := range object {
		texts[name] = inner.text(name)
	}
	return texts
}

// objects returns one object, or a list of them.
func (r *reader) objects(key string) []*reader {
	items, isList := r.decoded(key).([]any)
	if !isList && r.values[key] != nil {
		items = []any{r.decoded(key)}
	}
	var all []*reader
	for _, item := range items {
		object, ok := Unwrapped(item).(map[string]any)
		if !ok || object[sig.Key] == sig.Secret {
			r.fault(key, "an object", item)
			continue
		}
		all = append(all, &reader{r.path + key + ".", object, r.faults})
	}
	return all
}

func (r *reader) endpoints(key string) map[string]string {
	all := map[string]string{}
	for _, object := range r.objects(key) {
		for service := range object.values {
			if address := object.text(service); address != "" {
				all[service] = address
			}
		}
	}
	return all
}

// credentialSettings returns the settings of the AWS provider that determine its credentials.
func credentialSettings() []string {
	return []string{"accessKey", "secretKey", "token", "profile", "sharedConfigFiles", "sharedCredentialsFiles",
		"assumeRole", "assumeRoles",
		"assumeRoleWithWebIdentity"}
}

// Renewed returns a provider's settings with the current values of its config: the values in a state are from the last
// up, and the credentials may have been rotated since.
func Renewed(settings, given map[string]any) map[string]any {
	if len(given) == 0 {
		return settings
	}
	all := map[string]any{}
	maps.Copy(all, settings)
	for _, name := range credentialSettings() {
		delete(all, name)
	}
	maps.Copy(all, given)
	return all
}

// Secret returns a secret value in the form that it has in a state. The engine encrypts it when it imports the state.
func Secret(value string) any {
	text, _ := json.Marshal(value) // a string can always be marshalled
	return map[string]any{sig.Key: sig.Secret, "plaintext": string(text)}
}
