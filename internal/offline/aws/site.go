package aws

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/hashicorp/aws-sdk-go-base/v2/endpoints"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/regions"
)

// DefaultAccount is the account of a provider whose configuration determines none.
const DefaultAccount = "123456789012"

// Site is what a provider's configuration determines: account, region and partition, and the handling of tags.
type Site struct {
	Account      string // twelve digits
	AccountNamed bool   // whether the configuration names the account
	Region       string // "us-east-1"
	// Partition and DNSSuffix follow from the region: "aws" and "amazonaws.com".
	Partition string
	DNSSuffix string

	defaultTags        props.Map
	ignoredTags        []string
	IgnoredTagPrefixes []string
}

var errNoRegion = errors.New("missing region: run `hypershift-aws sandbox -- pulumi config set aws:region us-east-1`, " +
	"or set it as an argument of the provider, or in AWS_REGION")

// NewSite reads a provider's configuration. It fails if there is no region or AWS has no such region, and if the
// configuration excludes its account.
func NewSite(config props.Map) (Site, error) {
	if id := accountOf(config); excluded(config, id) {
		return Site{}, notAllowedError(id)
	}
	s := Site{Account: accountOf(config), AccountNamed: namedAccount(config) != "", Region: config.String("region")}
	for _, variable := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		s.Region = cmp.Or(s.Region, os.Getenv(variable))
	}
	if s.Region == "" {
		return Site{}, errNoRegion
	}
	if skip, _ := decoded(config["skipRegionValidation"]).(bool); !skip && !regions.Known(s.Region) {
		return Site{}, fmt.Errorf("invalid AWS Region: %s: correct aws:region, the provider's argument, or AWS_REGION", s.Region)
	}
	s.Partition, s.DNSSuffix = partitionOf(s.Region)
	s.defaultTags = nested(config, "defaultTags").Object("tags")
	ignored := nested(config, "ignoreTags")
	s.ignoredTags, s.IgnoredTagPrefixes = ignored.Strings("keys"), ignored.Strings("keyPrefixes")
	return s, nil
}

var roleAccount = regexp.MustCompile(`^arn:[a-z-]+:iam::(\d{12}):role/`)

// AccountOf returns the account that a configuration selects, and whether it names the account.
func AccountOf(config map[string]any) (id string, named bool) {
	return accountOf(config), namedAccount(config) != ""
}

// accountOf returns the account that a configuration selects: the one that it names, otherwise one derived from its
// credentials, so that two profiles are two accounts.
func accountOf(config props.Map) string {
	if named := namedAccount(config); named != "" {
		return named
	}
	var identity []string
	for _, name := range []string{"profile", "accessKey"} {
		if v := config.String(name); v != "" {
			identity = append(identity, name+"="+v)
		}
	}
	if endpoints, _ := decoded(config["endpoints"]).([]any); len(endpoints) > 0 {
		text, _ := json.Marshal(endpoints) // plain JSON values always marshal
		identity = append(identity, "endpoints="+string(text))
	}
	if len(identity) == 0 {
		return DefaultAccount
	}
	sum := sha256.Sum256([]byte(strings.Join(identity, "\n")))
	return fmt.Sprintf("%012d", binary.BigEndian.Uint64(sum[:8])%1e12)
}

// namedAccount returns the account of the last role that a configuration assumes, otherwise the first of its allowed
// account IDs, otherwise "".
func namedAccount(config props.Map) string {
	var roles []props.Map
	for _, name := range []string{"assumeRole", "assumeRoles"} {
		switch v := decoded(config[name]).(type) {
		case map[string]any:
			roles = append(roles, v)
		case []any:
			roles = append(roles, props.Map{"roles": v}.Objects("roles")...)
		}
	}
	for i := len(roles) - 1; i >= 0; i-- {
		if m := roleAccount.FindStringSubmatch(roles[i].String("roleArn")); m != nil {
			return m[1]
		}
	}
	if allowed := (props.Map{"ids": decoded(config["allowedAccountIds"])}).Strings("ids"); len(allowed) > 0 {
		return allowed[0]
	}
	return ""
}

// notAllowedError is the error for an account that the configuration excludes.
type notAllowedError string

func (e notAllowedError) Error() string {
	return "AWS account ID not allowed: " + string(e) + ": use other credentials, or correct allowedAccountIds and forbiddenAccountIds"
}

// excluded reports whether a configuration does not allow an account.
func excluded(config props.Map, id string) bool {
	ids := func(name string) []string { return (props.Map{"ids": decoded(config[name])}).Strings("ids") }
	allowed := ids("allowedAccountIds")
	return len(allowed) > 0 && !slices.Contains(allowed, id) || slices.Contains(ids("forbiddenAccountIds"), id)
}

// nested returns a configured object. The engine sends nested configuration as JSON text.
func nested(config props.Map, name string) props.Map {
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
	if p, known := endpoints.PartitionForRegion(endpoints.DefaultPartitions(), region); known {
		return p.ID(), p.DNSSuffix()
	}
	return endpoints.AwsPartitionID, "amazonaws.com"
}

// AWSService is the type of an endpoint service of AWS that is not in every zone. No program creates one.
const AWSService = "offline:ec2/awsService:AwsService"

// TransitGateway is the type of a transit gateway of the account, or shared with it. No program creates one.
const TransitGateway = "offline:ec2/transitGateway:TransitGateway"

// IPAMPool is the type of an IPAM pool of the account, or shared with it. No program creates one.
const IPAMPool = "offline:ec2/ipamPool:IpamPool"

// PublicIPv4Pool is the type of a pool of public addresses that the account has brought to AWS. No program creates one.
const PublicIPv4Pool = "offline:ec2/publicIpv4Pool:PublicIpv4Pool"

// Image is the type of a machine image of the account. No program creates one.
const Image = "offline:ec2/image:Image"

// ARN returns the ARN of a resource in the site's region.
func (s Site) ARN(service, name string) string {
	return arn.ARN{
		Partition: s.Partition,
		Service:   service,
		Region:    s.Region,
		AccountID: s.Account,
		Resource:  name,
	}.String()
}

// GlobalARN returns the ARN of a resource without a region.
func (s Site) GlobalARN(service, name string) string {
	return arn.ARN{Partition: s.Partition, Service: service, AccountID: s.Account, Resource: name}.String()
}

// PartitionARN returns the ARN of a resource whose ARN has neither region nor account.
func (s Site) PartitionARN(service, name string) string {
	return arn.ARN{Partition: s.Partition, Service: service, Resource: name}.String()
}
