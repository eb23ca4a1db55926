package preflight

import (
	"context"
	"regexp"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// OIDCDocuments is the type of the documents of a cluster's issuer, which HyperShift's operator writes into the OIDC bucket.
const OIDCDocuments = awstype.BucketObject

// bucketHost matches the host of an issuer in a bucket, with the bucket's name and region.
var bucketHost = regexp.MustCompile(`^(.+)\.s3\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$`)

// names returns the names that a plan uses, each with its place.
func (p Plan) names() map[Place][]Name {
	found := map[Place][]Name{}
	for _, r := range p.Resources {
		if !r.Created {
			continue
		}
		n := Name{Token: r.Type}
		switch r.Type {
		case awstype.Bucket:
			n.Name = r.text("bucket")
		case awstype.Role, awstype.InstanceProfile, awstype.User, awstype.KMSAlias:
			n.Name = r.text("name")
		case awstype.Policy:
			if n.Name = r.text("name"); n.Name != "" {
				n.Name = strings.TrimSuffix("/"+strings.Trim(r.text("path"), "/"), "/") + "/" + n.Name
			}
		case awstype.OIDCProvider:
			n.Name = strings.TrimPrefix(r.text("url"), "https://")
			if host, infraID, inBucket := strings.Cut(n.Name, "/"); p.New && inBucket && bucketHost.MatchString(host) {
				found[r.Place] = append(found[r.Place], Name{Token: OIDCDocuments, Name: host + "/" + infraID})
			}
		case awstype.HostedZone:
			n.Name = strings.TrimSuffix(r.text("name"), ".")
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
func checkNames(ctx context.Context, p Plan, accounts Accounts) []Finding {
	var tasks []func() []Finding
	for place, names := range p.names() {
		account := accounts[place]
		if account == nil {
			continue
		}
		for _, n := range names {
			tasks = append(tasks, func() []Finding { return []Finding{checkName(ctx, account, place, n, p.Stack)} })
		}
	}
	return sideBySide(tasks)
}

func checkName(ctx context.Context, account Account, place Place, n Name, stack string) Finding {
	f := Finding{Check: Names, Account: place.Account, Region: place.Region, Subject: labelOf(n.Token) + " " + strings.TrimPrefix(n.Name, "/")}
	holder, err := account.Taken(ctx, n)
	switch {
	case err != nil:
		return unchecked(f, err)
	case holder == Nobody:
		f.Verdict, f.Message = Passes, "the name is free"
	case n.Token == awstype.HostedZone && !n.Private:
		f.Verdict, f.Message = Warns, "the account has a public zone of this name already"
		f.Remedy = "a domain is delegated to one zone: use the existing one, or delegate to the new one afterwards"
	default:
		f.Verdict, f.Message, f.Remedy = Fails, "exists already, in "+string(holder), takenRemedy(n, holder, stack)
		if n.Token == awstype.HostedZone {
			f.Message = n.VPC + " has a private zone of this name already"
		}
	}
	return f
}

// takenRemedy returns what to do about a name that is in use. What has it may be part of a cluster that runs, such as one that HyperShift's
// CLI created, so the remedy is never its deletion.
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

// labelOf returns the name of a type in messages.
func labelOf(token string) string {
	if token == OIDCDocuments {
		return "OIDC documents"
	}
	record, _ := awstype.Of(token)
	return record.Label
}
