package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// Search asks an account for everything that carries a cluster's tag. Journals are in a folder.
func Search(ctx context.Context, account orphan.Sweepable, journals string, now time.Time) (Facts, error) {
	place, err := account.Place(ctx)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Place: place, Before: map[string]Before{}, Now: now}
	f.Found, f.Missing = account.Leftovers(ctx)
	for _, infraID := range f.Clusters() {
		before, err := NewJournal(journals, place, infraID).Before()
		if err != nil {
			return f, err
		}
		f.Before[infraID] = before
	}
	return f, nil
}

// Clusters are the infra IDs whose tag is in the account, in alphabetical order.
func (f Facts) Clusters() []string {
	var infraIDs []string
	for _, l := range f.Found {
		infraIDs = append(infraIDs, l.Clusters()...)
	}
	slices.Sort(infraIDs)
	return slices.Compact(infraIDs)
}

// AddRecords adds the records of a cluster's ingress in public zones that point at a load balancer of the cluster: one that would be
// deleted, or that an earlier sweep has deleted. Records have no tags. The name follows from the cluster's private zone, or from a
// domain that is given.
func (f *Facts) AddRecords(ctx context.Context, account orphan.Sweepable, infraID string, domains ...string) {
	hosts := map[string]bool{}
	for _, host := range f.Before[infraID].Hosts {
		hosts[orphan.Host(host)] = true
	}
	balancers := map[string]string{}
	for _, l := range f.Found {
		if l.Type != awstype.LoadBalancer && l.Type != awstype.ClassicLoadBalancer || l.Host == "" {
			continue
		}
		if l.ClusterTag(infraID) == "owned" && len(l.Clusters()) == 1 {
			hosts[orphan.Host(l.Host)] = true
			balancers[orphan.Host(l.Host)] = l.ID
		}
	}
	domains = slices.Clone(domains)
	for _, l := range f.Found {
		if l.Type == awstype.HostedZone && l.ClusterTag(infraID) == "owned" && len(l.Clusters()) == 1 &&
			l.Host != "" && !strings.HasSuffix(l.Host, ".hypershift.local") {
			domains = append(domains, l.Host)
		}
	}
	if len(hosts) == 0 {
		return
	}
	slices.Sort(domains)
	for _, domain := range slices.Compact(domains) {
		records, err := account.Records(ctx, "*.apps."+domain)
		if err != nil {
			f.Missing = append(f.Missing, orphan.Missing{Type: awstype.Record, Err: fmt.Errorf("looking for *.apps.%s: %w", domain, err)})
			continue
		}
		for _, r := range records {
			if hosts[r.Host] {
				r.Tags = maps.Clone(r.Tags)
				maps.Copy(r.Tags, orphan.OwnedBy(infraID)) // so that it counts as this cluster's, and no other's
				if id := balancers[r.Host]; id != "" {
					r.UsedBy = []string{id} // it stays as long as its load balancer
				}
				f.Found = append(f.Found, r)
			}
		}
	}
}

// Priced are a cluster's resources as the price table takes them.
func (f Facts) Priced(infraID string) []apitype.ResourceV3 {
	var priced []apitype.ResourceV3
	for i, l := range f.Found {
		if l.ClusterTag(infraID) != "owned" || l.Type == awstype.Instance && l.State != "running" {
			continue
		}
		priced = append(priced, apitype.ResourceV3{
			URN:  resource.URN(fmt.Sprintf("urn:pulumi:sweep::sweep::%s::%d", l.Type, i)),
			Type: tokens.Type(l.Type), Custom: true, Inputs: l.Priced,
			Outputs: map[string]any{"arn": arn.ARN{Partition: f.Place.Partition, Service: "ec2", Region: f.Place.Region, AccountID: f.Place.Account, Resource: "x"}.String()}, // the region's prices
		})
	}
	return priced
}

// Label is what messages call an instance of a type.
func Label(token string) string { return sweepOf(token).Label }
