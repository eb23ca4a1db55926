package author

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// newValues are the values for a new stack's file; "" is a key's default.
type newValues struct {
	// kind is the kind of the stack.
	kind                                        string
	name, infraID, baseDomain, baseDomainPrefix string
	endpointAccess, region, vpcCIDR, nat        string
	zones                                       []string
	// zoneList are the zones as entered at a prompt.
	zoneList                                   string
	oidcBucket, oidcRegion, oidcIssuer, kmsKey string
	tags                                       map[string]string
	// kubernetesVersion and topology are for kind capa.
	kubernetesVersion, topology string
	// networkStack and iamStack name the stacks of the cluster's parts, and management the stack of its management account.
	networkStack, iamStack, management string
	// release is the hosted cluster's, and externalDNSDomain the domain of its public names or of a management stack's zone.
	release, externalDNSDomain string
	// operatorIssuer is for kind management.
	operatorIssuer string
	// documents describe existing resources, nil if they are to be created.
	documents *givenDocuments
}

// head returns the lines that every stack's file starts with.
func (v newValues) head(kind config.Kind) *yamlText {
	f := &yamlText{}
	f.line("# yaml-language-server: $schema=./" + config.SchemaFile)
	f.line("config:")
	f.comment("  ", "The AWS account is set by the aws: keys, as in any Pulumi program: profile, assumeRole, defaultTags ...")
	f.key("  ", "aws:region", v.region, "")
	f.key("  ", "hypershift-aws:kind", string(kind), "")
	return f
}

// file returns the stack's file: every key with a comment, defaults as comments.
func (v newValues) file() string {
	if v.zoneList != "" {
		v.zones = strings.FieldsFunc(v.zoneList, func(r rune) bool { return r == ',' || r == ' ' })
	}
	switch {
	case v.isKind(config.KindCAPA):
		return v.capaFile()
	case v.isKind(config.KindNetwork):
		return v.networkFile()
	case v.isKind(config.KindIAM):
		return v.iamFile()
	case v.isKind(config.KindNodePools):
		return v.nodePoolsFile()
	case v.isKind(config.KindManagement):
		return v.managementFile()
	}
	f := v.head(config.KindCluster)
	f.line("  hypershift-aws:cluster:")
	v.identity(f)
	v.domain(f)
	f.comment("    ", "The stack of kind management that provides the issuer's bucket, the key of etcd and the zone of the public names.")
	f.key("    ", "management", v.management, "management")
	f.comment("    ", "Tags for every resource.")
	f.tags("    ", v.tags)
	switch {
	case v.networkStack != "":
		f.comment("    ", "The stack with the cluster's network and hosted zones. Its file has the same name, infraID, domain and endpointAccess.")
		f.key("    ", "networkStack", v.networkStack, "")
	case v.documents != nil:
		f.line("    network:")
		f.comment("      ", "The existing VPC is checked, and never changed.")
		f.section("      ", v.documents.network(hypershift.EndpointAccess(v.endpointAccess)))
	default:
		f.line("    network:")
		v.network(f)
	}
	if v.iamStack != "" {
		f.comment("    ", "The stack with the cluster's issuer, roles and instance profile.")
		f.key("    ", "iamStack", v.iamStack, "")
	} else if v.management == "" {
		v.issuer(f)
	}
	if v.documents != nil {
		f.comment("    ", "The existing roles and instance profile are checked, and never changed.")
		f.line("    iam:")
		f.section("      ", v.documents.roles())
	}
	if v.management == "" {
		v.etcdKey(f)
	}
	v.hostedCluster(f)
	return f.String()
}

// network writes the keys of a network that the stack creates.
func (v newValues) network(f *yamlText) {
	f.comment("      ", "The VPC's CIDR, /16 to /20. It cannot be changed later.")
	f.key("      ", "vpcCIDR", v.vpcCIDR, "10.0.0.0/16")
	f.comment("      ", "Up to eight availability zones; default: the region's first zone. A zone's CIDRs depend on its position in this")
	f.comment("      ", "list, or on its slot if set: {name: us-east-1c, slot: 2}. Add zones at the end.")
	f.list("      ", "zones", v.zones, v.region+"a")
	f.comment("      ", "NAT gateways: PerZone (default), Single or None.")
	f.key("      ", "nat", v.nat, "PerZone")
}

// yamlText builds YAML line by line, because it contains comments.
type yamlText struct{ strings.Builder }

func (f *yamlText) line(text string) { f.WriteString(text + "\n") }

func (f *yamlText) comment(indent, text string) { f.line(indent + "# " + text) }

// key writes a key with its value, or if that is "" the key as a comment with an example.
func (f *yamlText) key(indent, key, value, example string) {
	if value == "" {
		f.line(indent + "# " + key + ": " + scalar(example))
		return
	}
	f.line(indent + key + ": " + scalar(value))
}

// section writes the keys of a struct of the config that are set.
func (f *yamlText) section(indent string, section any) {
	text, _ := yaml.Marshal(configfield.Encode(section, func(string) string { return "" }, nil)) // nodes of values always encode
	for line := range strings.Lines(string(text)) {
		f.WriteString(indent + line)
	}
}

func (f *yamlText) list(indent, key string, values []string, example string) {
	prefix, list := "", values
	if len(values) == 0 {
		prefix, list = "# ", []string{example}
	}
	scalars := make([]string, len(list))
	for i, value := range list {
		scalars[i] = scalar(value)
	}
	f.line(indent + prefix + key + ": [" + strings.Join(scalars, ", ") + "]")
}

func (f *yamlText) tags(indent string, tags map[string]string) {
	if len(tags) == 0 {
		f.line(indent + "# tags: {team: platform}")
		return
	}
	f.line(indent + "tags:")
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		f.line(fmt.Sprintf("%s  %s: %s", indent, scalar(key), scalar(tags[key])))
	}
}

// scalar returns a string in YAML, quoted if YAML would read it as another type.
func scalar(text string) string {
	quoted, err := yaml.Marshal(text)
	if err != nil || strings.Contains(strings.TrimSpace(string(quoted)), "\n") || strings.ContainsAny(text, ",[]{}\n") {
		return fmt.Sprintf("%q", text)
	}
	return strings.TrimSpace(string(quoted))
}
