package offline

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// defaultAccount is the account of a provider whose configuration says nothing about one.
const defaultAccount = "123456789012"

// site is what a provider's configuration comes to: where its resources go, and what it does to their tags.
type site struct {
	account string // twelve digits
	named   bool   // whether the configuration names the account
	region  string // "us-east-1"
	// partition and dnsSuffix go by the region: "aws" and "amazonaws.com".
	partition string
	dnsSuffix string

	defaultTags    props
	ignoredTags    []string
	ignoredTagsLed []string
}

var errNoRegion = errors.New("missing region: set it with `pulumi config set aws:region us-east-1`, " +
	"as an argument of the provider, or in AWS_REGION")

// siteOf reads a provider's configuration. It fails if there is no region.
func siteOf(config props) (site, error) {
	s := site{account: accountOf(config), named: namedAccount(config) != "", region: config.text("region")}
	for _, variable := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		s.region = cmp.Or(s.region, os.Getenv(variable))
	}
	if s.region == "" {
		return site{}, errNoRegion
	}
	s.partition, s.dnsSuffix = partitionOf(s.region)
	s.defaultTags = nested(config, "defaultTags").object("tags")
	ignored := nested(config, "ignoreTags")
	s.ignoredTags, s.ignoredTagsLed = ignored.texts("keys"), ignored.texts("keyPrefixes")
	return s, nil
}

var roleAccount = regexp.MustCompile(`^arn:[a-z-]+:iam::(\d{12}):role/`)

// accountOf is the account that a configuration leads to: the one that it names, else one that follows from its
// credentials, so that two profiles are two accounts.
func accountOf(config props) string {
	if named := namedAccount(config); named != "" {
		return named
	}
	var identity []string
	for _, name := range []string{"profile", "accessKey"} {
		if v := config.text(name); v != "" {
			identity = append(identity, name+"="+v)
		}
	}
	if endpoints, _ := decoded(config["endpoints"]).([]any); len(endpoints) > 0 {
		text, _ := json.Marshal(endpoints) // plain JSON values always marshal
		identity = append(identity, "endpoints="+string(text))
	}
	if len(identity) == 0 {
		return defaultAccount
	}
	sum := sha256.Sum256([]byte(strings.Join(identity, "\n")))
	return fmt.Sprintf("%012d", binary.BigEndian.Uint64(sum[:8])%1e12)
}

// namedAccount is the account of the last role that a configuration assumes, else the first that it allows, else "".
func namedAccount(config props) string {
	var roles []props
	for _, name := range []string{"assumeRole", "assumeRoles"} {
		switch v := decoded(config[name]).(type) {
		case map[string]any:
			roles = append(roles, v)
		case []any:
			roles = append(roles, props{"roles": v}.objects("roles")...)
		}
	}
	for i := len(roles) - 1; i >= 0; i-- {
		if m := roleAccount.FindStringSubmatch(roles[i].text("roleArn")); m != nil {
			return m[1]
		}
	}
	if allowed := (props{"ids": decoded(config["allowedAccountIds"])}).texts("ids"); len(allowed) > 0 {
		return allowed[0]
	}
	return ""
}

// nested is a configured object. The engine sends nested configuration as JSON text.
func nested(config props, name string) props {
	o, _ := decoded(config[name]).(map[string]any)
	return o
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

func partitionOf(region string) (partition, dnsSuffix string) {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn", "amazonaws.com.cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov", "amazonaws.com"
	default:
		return "aws", "amazonaws.com"
	}
}

// arn names something in the site's region.
func (s site) arn(service, name string) string {
	return fmt.Sprintf("arn:%s:%s:%s:%s:%s", s.partition, service, s.region, s.account, name)
}

// globalARN names something of the account that is in no region.
func (s site) globalARN(service, name string) string {
	return fmt.Sprintf("arn:%s:%s::%s:%s", s.partition, service, s.account, name)
}
