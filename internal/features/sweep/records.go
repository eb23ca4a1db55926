package sweep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Naming describes a cluster's DNS names, as far as the cluster's account does not.
type Naming struct {
	// Domains are the domains of the cluster's names, in addition to those of its zones.
	Domains []string
	// Names are the cluster's names in other domains: those that external-dns writes for the control plane.
	Names []string
	// ControlPlane is the namespace of the cluster's control plane in its management cluster, "" if it is not known.
	ControlPlane string
	// FormerHosts are hosts that other accounts had, at which records may still point; CurrentHosts are those that they
	// have.
	FormerHosts, CurrentHosts []string
}

// AddRecords adds the records of a cluster that point only at hosts that do not exist or would be deleted: load
// balancers, endpoints and elastic IPs of the cluster, and load balancers of its control plane. Records have no tags:
// they are found by their names and by what they point at. Records in a zone of the cluster are deleted with the zone.
// See addRegistry for the TXT records of external-dns.
func (f *Facts) AddRecords(ctx context.Context, aws account.Account, infraID string, naming Naming) {
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
	records, err := account.Records(ctx, aws, slices.Compact(search))
	if err != nil {
		f.Missing = append(f.Missing, account.Missing{
			Type: awstype.Record,
			Err:  fmt.Errorf("searching for records of %s: %w", infraID, err),
		})
		return
	}
	records = slices.DeleteFunc(records, func(r inventory.Resource) bool { return zones[r.Zone()] })
	named := func(name string) bool {
		under := func(domain string) bool { return account.Under(name, domain) }
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
	f.addRegistry(records, infraID, naming, at, stays)
}

// addRegistry adds the TXT records by which external-dns registered records that are deleted, which at lists by zone
// and name, but none that may register another record. A TXT record whose record does not exist is added only if
// HyperShift's external-dns wrote it for this cluster's control plane: any other may belong to a registry of another
// owner, which could then no longer change its records.
func (f *Facts) addRegistry(
	records []inventory.Resource,
	infraID string,
	naming Naming,
	at map[string][]string,
	stays map[string]bool,
) {
	registers := map[string]bool{}
	for _, r := range records {
		if r.Description != "" {
			registers[r.Zone()+"_"+r.Name()] = true
		}
	}
	for _, r := range records {
		if r.Description == "" {
			continue
		}
		var users []string
		kept := false
		for _, name := range registered(r.Name()) {
			key := r.Zone() + "_" + name
			users, kept = append(users, at[key]...), kept || stays[key]
		}
		for _, recordType := range otherTypes() {
			kept = kept || registers[r.Zone()+"_"+recordType+r.Name()]
		}
		if !kept && (len(users) > 0 || naming.registersControlPlane(r)) {
			f.addRecord(r, infraID, users)
		}
	}
}

// registersControlPlane reports whether HyperShift's external-dns wrote a TXT record for the cluster's control plane:
// the name has HyperShift's form, and the text names a service or route in the control plane's namespace.
func (n Naming) registersControlPlane(r inventory.Resource) bool {
	label, _, _ := strings.Cut(r.Name(), ".")
	if n.ControlPlane == "" || !strings.HasSuffix(label, registrySuffix) ||
		!slices.ContainsFunc(registered(r.Name()), func(name string) bool { return slices.Contains(n.Names, name) }) {
		return false
	}
	for _, part := range strings.Split(strings.Trim(r.Description, `"`), ",") {
		if resource, is := strings.CutPrefix(part, "external-dns/resource="); is {
			kind, rest, _ := strings.Cut(resource, "/")
			namespace, _, _ := strings.Cut(rest, "/")
			return (kind == "service" || kind == "route") && namespace == n.ControlPlane
		}
	}
	return false
}

// addRecord adds a record with the tag of the cluster. It is not deleted before its users.
func (f *Facts) addRecord(r inventory.Resource, infraID string, users []string) {
	r.Tags = maps.Clone(r.Tags)
	maps.Copy(r.Tags, account.OwnedBy(infraID))
	r.UsedBy = users
	f.Found = append(f.Found, r)
}

// dangling reports whether a record points only at hosts of the cluster or hosts that do not exist, and returns the IDs
// of the former.
func dangling(r inventory.Resource, own map[string]string, gone map[string]bool) (users []string, dangles bool) {
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

// pointedAt returns the hosts at which records of a cluster may point: those of the cluster's resources, with their
// IDs, and those that no longer exist. The public address of an interface is in use: another resource may have an
// address that the cluster released.
func (f *Facts) pointedAt(infraID string, naming Naming) (own map[string]string, gone map[string]bool) {
	own, gone = map[string]string{}, map[string]bool{}
	for _, host := range slices.Concat(f.Before[infraID].Hosts, naming.FormerHosts) {
		gone[host] = true
	}
	for _, host := range naming.CurrentHosts {
		delete(gone, host)
	}
	for _, l := range f.Found {
		mine := account.ClusterTag(l, infraID) == "owned" && len(account.Clusters(l)) == 1
		for _, host := range l.Hosts {
			delete(gone, host)
			if mine && l.Type != awstype.Record && l.Type != awstype.NetworkInterface {
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
		if l.Type == awstype.HostedZone && account.ClusterTag(l, infraID) == "owned" && len(account.Clusters(l)) == 1 {
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

// registrySuffix is the suffix that HyperShift configures for the first label of external-dns's TXT records.
// https://github.com/openshift/hypershift/blob/main/cmd/install/assets/external_dns.go
const registrySuffix = "-external-dns"

// otherTypes returns the prefixes of TXT records that register records of types which a sweep does not delete.
func otherTypes() []string { return []string{"ns-", "mx-", "srv-", "txt-", "ptr-", "naptr-"} }

// registered returns the names of the records that a TXT record of external-dns may register, by its name: external-dns
// adds the record's type as a prefix, and HyperShift configures a suffix.
func registered(name string) []string {
	label, rest, _ := strings.Cut(name, ".")
	label = strings.TrimSuffix(label, registrySuffix)
	names := []string{label + "." + rest}
	for _, recordType := range []string{"a-", "aaaa-", "cname-"} {
		if bare, has := strings.CutPrefix(label, recordType); has {
			names = append(names, bare+"."+rest)
		}
	}
	return names
}

// readNaming returns a cluster's names according to the stacks' files.
func readNaming(files []*config.File, infraID string) Naming {
	var n Naming
	var external []string
	for _, file := range files {
		if m := config.As[*config.Management](file); m != nil && m.Zone != nil {
			external = append(external, m.Zone.Domain)
		}
	}
	for _, file := range files {
		c := config.As[*config.Cluster](file)
		if c == nil || c.InfraID != infraID {
			continue
		}
		n.Domains = append(n.Domains, c.ZoneName(c.BaseDomainPrefix, c.BaseDomain), c.LocalZoneName())
		if c.HostedCluster == nil {
			continue
		}
		n.ControlPlane = ControlPlaneNamespace(c.HostedCluster.NamespaceOrDefault(), c.Name)
		if c.HostedCluster.ExternalDNSDomain == config.NoExternalDNS {
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

// ControlPlaneNamespace returns the namespace that HyperShift creates for the control plane of a HostedCluster.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/manifests/manifests.go
func ControlPlaneNamespace(namespace, name string) string {
	return namespace + "-" + strings.ReplaceAll(name, ".", "-")
}
