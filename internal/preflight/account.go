package preflight

import (
	"context"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// Account reads from an AWS account in a region what preflight needs. No method changes anything.
type Account interface {
	// Identity returns the owner of the credentials, with account and region.
	Identity(ctx context.Context) (Identity, error)
	// Limit is how much AWS allows of a quota.
	Limit(ctx context.Context, q awstype.Quota) (int, error)
	// Used is how much of a quota is in use: in the zone or VPC of, for a quota per zone or VPC, otherwise of is "".
	Used(ctx context.Context, q awstype.Quota, of string) (int, error)
	// Simulate returns the actions of a statement that the caller is denied. It is called once per statement.
	Simulate(ctx context.Context, caller Identity, s policy.Statement) ([]Denial, error)
	// RegionEnabled is true if the account has opted in to its region, if that is needed.
	RegionEnabled(ctx context.Context) (bool, error)
	// Zones are the region's zones, by name and by ID.
	Zones(ctx context.Context) ([]Zone, error)
	// VCPUs are how many vCPUs the instance types have. A type that does not exist is missing.
	VCPUs(ctx context.Context, instanceTypes []string) (map[string]int, error)
	// Offers are the names of the zones that offer the instance types, by type.
	Offers(ctx context.Context, instanceTypes []string) (map[string][]string, error)
	// ServiceZones are the zones that have an endpoint service. It reports false for a service that does not exist. No zones means that
	// AWS does not return.
	ServiceZones(ctx context.Context, service string) ([]string, bool, error)
	// Taken reports whether a resource with a name exists already, and in whose account if it is not this one.
	Taken(ctx context.Context, n Name) (Holder, error)
	// Peers are the networks that the account's VPCs are peered with, and those that are shared with it.
	Peers(ctx context.Context) ([]Network, error)
	// NameServers are those of the account's public zone of a domain, nil without such a zone.
	NameServers(ctx context.Context, domain string) ([]string, error)
}

// Identity is the owner of credentials, with account and region.
type Identity struct {
	// Partition is "aws", "aws-cn" or "aws-us-gov", Account has twelve digits, Region is "us-east-1". ARN is the caller's.
	Partition, Account, Region, ARN string
}

// globalARN names a resource of the caller's account that is in no region.
func (i Identity) globalARN(service, resource string) string {
	return arn.ARN{Partition: i.Partition, Service: service, AccountID: i.Account, Resource: resource}.String()
}

// Denial is an action that the caller may not take.
type Denial struct {
	Action string
	// By is the reason: "no policy allows it", "a service control policy".
	By string
	// Unsure is set if a condition could not be evaluated, or the resource is a pattern: the real call may be allowed.
	Unsure bool
}

// Zone is an availability zone.
type Zone struct {
	Name, ID string
	// OptedIn is true if the account can use it, Available if AWS reports it as available.
	OptedIn, Available bool
}

// Name is something that a plan creates under a name that can be taken.
type Name struct {
	// Token is the type's, and Name the bucket's, role's, profile's or policy's name, the issuer's URL without https://, the alias or the
	// zone's domain.
	Token, Name string
	// VPC is the existing VPC of a private zone, "" for others.
	VPC string
	// Private is true if a zone is private.
	Private bool
}

// Holder is who has a name.
type Holder string

// The holders of names.
const (
	Nobody Holder = ""
	Own    Holder = "this account"
	// Elsewhere has a bucket in a region that is not the caller's. Its account is not known.
	Elsewhere Holder = "another region"
	// Hidden has a bucket that the caller may not read: it is in another account, or in this one, and the caller lacks s3:ListBucket.
	Hidden Holder = "an account that the caller cannot read"
)

// Network is a network that traffic may be routed to.
type Network struct {
	// ID is the VPC's, Owner its account.
	ID, Owner string
	CIDRs     []string
	// Why is "peered" or "shared".
	Why string
}

// Resolver queries public DNS; *net.Resolver does.
type Resolver interface {
	LookupNS(ctx context.Context, domain string) ([]string, error)
}
