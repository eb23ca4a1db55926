// Package publiczone looks up public hosted zones, and delegates them from the zones above them.
package publiczone

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// DelegationTTL is the TTL of the delegation's NS records, in seconds.
const DelegationTTL = 300

// ParentRemedy is what to do if the account has no parent zone.
const ParentRemedy = "use a zone of this account, or set the account of the parent zone, accounts.parentZone; or leave " +
	"parentZone out and create the NS records by hand"

// ValidateParent returns a fault if parent is not a domain above domain.
func ValidateParent(domain, parent string) error {
	var faults fault.Faults
	faults.Join("", hypershift.ValidateDomain(parent))
	if !strings.HasSuffix(domain, "."+parent) {
		faults.Add("", parent, fmt.Sprintf("is not above %q", domain), "use a parent domain of it, or leave it out")
	}
	return faults.Err()
}

// LookUp looks up the public zone of a domain. remedy is what to do if there is none.
func LookUp(
	ctx *pulumi.Context, domain, remedy string, in pulumi.InvokeOption,
) (*route53.LookupZoneResult, error) {
	private := false
	zone, err := route53.LookupZone(ctx, &route53.LookupZoneArgs{Name: &domain, PrivateZone: &private}, in)
	if err != nil {
		return nil, awsprovider.PublicZone(domain, err, remedy, "use a domain with one")
	}
	return zone, nil
}

// Delegated returns the name servers to which the zone with parentID, of domain parent, delegates a domain.
func Delegated(ctx *pulumi.Context, parentID, parent, domain string, in pulumi.InvokeOption) ([]string, error) {
	exactly := "^" + regexp.QuoteMeta(domain) + `\.?$`
	records, err := route53.GetRecords(ctx, &route53.GetRecordsArgs{ZoneId: parentID, NameRegex: &exactly}, in)
	if err != nil {
		return nil, &fault.Fault{Value: domain, Remedy: awsprovider.Remedy(err, "run the same command again"),
			Problem: fmt.Sprintf("has NS records in %s that cannot be looked up: %s", parent, awsprovider.Cause(err))}
	}
	var delegated []string
	for _, set := range records.ResourceRecordSets {
		if set.Type == "NS" {
			for _, record := range set.ResourceRecords {
				delegated = append(delegated, record.Value)
			}
		}
	}
	return Hosts(delegated), nil
}

// A Child is a zone that is created, and the zone with ParentID, of domain Parent, that delegates to it.
type Child struct {
	Domain, Parent, ParentID string
	// Tag and Value are the tag by which the zone is found in its account once it exists.
	Tag, Value string
	// AnyValue is true if the value changes with the names in a stack's file, so that the account's only public zone of
	// the domain is the stack's own if it has the tag.
	AnyValue bool
}

// CheckUndelegated refuses to delegate a domain that the parent zone delegates to other name servers than those of the
// stack's own zone. A zone without NS records in the parent need not be looked up.
func (c Child) CheckUndelegated(ctx *pulumi.Context, inParent, inOwn pulumi.InvokeOption) error {
	delegated, err := Delegated(ctx, c.ParentID, c.Parent, c.Domain, inParent)
	if err != nil || len(delegated) == 0 || c.exists(ctx, inOwn) {
		return err // if it exists, its records are the stack's, and a refresh shows what others changed
	}
	return &fault.Fault{Value: c.Parent,
		Problem: fmt.Sprintf("already delegates %s, to [%s]", c.Domain, strings.Join(delegated, ", ")),
		Remedy: "use that zone if it is in this account, and create none; otherwise ask the owner of " + c.Parent +
			" whose zone it is, and use another domain"}
}

// exists reports whether the zone is in its account.
func (c Child) exists(ctx *pulumi.Context, in pulumi.InvokeOption) bool {
	private := false
	wanted := &route53.LookupZoneArgs{Name: &c.Domain, PrivateZone: &private, Tags: map[string]string{c.Tag: c.Value}}
	if _, err := route53.LookupZone(ctx, wanted, in); err == nil || !c.AnyValue {
		return err == nil
	}
	wanted.Tags = nil
	zone, err := route53.LookupZone(ctx, wanted, in)
	return err == nil && zone.Tags[c.Tag] != ""
}

// Delegate creates the NS records of a domain in the zone with parentID. AWS refuses them if the zone delegates the
// domain already.
func Delegate(
	ctx *pulumi.Context, name, parentID, domain string, servers pulumi.StringArrayInput, opts ...pulumi.ResourceOption,
) error {
	_, err := route53.NewRecord(ctx, name, &route53.RecordArgs{
		ZoneId:  pulumi.String(parentID),
		Name:    pulumi.String(domain),
		Type:    pulumi.String("NS"),
		Ttl:     pulumi.Int(DelegationTTL),
		Records: servers,
	}, opts...)
	return err
}

// Hosts normalizes and sorts the names of name servers.
func Hosts(servers []string) []string {
	out := make([]string, len(servers))
	for i, server := range servers {
		out[i] = strings.ToLower(strings.TrimSuffix(server, "."))
	}
	slices.Sort(out)
	return out
}

// Delegation returns the sentence with the NS records to create.
func Delegation(domain string, servers pulumi.StringArrayOutput) pulumi.StringOutput {
	return servers.ApplyT(func(servers []string) string {
		return fmt.Sprintf("In the zone above %[1]s, or at the registrar of %[1]s, set NS records for %[1]s with TTL %[2]d: %[3]s.",
			domain, DelegationTTL, strings.Join(Hosts(servers), ", "))
	}).(pulumi.StringOutput)
}
