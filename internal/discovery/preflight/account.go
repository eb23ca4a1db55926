package preflight

import "context"

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
	// Issuer has OIDC documents that a host serves which is not a bucket's, such as a CloudFront distribution's.
	Issuer Holder = "the bucket behind the issuer's host"
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

// Resolver queries DNS and public hosts.
type Resolver interface {
	LookupNS(ctx context.Context, domain string) ([]string, error)
	// ServesDocuments reports whether an issuer's host serves the OIDC documents of the issuer, "<host>/<infra ID>".
	ServesDocuments(ctx context.Context, issuer string) (bool, error)
	// Resolves asks a server for the addresses of a name, or for the name servers of a zone. It returns false if the server answers that
	// it has none, and an error if it does not answer.
	Resolves(ctx context.Context, server, name string, zone bool) (bool, error)
}
