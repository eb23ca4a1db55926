package author

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

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
	// networkStack and iamStack name the stacks of the cluster's parts, and management the stack of its management
	// account.
	networkStack, iamStack, management string
	// release is the hosted cluster's, and externalDNSDomain the domain of its public names or of a management stack's
	// zone.
	release, externalDNSDomain string
	// operatorIssuer is for kind management.
	operatorIssuer string
	// infraJSON and iamJSON are the files of documents, and publicSubnets are in the order of their zones.
	infraJSON, iamJSON string
	publicSubnets      []string
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

// file returns the stack's file.
func (v newValues) file() string {
	if v.zoneList != "" {
		v.zones = strings.FieldsFunc(v.zoneList, func(r rune) bool { return r == ',' || r == ' ' })
	}
	return v.newKind().file(v)
}

// identity writes the keys that name a cluster.
func (v newValues) identity(f *yamlText) {
	f.comment("    ", "The hosted cluster's name.")
	f.key("    ", "name", v.name, "")
	f.comment("    ", "The prefix of all names in AWS, at most 32 characters. It must be unique, and cannot be changed later.")
	f.key("    ", "infraID", v.infraID, v.name+"-x1")
}

// domain writes the keys of a cluster's domain, and of where its API can be reached from.
func (v newValues) domain(f *yamlText) {
	f.comment("    ", "The cluster's domain is <baseDomainPrefix>.<baseDomain>. The public hosted zone of baseDomain must exist.")
	f.key("    ", "baseDomain", v.baseDomain, "")
	f.comment("    ", `Default: the name; "none" for no prefix.`)
	f.key("    ", "baseDomainPrefix", v.baseDomainPrefix, v.name)
	f.comment("    ", "Where the cluster's API can be reached from: Public (default), PublicAndPrivate or Private.")
	f.key("    ", "endpointAccess", v.endpointAccess, "Public")
}

// issuer writes the keys of the issuer of the cluster's tokens.
func (v newValues) issuer(f *yamlText) {
	f.line("    oidc:")
	if v.oidcIssuer != "" {
		f.comment("      ", "The issuer's OIDC provider must exist.")
		f.key("      ", "issuerURL", v.oidcIssuer, "")
		return
	}
	f.comment("      ", "The bucket in which the management cluster publishes the cluster's OIDC documents.")
	f.key("      ", "bucketName", v.oidcBucket, "")
	f.key("      ", "bucketRegion", v.oidcRegion, v.region)
}

// etcdKey writes the key of the KMS key.
func (v newValues) etcdKey(f *yamlText) {
	f.comment("    ", "A KMS key that encrypts secrets in etcd.")
	f.key("    ", "kmsKeyARN", v.kmsKey, "arn:aws:kms:"+v.region+":123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab")
}

// network writes the keys of a network that the stack creates.
func (v newValues) network(f *yamlText) {
	f.comment("      ", "The VPC's CIDR, /16 to /24. It cannot be changed later.")
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
	// nodes of values always encode
	text, _ := yaml.Marshal(configfield.Encode(section, func(string) string { return "" }, nil))
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
