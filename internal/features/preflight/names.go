package preflight

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// OIDCDocuments is the type of the documents of a cluster's issuer, which HyperShift's operator writes into the OIDC
// bucket.
const OIDCDocuments = awstype.BucketObject

// bucketHost matches the host of an issuer in a bucket, with the bucket's name and region.
var bucketHost = regexp.MustCompile(`^(.+)\.s3\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$`)

// nameInputs returns the inputs with the names that can be taken, by type.
func nameInputs() map[string]string {
	return map[string]string{
		awstype.Bucket: "bucket", awstype.Role: "name", awstype.InstanceProfile: "name", awstype.User: "name",
		awstype.KMSAlias: "name", awstype.Policy: "name",
		awstype.OIDCProvider: "url", awstype.HostedZone: "name",
	}
}

// names returns the names that a plan uses, each with its place.
func (p Plan) names() map[inventory.Place][]Name {
	found := map[inventory.Place][]Name{}
	for _, r := range p.Resources {
		if !r.Created {
			continue
		}
		n := Name{Token: r.Type, Name: r.text(nameInputs()[r.Type])}
		switch r.Type {
		case awstype.Policy:
			if n.Name != "" {
				n.Name = strings.TrimSuffix("/"+strings.Trim(r.text("path"), "/"), "/") + "/" + n.Name
			}
		case awstype.OIDCProvider:
			n.Name = strings.TrimPrefix(n.Name, "https://")
			if host, infraID, inBucket := strings.Cut(n.Name, "/"); p.New && inBucket {
				found[r.Place] = append(found[r.Place], Name{Token: OIDCDocuments, Name: host + "/" + infraID})
			}
		case awstype.HostedZone:
			n.Name = strings.TrimSuffix(n.Name, ".")
			n.Private, n.VPC = zoneVPC(r)
			if n.Private && n.VPC == "" {
				continue // a new VPC has no zones yet
			}
		}
		if n.Name != "" {
			found[r.Place] = append(found[r.Place], n)
		}
	}
	return found
}

// zoneVPC returns whether a zone is private, and its existing VPC.
func zoneVPC(r Resource) (private bool, vpc string) {
	for _, entry := range r.Inputs.Objects("vpcs") {
		if id := (Resource{Inputs: entry}).text("vpcId"); id != "" {
			vpc = id
		}
	}
	return r.Inputs["vpcs"] != nil, vpc
}

// checkNames checks that nothing has the names yet.
func checkNames(ctx context.Context, p Plan, accounts Accounts, resolver workspace.Resolver) []finding.Finding {
	var tasks []func() []finding.Finding
	for place, names := range p.names() {
		in := accounts[place]
		if in == nil {
			continue
		}
		for _, n := range names {
			if n.outsideBucket() && resolver == nil {
				continue
			}
			tasks = append(tasks, func() []finding.Finding {
				return []finding.Finding{checkName(ctx, in, resolver, place, n, p.Stack)}
			})
		}
	}
	return sideBySide(tasks)
}

func checkName(
	ctx context.Context,
	in account.Account,
	resolver workspace.Resolver,
	place inventory.Place,
	n Name,
	stack string,
) finding.Finding {
	f := finding.Finding{
		Check:   Names,
		Account: place.Account,
		Region:  place.Region,
		Subject: typeLabel(n.Token) + " " + strings.TrimPrefix(n.Name, "/"),
	}
	var holder Holder
	var err error
	if n.outsideBucket() {
		holder, err = servedDocuments(ctx, resolver, n.Name)
	} else {
		holder, err = findHolder(ctx, in, n)
	}
	switch {
	case err != nil:
		return unchecked(f, err)
	case holder == Nobody:
		f.Severity, f.Problem = finding.Passed, "the name is free"
	case n.Token == awstype.HostedZone && !n.Private:
		f.Severity, f.Problem = finding.Warning, "the account has a public zone of this name already"
		f.Remedy = "a domain is delegated to one zone: use the existing one, or delegate to the new one afterwards"
	default:
		f.Severity, f.Problem, f.Remedy = finding.Error, "exists already, in "+string(holder), takenRemedy(n, holder, stack)
		if n.Token == awstype.HostedZone {
			f.Problem = n.VPC + " has a private zone of this name already"
		}
	}
	return f
}

// findHolder returns who has a name.
func findHolder(ctx context.Context, in account.Account, n Name) (Holder, error) {
	q, match := account.Query{Type: n.Token, Inputs: map[string]any{"name": n.Name, "url": n.Name}}, []string{"name"}
	switch n.Token {
	case awstype.Bucket, OIDCDocuments:
		return bucketHolder(ctx, in, n)
	case awstype.OIDCProvider:
		match = []string{"url"}
	case awstype.Policy:
		who, err := in.Identity(ctx)
		if err != nil {
			return Nobody, err
		}
		q, match = account.Query{Type: n.Token, IDs: []string{account.GlobalARN(who, "iam", "policy"+n.Name)}}, nil
	case awstype.HostedZone:
		if n.Private {
			q.Inputs["vpcs"] = []any{map[string]any{"vpcId": n.VPC}}
			match = []string{"name", "vpcs.vpcId"}
		}
	}
	found, err := in.List(ctx, q)
	for _, r := range account.Select(found, q, awstype.Adoption{Match: match}) {
		if n.Token != awstype.HostedZone || n.Private || isPublic(r) {
			return Own, err
		}
	}
	return Nobody, err
}

func isPublic(zone inventory.Resource) bool { return len(account.Texts(zone, "vpcs.vpcId")) == 0 }

// bucketHolder returns who has a bucket, whose name is unique in all accounts of a partition, or whether the OIDC
// bucket has the documents of an issuer, "<bucket>.s3.<region>.amazonaws.com/<infra ID>". Without s3:ListBucket AWS
// answers as if the caller may not read these, also if there are none.
func bucketHolder(ctx context.Context, in account.Account, n Name) (Holder, error) {
	region, bucket, key := "", n.Name, ""
	if n.Token == OIDCDocuments {
		host, infraID, _ := strings.Cut(n.Name, "/")
		at := bucketHost.FindStringSubmatch(host)
		region, bucket, key = at[2], at[1], infraID+"/.well-known/openid-configuration"
	}
	status, err := in.Head(ctx, region, bucket, key)
	switch {
	case status == http.StatusOK:
		return Own, nil
	case status == http.StatusNotFound:
		return Nobody, nil
	case status == http.StatusMovedPermanently && key == "":
		return Elsewhere, nil
	case status == http.StatusForbidden && key == "":
		return Hidden, nil
	}
	return Nobody, err
}

// takenRemedy returns what to do about a name that is in use. What has it may be part of a cluster that runs, such as
// one that HyperShift's CLI created, so the remedy is never its deletion.
func takenRemedy(n Name, holder Holder, stack string) string {
	adopt := "`hypershift-aws adopt -s " + stack + " --preview`"
	switch {
	case n.Token == awstype.HostedZone:
		return "use that zone: set network.existing.privateZoneID; if it is this cluster's, adopt it: " + adopt + "; otherwise use another baseDomainPrefix"
	case holder == Hidden:
		return "if it is this stack's, allow s3:ListBucket on it and adopt it: " + adopt + "; otherwise use another name"
	case holder == Elsewhere:
		return "use another name, or the region of the bucket"
	}
	name := "name"
	if n.Token == OIDCDocuments || n.Token == awstype.OIDCProvider {
		name = "infraID"
	}
	return "if it is this stack's or its cluster's, adopt it: " + adopt + "; otherwise use another " + name + "; " +
		"if an interrupted `up` of this stack created it, the next `up` imports it"
}

// typeLabel returns the name of a type in messages.
func typeLabel(token string) string {
	if token == OIDCDocuments {
		return "OIDC documents"
	}
	record, _ := awstype.Lookup(token)
	return record.Label
}

// Name is something that a plan creates under a name that can be taken.
type Name struct {
	// Token is the type's, and Name the bucket's, role's, profile's or policy's name, the issuer's URL without https://,
	// the alias or the zone's domain.
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
	// Hidden has a bucket that the caller may not read: it is in another account, or in this one, and the caller lacks
	// s3:ListBucket.
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

const (
	// issuerWithin limits the time that an issuer's host may take to answer.
	issuerWithin = 5 * time.Second
)

// outsideBucket reports whether a name belongs to OIDC documents whose issuer is not a bucket's host but, for example,
// a CloudFront distribution.
func (n Name) outsideBucket() bool {
	host, _, _ := strings.Cut(n.Name, "/")
	return n.Token == OIDCDocuments && !bucketHost.MatchString(host)
}

// servedDocuments returns whether an issuer's host serves the documents of the issuer.
func servedDocuments(ctx context.Context, resolver workspace.Resolver, issuer string) (Holder, error) {
	ctx, cancel := context.WithTimeout(ctx, issuerWithin)
	defer cancel()
	served, err := resolver.ServesDocuments(ctx, issuer)
	if !served || err != nil {
		return Nobody, err
	}
	return Issuer, nil
}
