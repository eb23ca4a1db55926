package author

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// kindFlags are the flags of new, and the kinds that have them. Several kinds may add one flag.
type kindFlags struct {
	*cobra.Command
	values *newValues
	// kind is the kind whose flags are added.
	kind config.Kind
	// kinds are the kinds that have a flag, by its name. --kind and --region are not among them: all kinds have these.
	kinds map[string][]config.Kind
}

// addFlags adds the flags of all kinds to new.
func addFlags(cmd *cobra.Command, values *newValues) *kindFlags {
	f := &kindFlags{Command: cmd, values: values, kinds: map[string][]config.Kind{}}
	cmd.Flags().StringVar(&values.kind, "kind", string(config.KindCluster),
		"the stack's `kind`: cluster, a hosted cluster, or its parts network and iam, nodePools for an existing one, management, or capa")
	cmd.Flags().StringVar(&values.region, "region", "", "the AWS `region`")
	names := make([]config.Kind, 0, len(newKinds()))
	for _, kind := range newKinds() {
		f.kind, names = kind.name, append(names, kind.name)
		kind.flags(f)
	}
	invocation.CompleteFlag(cmd, "kind", invocation.Fixed(names...))
	invocation.RegionFlags(cmd, "region", "oidc-region")
	return f
}

// adds notes that the kind has a flag, and reports whether it is the first one.
func (f *kindFlags) adds(name string) bool {
	f.kinds[name] = append(f.kinds[name], f.kind)
	return len(f.kinds[name]) == 1
}

func (f *kindFlags) text(value *string, name, usage string) {
	if f.adds(name) {
		f.Flags().StringVar(value, name, "", usage)
	}
}

func (f *kindFlags) list(value *[]string, name, usage string) {
	if f.adds(name) {
		f.Flags().StringSliceVar(value, name, nil, usage)
	}
}

// exclude refuses a flag together with any of the others.
func (f *kindFlags) exclude(flag string, others ...string) {
	for _, other := range others {
		f.MarkFlagsMutuallyExclusive(flag, other)
	}
}

func (f *kindFlags) name() { f.text(&f.values.name, "name", "the cluster's `name`") }

func (f *kindFlags) infraID() {
	f.text(&f.values.infraID, "infra-id",
		"the `prefix` of all names in AWS (default: the name and five random characters)")
}

// domain adds the flags of a cluster's domain, and of where its API can be reached from.
func (f *kindFlags) domain() {
	f.text(&f.values.baseDomain, "base-domain", "the `domain` of an existing public hosted zone")
	f.text(&f.values.baseDomainPrefix, "base-domain-prefix",
		"the `prefix` of the cluster's domain; none for no prefix (default: the name)")
	f.text(&f.values.endpointAccess, "endpoint-access",
		"the endpoint access `mode`: Public, PublicAndPrivate or Private (default Public)")
	invocation.CompleteFlag(f.Command, "endpoint-access", invocation.Fixed(hypershift.EndpointAccesses()...))
}

// network adds the flags of a network that the stack creates.
func (f *kindFlags) network() {
	f.list(&f.values.zones, "zones", "the availability `zones` (default: the region's first zone)")
	f.text(&f.values.vpcCIDR, "vpc-cidr", "the VPC's `CIDR`, /16 to /24 (default 10.0.0.0/16)")
	f.text(&f.values.nat, "nat", "the `strategy` for NAT gateways: PerZone, Single or None (default PerZone)")
	invocation.CompleteFlag(f.Command, "nat", invocation.Fixed(network.NATStrategies()...))
}

func (f *kindFlags) oidcBucket() {
	f.text(&f.values.oidcBucket, "oidc-bucket", "the `bucket` of the management cluster's OIDC documents")
}

// issuer adds the flags of the issuer of a cluster's tokens, and of the key of its etcd.
func (f *kindFlags) issuer() {
	f.oidcBucket()
	f.text(&f.values.oidcRegion, "oidc-region", "the bucket's `region` (default: the stack's)")
	f.text(&f.values.oidcIssuer, "oidc-issuer", "the issuer `URL` of an existing OIDC provider, instead of a bucket")
	f.text(&f.values.kmsKey, "kms-key", "the `ARN` of a key that encrypts secrets in etcd")
}

func (f *kindFlags) networkStack() {
	f.text(&f.values.networkStack, "network-stack", "the `stack` of kind network with the cluster's network")
}

func (f *kindFlags) externalDNSDomain() {
	f.text(&f.values.externalDNSDomain, "external-dns-domain",
		"the `domain` of the control plane's public names; for --kind management that of the zone of these names. It cannot be set later")
}

func (f *kindFlags) tags() {
	if f.adds("tags") {
		f.Flags().StringToStringVar(&f.values.tags, "tags", nil, "`tags` for every resource: team=platform,stage=test")
		f.Flags().Lookup("tags").DefValue = "" // or the help says "default []"
	}
}

// belong reports whether the stack's kind has a flag.
func (f *kindFlags) belong(flag string) bool {
	return slices.Contains(f.kinds[flag], f.values.newKind().name)
}

// check refuses an unknown kind, flags of another one, and flags that the kind does not have together.
func (f *kindFlags) check() error {
	kind := f.values.newKind()
	if kind.name == "" {
		var names []string
		for _, kind := range newKinds() {
			names = append(names, string(kind.name))
		}
		last := len(names) - 1
		return invocation.Refuse("--kind %s has no template: use %s or %s",
			f.values.kind, strings.Join(names[:last], ", "), names[last])
	}
	var others []string
	for flag := range f.kinds {
		if f.Flags().Changed(flag) && !f.belong(flag) {
			others = append(others, flag)
		}
	}
	if len(others) > 0 {
		return invocation.Refuse("--%s is not for --kind %s: leave it out", slices.Min(others), f.values.kind)
	}
	if kind.check != nil {
		return kind.check(*f.values)
	}
	return nil
}
