package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Naming describes a cluster's DNS names, as far as the cluster's account does not.
type Naming struct {
	// Domains are the domains of the cluster's names, in addition to those of its zones.
	Domains []string
	// Names are the cluster's names in other domains: those that external-dns writes for the control plane.
	Names []string
	// FormerHosts are hosts that other accounts had, at which records may still point; CurrentHosts are those that they have.
	FormerHosts, CurrentHosts []string
}

// AddRecords adds the records of a cluster that point only at hosts that do not exist or would be deleted: load balancers, endpoints and
// elastic IPs of the cluster, and load balancers of its control plane. It also adds the TXT record by which external-dns registered such a
// record. Records have no tags: they are found by their names and by what they point at. Records in a zone of the cluster are deleted with
// the zone.
func (f *Facts) AddRecords(ctx context.Context, account orphan.Sweepable, infraID string, naming Naming) {
	own, gone := f.pointedAt(infraID, naming)
	if len(own)+len(gone)+len(naming.Names) == 0 {
		return
	}
	domains, zones := f.domains(infraID, naming)
	search := slices.Clone(domains)
	for _, name := range naming.Names {
		_, parent, _ := strings.Cut(name, ".")
		search = append(search, parent)
	}
	slices.Sort(search)
	records, err := account.Records(ctx, slices.Compact(search))
	if err != nil {
		f.Missing = append(f.Missing, orphan.Missing{Type: awstype.Record, Err: fmt.Errorf("searching for records of %s: %w", infraID, err)})
		return
	}
	records = slices.DeleteFunc(records, func(r orphan.Leftover) bool { return zones[r.Zone()] })
	named := func(name string) bool {
		under := func(domain string) bool { return orphan.Under(name, domain) }
		return slices.Contains(naming.Names, name) || slices.ContainsFunc(domains, under) ||
			len(domains) == 0 && strings.HasPrefix(name, "*.apps.")
	}
	// at lists by zone and name the records that are deleted, stays those that are not.
	at, stays := map[string][]string{}, map[string]bool{}
	for _, r := range records {
		if len(r.Hosts) == 0 {
			continue
		}
		key := r.Zone() + "_" + r.Name()
		users, dangles := dangling(r, own, gone)
		if !dangles || !named(r.Name()) {
			stays[key] = true
			continue
		}
		at[key] = append(at[key], r.ID)
		f.addRecord(r, infraID, users)
	}
	for _, r := range records {
		if r.Description == "" {
			continue
		}
		var users []string
		known, kept := false, false
		for _, name := range registered(r.Name()) {
			key := r.Zone() + "_" + name
			users = append(users, at[key]...)
			known, kept = known || named(name), kept || stays[key]
		}
		if !kept && (len(users) > 0 || known && len(domains)+len(naming.Names) > 0) {
			f.addRecord(r, infraID, users)
		}
	}
}

// addRecord adds a record with the tag of the cluster. It is not deleted before its users.
func (f *Facts) addRecord(r orphan.Leftover, infraID string, users []string) {
	r.Tags = maps.Clone(r.Tags)
	maps.Copy(r.Tags, orphan.OwnedBy(infraID))
	r.UsedBy = users
	f.Found = append(f.Found, r)
}

// dangling reports whether a record points only at hosts of the cluster or hosts that do not exist, and returns the IDs of the former.
func dangling(r orphan.Leftover, own map[string]string, gone map[string]bool) (users []string, dangles bool) {
	for _, host := range r.Hosts {
		id := own[host]
		if id == "" && !gone[host] {
			return nil, false
		}
		if id != "" {
			users = append(users, id)
		}
	}
	return users, true
}

// pointedAt returns the hosts at which records of a cluster may point: those of the cluster's resources, with their IDs, and those that no
// longer exist.
func (f *Facts) pointedAt(infraID string, naming Naming) (own map[string]string, gone map[string]bool) {
	own, gone = map[string]string{}, map[string]bool{}
	for _, host := range slices.Concat(f.Before[infraID].Hosts, naming.FormerHosts) {
		gone[host] = true
	}
	for _, host := range naming.CurrentHosts {
		delete(gone, host)
	}
	for _, l := range f.Found {
		mine := l.ClusterTag(infraID) == "owned" && len(l.Clusters()) == 1
		for _, host := range l.Hosts {
			delete(gone, host)
			if mine && l.Type != awstype.Record {
				own[host] = l.ID
			}
		}
	}
	return own, gone
}

// domains returns the domains of a cluster's names, and the IDs of the zones that are the cluster's own.
func (f *Facts) domains(infraID string, naming Naming) (domains []string, zones map[string]bool) {
	domains, zones = slices.Clone(naming.Domains), map[string]bool{}
	for _, l := range f.Found {
		if l.Type == awstype.HostedZone && l.ClusterTag(infraID) == "owned" && len(l.Clusters()) == 1 {
			domains = append(domains, l.Domain)
			zones[l.ID] = true
		}
	}
	return domains, zones
}

// Hosts returns all hosts in an account at which records may point.
func (f *Facts) Hosts() []string {
	var hosts []string
	for _, l := range f.Found {
		if l.Type != awstype.Record {
			hosts = append(hosts, l.Hosts...)
		}
	}
	return hosts
}

// registered returns the names of the records that a TXT record of external-dns may register, by its name: external-dns adds the record's
// type as a prefix, and HyperShift configures the suffix -external-dns for the first label.
// https://github.com/openshift/hypershift/blob/main/cmd/install/assets/external_dns.go
func registered(name string) []string {
	label, rest, _ := strings.Cut(name, ".")
	label = strings.TrimSuffix(label, "-external-dns")
	names := []string{label + "." + rest}
	for _, recordType := range []string{"a-", "aaaa-", "cname-"} {
		if bare, has := strings.CutPrefix(label, recordType); has {
			names = append(names, bare+"."+rest)
		}
	}
	return names
}

// namingOf returns a cluster's names according to the stacks' files.
func namingOf(files []*config.File, infraID string) Naming {
	var n Naming
	var external []string
	for _, file := range files {
		if file.Management != nil && file.Management.Zone != nil {
			external = append(external, file.Management.Zone.Domain)
		}
	}
	for _, file := range files {
		c := file.Cluster
		if c == nil || c.InfraID != infraID {
			continue
		}
		n.Domains = append(n.Domains, c.ZoneName(c.BaseDomainPrefix, c.BaseDomain), c.LocalZoneName())
		if c.HostedCluster == nil || c.HostedCluster.ExternalDNSDomain == config.NoExternalDNS {
			continue
		}
		domains := external
		if own := c.HostedCluster.ExternalDNSDomain; own != "" {
			domains = []string{own}
		}
		for _, domain := range domains {
			n.Names = append(n.Names, hostedcluster.ExternalNames(c.Name, domain)...)
		}
	}
	return n
}
