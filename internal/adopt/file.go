package adopt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/input"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Access is how an account is accessed, in addition to the environment's credentials.
type Access struct {
	// Profile is a profile of the AWS config; RoleARN a role that is assumed.
	Profile, RoleARN string
}

// Given reports whether anything is set.
func (a Access) Given() bool { return a != Access{} }

// Settings returns the settings of a provider for the account in a region.
func (a Access) Settings(region string) map[string]any {
	settings := map[string]any{"region": region}
	if a.Profile != "" {
		settings["profile"] = a.Profile
	}
	if a.RoleARN != "" {
		settings["assumeRole"] = map[string]any{"roleArn": a.RoleARN}
	}
	return settings
}

// role returns the setting of the role, nil without one.
func (a Access) role() any {
	if a.RoleARN == "" {
		return nil
	}
	return inline("{roleArn: " + scalar(a.RoleARN) + "}")
}

// keys are the keys of an object in the order of the file. Those with an empty value are left out; an object that is set has a nonempty list of
// keys, or is inline.
type keys []key

type key struct {
	name  string
	value any
}

// inline is a value as YAML.
type inline string

// File returns the stack's file, Pulumi.<stack>.yaml, with a comment at each value that is not certain. own and owner are how the cluster's
// account and that of a shared VPC's owner are reached.
func (c *Cluster) File(own, owner Access) string {
	f := &yamlText{unsure: c.Unsure}
	f.line("# yaml-language-server: $schema=./" + config.SchemaFile)
	for _, list := range c.Incomplete {
		f.line("# Could not be listed: " + strings.ReplaceAll(list, "\n", " "))
	}
	f.line("config:")
	f.keys("  ", keys{
		{"aws:region", c.Region}, {"aws:profile", own.Profile}, {"aws:assumeRole", own.role()},
		{"hypershift-aws:kind", "cluster"},
		{"hypershift-aws:cluster", keys{
			{"name", c.Name}, {"infraID", c.InfraID}, {"baseDomain", c.BaseDomain}, {"baseDomainPrefix", c.BaseDomainPrefix},
			{"endpointAccess", string(c.EndpointAccess)}, {"tags", c.Tags}, {"network", c.networkKeys()}, {"management", c.Management},
			{"oidc", keys{{"bucketName", c.BucketName}, {"bucketRegion", c.BucketRegion}, {"issuerURL", c.IssuerURL}}},
			{"kmsKeyARN", c.KMSKeyARN}, {"iam", c.iamKeys()},
			{"accounts", keys{{"vpcOwner", keys{{"profile", owner.Profile}, {"assumeRole", owner.role()}}}}},
		}},
	})
	return f.String()
}

func (c *Cluster) networkKeys() keys {
	var zones []string
	for _, zone := range c.Zones {
		if zone.Slot == nil {
			zones = append(zones, zone.Name)
		} else {
			zones = append(zones, fmt.Sprintf("{name: %s, slot: %d}", zone.Name, *zone.Slot))
		}
	}
	var flowLogs, bastion, shared, ca any
	if logs := c.FlowLogs; logs != nil {
		flowLogs = keys{
			{"destination", string(logs.Destination)}, {"bucketARN", input.Text(logs.BucketARN)}, {"retentionDays", logs.RetentionDays},
			{"traffic", string(logs.Traffic)},
		}
	}
	if c.Bastion != nil {
		bastion = keys{{"sshCIDRs", c.Bastion.SSHCIDRs}, {"sshKey", input.Text(c.Bastion.SSHKey)}}
	}
	if c.SharedZones != "" {
		in := ""
		if c.SharedZones == network.ClusterZones {
			in = string(network.ClusterZones)
		}
		shared = keys{{"privateZonesIn", in}, {"permissionsBoundary", c.OwnersBoundary}}
	}
	if c.ProxyCA != "" {
		ca = inline(fmt.Sprintf("%q", c.ProxyCA))
	}
	return keys{
		{"vpcCIDR", c.VPCCIDR}, {"secondaryCIDR", c.SecondaryCIDR}, {"zones", inline("[" + strings.Join(zones, ", ") + "]")}, {"nat", string(c.NAT)},
		{"elasticIPs", c.ElasticIPs}, {"dhcpDomainName", c.DHCPDomainName}, {"publicOnly", c.PublicOnly}, {"interfaceEndpoints", c.InterfaceEndpoints},
		{"flowLogs", orEmpty(flowLogs)}, {"bastion", orEmpty(bastion)}, {"keepDefaultSecurityGroup", c.KeepDefaultGroup},
		{"proxy", keys{{"endpointService", c.ProxyService}, {"httpAddress", c.ProxyAddress}, {"httpsAddress", c.SecureProxyAddress}, {"ca", ca}}},
		{"shared", orEmpty(shared)},
	}
}

// orEmpty returns an object that is set although it has no keys as {}.
func orEmpty(value any) any {
	if object, set := value.(keys); set && object.empty() {
		return inline("{}")
	}
	return value
}

func (c *Cluster) iamKeys() keys {
	var extra keys
	for _, role := range slices.Sorted(maps.Keys(c.ExtraPolicies)) {
		extra = append(extra, key{string(role), c.ExtraPolicies[role]})
	}
	return keys{
		{"roleNamePrefix", c.RoleNamePrefix}, {"path", c.Path}, {"permissionsBoundary", c.PermissionsBoundary}, {"managedPolicies", c.ManagedPolicies},
		{"karpenter", c.Karpenter}, {"sharedRole", c.SharedRole}, {"extraPolicies", extra},
	}
}

// empty reports whether no key has a value.
func (k keys) empty() bool {
	return !slices.ContainsFunc(k, func(one key) bool { return !isEmpty(one.value) })
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case keys:
		return v.empty()
	case []string:
		return len(v) == 0
	case map[string]string:
		return len(v) == 0
	}
	return value == nil || reflect.ValueOf(value).IsZero()
}

// yamlText is YAML that is written line by line, since it carries comments.
type yamlText struct {
	strings.Builder
	unsure map[string]string
}

func (f *yamlText) line(text string) { f.WriteString(text + "\n") }

// keys writes the keys that have a value, with why it is not certain.
func (f *yamlText) keys(indent string, all keys) {
	for _, one := range all {
		if isEmpty(one.value) {
			continue
		}
		if why := f.unsure[one.name]; why != "" {
			f.line(indent + "# Not certain: " + why + ".")
		}
		if one.name == "keepDefaultSecurityGroup" {
			f.line(indent + "# The default security group has rules, which stay.")
		}
		start := indent + one.name + ":"
		switch v := one.value.(type) {
		case keys:
			f.line(start)
			f.keys(indent+"  ", v)
		case map[string]string:
			f.line(start)
			for _, name := range slices.Sorted(maps.Keys(v)) {
				f.line(indent + "  " + scalar(name) + ": " + scalar(v[name]))
			}
		case []string:
			f.line(start + " [" + strings.Join(v, ", ") + "]")
		case string:
			f.line(start + " " + scalar(v))
		default:
			f.line(fmt.Sprintf("%s %v", start, v))
		}
	}
}

// scalar returns a string as YAML reads it back as a string.
func scalar(text string) string {
	quoted, err := yaml.Marshal(text)
	if err != nil || strings.ContainsAny(text, ",[]{}\n") {
		return fmt.Sprintf("%q", text)
	}
	return strings.TrimSpace(string(quoted))
}
