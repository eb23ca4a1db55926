package orphan

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// settings are those of a provider's configuration that say how it reaches AWS.
type settings struct {
	region, profile             string
	accessKey, secretKey, token string
	configFiles, credentials    []string
	roles                       []role
	endpoints                   map[string]string
}

// role is one that the provider assumes, after those before it.
type role struct{ arn, externalID, session string }

// settingsOf reads a configuration as the engine's state has it: nested values are JSON text.
func settingsOf(given map[string]any) settings {
	text := func(key string) string { s, _ := given[key].(string); return s }
	s := settings{
		region: text("region"), profile: text("profile"),
		accessKey: text("accessKey"), secretKey: text("secretKey"), token: text("token"),
		endpoints: map[string]string{},
	}
	s.configFiles, s.credentials = list(given["sharedConfigFiles"]), list(given["sharedCredentialsFiles"])
	for _, key := range []string{"assumeRole", "assumeRoles"} {
		for _, o := range objects(given[key]) {
			r := role{session: "hypershift-aws"}
			r.arn, _ = o["roleArn"].(string)
			r.externalID, _ = o["externalId"].(string)
			if name, _ := o["sessionName"].(string); name != "" {
				r.session = name
			}
			if r.arn != "" {
				s.roles = append(s.roles, r)
			}
		}
	}
	for _, o := range objects(given["endpoints"]) {
		for service, address := range o {
			if a, _ := address.(string); a != "" {
				s.endpoints[service] = a
			}
		}
	}
	return s
}

// endpoint is a service's own, nil for AWS's.
func (s settings) endpoint(service string) *string {
	if address := s.endpoints[service]; address != "" {
		return &address
	}
	return nil
}

// load makes the SDK's configuration.
func (s settings) load(ctx context.Context, environ func(string) (string, bool)) (aws.Config, error) {
	region := s.region
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if value, ok := environ(name); ok && region == "" {
			region = value
		}
	}
	options := []func(*config.LoadOptions) error{config.WithRegion(region)}
	if s.profile != "" {
		options = append(options, config.WithSharedConfigProfile(s.profile))
	}
	if s.configFiles != nil {
		options = append(options, config.WithSharedConfigFiles(s.configFiles))
	}
	if s.credentials != nil {
		options = append(options, config.WithSharedCredentialsFiles(s.credentials))
	}
	if s.accessKey != "" {
		options = append(options, config.WithCredentialsProvider(
			credentials.NewStaticCredentialsProvider(s.accessKey, s.secretKey, s.token)))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return cfg, fmt.Errorf("reading the AWS configuration: %w", err)
	}
	for _, r := range s.roles {
		client := sts.NewFromConfig(cfg, func(o *sts.Options) { o.BaseEndpoint = s.endpoint("sts") })
		cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(client, r.arn, func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName, o.Duration = r.session, 15*time.Minute
			if r.externalID != "" {
				o.ExternalID = &r.externalID
			}
		}))
	}
	return cfg, nil
}

func decoded(v any) any {
	text, ok := v.(string)
	if !ok {
		return v
	}
	var inner any
	if json.Unmarshal([]byte(text), &inner) == nil {
		return inner
	}
	return v
}

// objects are one object or a list of them.
func objects(v any) []map[string]any {
	switch v := decoded(v).(type) {
	case map[string]any:
		return []map[string]any{v}
	case []any:
		var all []map[string]any
		for _, e := range v {
			if o, ok := e.(map[string]any); ok {
				all = append(all, o)
			}
		}
		return all
	}
	return nil
}

func list(v any) []string {
	var all []string
	values, _ := decoded(v).([]any)
	for _, e := range values {
		if s, ok := e.(string); ok {
			all = append(all, s)
		}
	}
	return all
}
