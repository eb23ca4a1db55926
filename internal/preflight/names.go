package preflight

import (
	"context"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
)

// The types that preflight looks up by name, in addition to those of package awstype.
const (
	iamPolicy = "aws:iam/policy:Policy"
	kmsAlias  = "aws:kms/alias:Alias"
)

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
		case awstype.Role, awstype.InstanceProfile, awstype.User, kmsAlias:
			n.Name = r.text("name")
		case iamPolicy:
			if n.Name = r.text("name"); n.Name != "" {
				n.Name = strings.TrimSuffix("/"+strings.Trim(r.text("path"), "/"), "/") + "/" + n.Name
			}
		case awstype.OIDCProvider:
			n.Name = strings.TrimPrefix(r.text("url"), "https://")
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
	list, _ := r.Inputs["vpcs"].([]any)
	for _, item := range list {
		entry, _ := item.(map[string]any)
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
			tasks = append(tasks, func() []Finding { return []Finding{checkName(ctx, account, place, n)} })
		}
	}
	return sideBySide(tasks)
}

func checkName(ctx context.Context, account Account, place Place, n Name) Finding {
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
	case n.Token == awstype.HostedZone:
		f.Verdict, f.Message = Fails, n.VPC+" has a private zone of this name already"
		f.Remedy = "delete that zone, or use another baseDomainPrefix"
	default:
		f.Verdict, f.Message = Fails, "exists already, in "+string(holder)
		f.Remedy = "use another name, or delete it"
		if holder == Own {
			f.Remedy += "; if an interrupted `up` of this stack created it, the next `up` imports it"
		}
	}
	return f
}

// labelOf returns the name of a type in messages.
func labelOf(token string) string {
	record, _ := awstype.Of(token)
	return record.Label
}
