package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// Accounts are the accounts other than the stack's own, which is configured by aws: keys.
type Accounts struct {
	// Management is the account of the management cluster. Default: the stack's own account.
	Management *Account `yaml:"management" pulumi:"management,optional"`
	// VPCOwner is the account that owns the shared VPC. Required with network.shared.
	VPCOwner *Account `yaml:"vpcOwner" pulumi:"vpcOwner,optional"`
	// ParentZone is the account of network.publicZone.parentZone. Default: the stack's own account.
	ParentZone *Account `yaml:"parentZone" pulumi:"parentZone,optional"`
	// Further are accounts with VPCs that privateLink names. Default none.
	Further []NamedAccount `yaml:"further" pulumi:"further,optional"`
}

// NamedAccount is an account with a name, by which other keys refer to it.
type NamedAccount struct {
	// Name is the account's name in this file, such as "hub": lower-case letters, digits and hyphens. Required.
	Name    string `yaml:"name" pulumi:"name"`
	Account `yaml:",inline"`
}

// Provider returns the name under which the program registers the account's provider.
func (a NamedAccount) Provider() string { return a.Name + "-account" }

// NetworkAccounts are the accounts of a stack of kind network other than its own.
type NetworkAccounts struct {
	// Cluster is the account of the cluster, which the subnets are shared with. Required with network.shared, because the
	// stack's own account is then the owner's.
	Cluster *Account `yaml:"cluster" pulumi:"cluster,optional"`
	// ParentZone is the account of network.publicZone.parentZone. Default: the cluster's account.
	ParentZone *Account `yaml:"parentZone" pulumi:"parentZone,optional"`
}

// IAMAccounts are the accounts of a stack of kind iam other than its own.
type IAMAccounts struct {
	// VPCOwner is the account that owns the VPC of the network stack. Required if that shares it: the roles that the
	// cluster's operators assume there are part of this stack.
	VPCOwner *Account `yaml:"vpcOwner" pulumi:"vpcOwner,optional"`
}

// ManagementAccounts are the accounts of a stack of kind management other than its own.
type ManagementAccounts struct {
	// ParentZone is the account of zone.parentZone. Default: the stack's own account.
	ParentZone *Account `yaml:"parentZone" pulumi:"parentZone,optional"`
}

// Account has the keys of an account. They are the AWS provider's, which the stack's own account has under aws:. Other
// accounts take only the region from aws: by default.
type Account struct {
	// Profile is a profile of the shared config and credentials files. Default: AWS_PROFILE.
	Profile string `yaml:"profile"`
	// Region is the region of the provider. Default: the stack's region.
	Region string `yaml:"region"`
	// AssumeRole is a role to assume. Default none.
	AssumeRole *AssumeRole `yaml:"assumeRole"`
	// AssumeRoleWithWebIdentity is a role to assume with a token of an OIDC issuer. Default none.
	AssumeRoleWithWebIdentity *AssumeRoleWithWebIdentity `yaml:"assumeRoleWithWebIdentity"`
	// AllowedAccountIDs are the IDs of the accounts that the credentials may belong to, 12 digits each. Default: any
	// account.
	AllowedAccountIDs []string `yaml:"allowedAccountIds"`
	// ForbiddenAccountIDs are the IDs of accounts that the credentials may not belong to. Default none.
	ForbiddenAccountIDs []string `yaml:"forbiddenAccountIds"`
	// SharedConfigFiles are the paths of shared config files. Default: ~/.aws/config.
	SharedConfigFiles []string `yaml:"sharedConfigFiles"`
	// SharedCredentialsFiles are the paths of shared credentials files. Default: ~/.aws/credentials.
	SharedCredentialsFiles []string `yaml:"sharedCredentialsFiles"`
	// DefaultTags are tags of every resource of the provider. Default none.
	DefaultTags *DefaultTags `yaml:"defaultTags"`
	// IgnoreTags are tags that the provider ignores on every resource. Default none.
	IgnoreTags *IgnoreTags `yaml:"ignoreTags"`
	// Endpoints are URLs of services in place of AWS's own, by the service's name. Default none.
	Endpoints []aws.ProviderEndpoint `yaml:"endpoints"`
	// StsRegion is the region of STS. Default: region.
	StsRegion string `yaml:"stsRegion"`
	// UseFIPSEndpoint uses the endpoints that comply with FIPS 140. Default false.
	UseFIPSEndpoint *bool `yaml:"useFipsEndpoint"`
	// UseDualstackEndpoint uses the endpoints with IPv4 and IPv6. Default false.
	UseDualstackEndpoint *bool `yaml:"useDualstackEndpoint"`
	// HTTPProxy is the URL of a proxy for HTTP. Default: HTTP_PROXY.
	HTTPProxy *string `yaml:"httpProxy"`
	// HTTPSProxy is the URL of a proxy for HTTPS. Default: HTTPS_PROXY.
	HTTPSProxy *string `yaml:"httpsProxy"`
	// NoProxy are the hosts that are reached without a proxy, separated by commas. Default: NO_PROXY.
	NoProxy string `yaml:"noProxy"`
	// CustomCABundle is the path of a file with further certificates of certificate authorities. Default: AWS_CA_BUNDLE.
	CustomCABundle string `yaml:"customCaBundle"`
	// Insecure accepts every TLS certificate. Default false.
	Insecure *bool `yaml:"insecure"`
	// MaxRetries is how often a request is sent. Default 25.
	MaxRetries *int `yaml:"maxRetries"`
	// RetryMode selects how long the provider waits before it sends a request again: standard or adaptive. Default
	// standard.
	RetryMode string `yaml:"retryMode"`
	// TokenBucketRateLimiterCapacity is the capacity of the rate limiter of repeated requests. Default: no limit.
	TokenBucketRateLimiterCapacity *int `yaml:"tokenBucketRateLimiterCapacity"`
	// EC2MetadataServiceEndpoint is the URL of EC2's metadata service. Default: AWS_EC2_METADATA_SERVICE_ENDPOINT.
	EC2MetadataServiceEndpoint string `yaml:"ec2MetadataServiceEndpoint"`
	// EC2MetadataServiceEndpointMode is the protocol of that service, IPv4 or IPv6. Default IPv4.
	EC2MetadataServiceEndpointMode string `yaml:"ec2MetadataServiceEndpointMode"`
	// S3UsePathStyle uses the bucket's name in the path of S3's URLs instead of the host. Default false.
	S3UsePathStyle *bool `yaml:"s3UsePathStyle"`
	// S3USEast1RegionalEndpoint is the endpoint of S3 in us-east-1, legacy or regional. Default legacy.
	S3USEast1RegionalEndpoint string `yaml:"s3UsEast1RegionalEndpoint"`
	// SkipCredentialsValidation omits the check of the credentials by STS. Default false.
	SkipCredentialsValidation *bool `yaml:"skipCredentialsValidation"`
	// SkipMetadataAPICheck omits EC2's metadata service. Default false.
	SkipMetadataAPICheck *bool `yaml:"skipMetadataApiCheck"`
	// SkipRegionValidation accepts regions that the provider does not have in its list. Default true. A region that
	// hypershift-aws does not know requires an explicit true.
	SkipRegionValidation *bool `yaml:"skipRegionValidation"`
	// SkipRequestingAccountID omits the request for the account's ID. Default false.
	SkipRequestingAccountID *bool `yaml:"skipRequestingAccountId"`
	// AccessKey is refused, because a stack takes no credentials. Default none.
	AccessKey string `secret:"true" yaml:"accessKey"`
	// SecretKey is refused, because a stack takes no credentials. Default none.
	SecretKey string `secret:"true" yaml:"secretKey"`
	// Token is refused, because a stack takes no credentials. Default none.
	Token string `secret:"true" yaml:"token"`
}

// AssumeRole is a role that the provider assumes.
type AssumeRole struct {
	// RoleARN is the ARN of the role. Required.
	RoleARN string `yaml:"roleArn"`
	// ExternalID is the ID that the role's trust policy may require of other accounts. Default none.
	ExternalID string `yaml:"externalId"`
	// SessionName is the name of the session in CloudTrail. Default: a generated one.
	SessionName string `yaml:"sessionName"`
	// Duration is how long the session is valid, 15m to 12h. Default 1h.
	Duration string `yaml:"duration"`
	// Policy is an IAM policy in JSON that limits the session. Default none.
	Policy string `yaml:"policy"`
	// PolicyARNs are the ARNs of managed policies that limit the session. Default none.
	PolicyARNs []string `yaml:"policyArns"`
	// SourceIdentity is the identity that CloudTrail records for all calls of the session. Default none.
	SourceIdentity string `yaml:"sourceIdentity"`
	// Tags are the session's tags. Default none.
	Tags map[string]string `yaml:"tags"`
	// TransitiveTagKeys are the keys of the tags that later sessions of a chain get too. Default none.
	TransitiveTagKeys []string `yaml:"transitiveTagKeys"`
}

// AssumeRoleWithWebIdentity is a role that the provider assumes with a token.
type AssumeRoleWithWebIdentity struct {
	// RoleARN is the ARN of the role. Required.
	RoleARN string `yaml:"roleArn"`
	// SessionName is the name of the session in CloudTrail. Default: a generated one.
	SessionName string `yaml:"sessionName"`
	// Duration is how long the session is valid, 15m to 12h. Default 1h.
	Duration string `yaml:"duration"`
	// Policy is an IAM policy in JSON that limits the session. Default none.
	Policy string `yaml:"policy"`
	// PolicyARNs are the ARNs of managed policies that limit the session. Default none.
	PolicyARNs []string `yaml:"policyArns"`
	// WebIdentityToken is the token. Required unless webIdentityTokenFile is given.
	WebIdentityToken string `yaml:"webIdentityToken"`
	// WebIdentityTokenFile is the path of a file with the token. Required unless webIdentityToken is given.
	WebIdentityTokenFile string `yaml:"webIdentityTokenFile"`
}

// DefaultTags are tags of every resource.
type DefaultTags struct {
	// Tags are the tags. Default none.
	Tags map[string]string `yaml:"tags"`
}

// IgnoreTags selects tags that are ignored.
type IgnoreTags struct {
	// Keys are the keys of such tags. Default none.
	Keys []string `yaml:"keys"`
	// KeyPrefixes are prefixes of the keys of such tags. Default none.
	KeyPrefixes []string `yaml:"keyPrefixes"`
}

// validate returns a fault for an account without keys, for each credential, and for a region that does not exist or is
// in another partition than the stack's region.
func (c Accounts) validate(region string) error {
	var faults fault.Faults
	taken := []string{
		ManagementAccountProvider, VPCOwnerAccountProvider, ClusterAccountProvider, ParentZoneAccountProvider,
	}
	for i := range c.Further {
		further, path := &c.Further[i], fmt.Sprintf("further[%d]", i)
		switch {
		case further.Name == "":
			faults.Add(path+".name", nil, "is missing", "set the name by which other keys refer to the account, such as hub")
		case len(validation.IsDNS1123Label(further.Name)) > 0:
			faults.Add(path+".name", further.Name, "is not a name", "use lower-case letters, digits, and hyphens, such as hub")
		case slices.Contains(taken, further.Provider()):
			faults.Add(path+".name", further.Name, "is the name of another account", "use a different name for each account")
		}
		taken = append(taken, further.Provider())
	}
	faults.Join("", validateAccounts(region, c.named()))
	return faults.Err()
}

// furtherNamed returns the further account of a name, nil if there is none.
func (c Accounts) furtherNamed(name string) *NamedAccount {
	if i := slices.IndexFunc(c.Further, func(a NamedAccount) bool { return a.Name == name }); i >= 0 {
		return &c.Further[i]
	}
	return nil
}

// ID returns the account's ID as far as its keys tell it: by the role to assume, or by a single allowedAccountIds;
// otherwise "".
func (a *Account) ID() string {
	role := ""
	switch {
	case a.AssumeRole != nil:
		role = a.AssumeRole.RoleARN
	case a.AssumeRoleWithWebIdentity != nil:
		role = a.AssumeRoleWithWebIdentity.RoleARN
	}
	if parts := strings.Split(role, ":"); len(parts) > 4 {
		return parts[4]
	}
	if len(a.AllowedAccountIDs) == 1 {
		return a.AllowedAccountIDs[0]
	}
	return ""
}

// namedAccount is an account with its key.
type namedAccount struct {
	path    string
	account *Account
}

// named returns the accounts with their keys.
func (c Accounts) named() []namedAccount {
	all := []namedAccount{{"management", c.Management}, {"vpcOwner", c.VPCOwner}, {"parentZone", c.ParentZone}}
	for i := range c.Further {
		all = append(all, namedAccount{fmt.Sprintf("further[%d]", i), &c.Further[i].Account})
	}
	return all
}

// accountsSection is a section with accounts other than the stack's own.
type accountsSection interface{ accounts() []namedAccount }

func (c *Cluster) accounts() []namedAccount { return c.Accounts.named() }

func (n *Network) accounts() []namedAccount {
	return []namedAccount{{"cluster", n.Accounts.Cluster}, {"parentZone", n.Accounts.ParentZone}}
}

func (i *IAM) accounts() []namedAccount { return []namedAccount{{"vpcOwner", i.Accounts.VPCOwner}} }

func (m *Management) accounts() []namedAccount {
	return []namedAccount{{"parentZone", m.Accounts.ParentZone}}
}

func validateAccounts(region string, accounts []namedAccount) error {
	var faults fault.Faults
	for _, named := range accounts {
		a := named.account
		if a == nil {
			continue
		}
		if reflect.ValueOf(*a).IsZero() {
			faults.Add(named.path, nil, "is empty", "use profile, assumeRole or another key of the AWS provider")
		}
		for _, credential := range []struct{ key, value string }{
			{"accessKey", a.AccessKey}, {"secretKey", a.SecretKey}, {"token", a.Token},
		} {
			if credential.value != "" {
				faults.Add(named.path+"."+credential.key, nil, "is a credential, which a stack does not take",
					"use profile or assumeRole")
			}
		}
		faults.Join(named.path, a.validateValues())
		skip := a.SkipRegionValidation != nil && *a.SkipRegionValidation
		if refused := checkRegion(named.path+".region", a.Region, "skipRegionValidation", skip); refused != nil {
			faults = append(faults, refused)
		} else if region != "" && a.Region != "" && hypershift.Partition(a.Region) != hypershift.Partition(region) {
			faults.Add(named.path+".region", a.Region, "is not in the partition of "+region,
				"use a region of partition "+hypershift.Partition(region))
		}
	}
	return faults.Err()
}

// validateValues returns the faults of values that the AWS provider refuses when it starts, or STS when the role is
// assumed.
func (a *Account) validateValues() error {
	var faults fault.Faults
	for _, key := range []struct {
		name, value string
		allowed     []string
	}{
		{"retryMode", a.RetryMode, []string{"standard", "adaptive"}},
		{"ec2MetadataServiceEndpointMode", a.EC2MetadataServiceEndpointMode, []string{"IPv4", "IPv6"}},
		{"s3UsEast1RegionalEndpoint", a.S3USEast1RegionalEndpoint, []string{"legacy", "regional"}},
	} {
		if key.value != "" && !slices.ContainsFunc(key.allowed, func(allowed string) bool {
			return strings.EqualFold(allowed, key.value)
		}) {
			faults.Add(key.name, key.value, "is not a value of the AWS provider", "use "+strings.Join(key.allowed, " or "))
		}
	}
	for _, key := range []struct {
		name string
		ids  []string
	}{{"allowedAccountIds", a.AllowedAccountIDs}, {"forbiddenAccountIds", a.ForbiddenAccountIDs}} {
		for i, id := range key.ids {
			if !accountPattern.MatchString(id) {
				faults.Add(fmt.Sprintf("%s[%d]", key.name, i), id, "is not the ID of an account", "use 12 digits")
			}
		}
	}
	if len(a.AllowedAccountIDs) > 0 && len(a.ForbiddenAccountIDs) > 0 {
		faults.Add("forbiddenAccountIds", nil, "conflicts with allowedAccountIds", "set only one of the two")
	}
	if role := a.AssumeRole; role != nil {
		faults.Join("assumeRole", validateAssumed(role.RoleARN, role.SessionName, role.Duration))
	}
	if role := a.AssumeRoleWithWebIdentity; role != nil {
		faults.Join("assumeRoleWithWebIdentity", validateAssumed(role.RoleARN, role.SessionName, role.Duration))
	}
	return faults.Err()
}

var (
	accountPattern = regexp.MustCompile(`^\d{12}$`)
	rolePattern    = regexp.MustCompile(`^arn:aws[a-z-]*:iam::\d{12}:role/.+$`)
	sessionPattern = regexp.MustCompile(`^[\w+=,.@-]{2,64}$`)
)

// validateAssumed returns the faults of a role that is assumed. Source: AssumeRole in the API reference of STS.
func validateAssumed(arn, session, duration string) error {
	var faults fault.Faults
	if arn != "" && !rolePattern.MatchString(arn) {
		faults.Add("roleArn", arn, "is not the ARN of a role", "use one such as arn:aws:iam::123456789012:role/NAME")
	}
	if session != "" && !sessionPattern.MatchString(session) {
		faults.Add("sessionName", session, "is not the name of a session", "use 2 to 64 letters, digits, and +=,.@_-")
	}
	const shortest, longest = 15 * time.Minute, 12 * time.Hour
	if valid, err := time.ParseDuration(duration); duration != "" && (err != nil || valid < shortest || valid > longest) {
		faults.Add("duration", duration, "is not a duration that STS allows", "use 15m to 12h")
	}
	return faults.Err()
}
