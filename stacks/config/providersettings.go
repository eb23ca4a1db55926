package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// OwnPrefix is the prefix of the keys of the stack's own AWS provider.
const OwnPrefix = "aws:"

// ProviderSettings are the settings of an AWS provider in a file.
type ProviderSettings struct {
	// Prefix is the prefix of the settings' keys in the file: "aws:", or "cluster.accounts.management.".
	Prefix string
	// Values are the settings by the provider's own names.
	Values map[string]any
	// Provider is the name under which the program registers the provider, "" for the stack's own.
	Provider string
}

// The names of the providers of accounts.
const (
	ManagementAccountProvider = "management-account"
	VPCOwnerAccountProvider   = "vpc-owner-account"
	ClusterAccountProvider    = "cluster-account"
	ParentZoneAccountProvider = "parent-zone-account"
)

// providerKeys returns the keys of the AWS provider's config, and the keys that select its plugin.
func providerKeys() []string {
	args := aws.ProviderArgs{}.ElementType()
	keys := []string{"version", "pluginDownloadURL"}
	for i := range args.NumField() {
		keys = append(keys, args.Field(i).Tag.Get("pulumi"))
	}
	return keys
}

// NamedProviderSettings returns the values of ProviderSettings by the names of the providers.
func (f *File) NamedProviderSettings() map[string]map[string]any {
	named := map[string]map[string]any{}
	for _, settings := range f.ProviderSettings() {
		named[settings.Provider] = settings.Values
	}
	return named
}

// ProviderSettings returns the settings of the AWS providers in the file, unchecked. The stack's own, from the aws:
// keys, come first. Then come those of accounts: for a cluster, the management cluster's, the VPC owner's and
// further ones.
func (f *File) ProviderSettings() []ProviderSettings {
	var file struct {
		Config map[string]yaml.Node `yaml:"config"`
	}
	own := map[string]any{}
	if f.Region != "" {
		own["region"] = f.Region
	}
	if f.root == nil || f.root.Decode(&file) != nil {
		return []ProviderSettings{{OwnPrefix, own, ""}}
	}
	for key, node := range file.Config {
		if name, isOwn := strings.CutPrefix(key, OwnPrefix); isOwn {
			var value any
			if node.Decode(&value) == nil {
				own[name] = value
			}
		}
	}
	all := []ProviderSettings{{OwnPrefix, own, ""}}
	for _, account := range []accountsKey{
		{KindCluster, "management", ManagementAccountProvider}, {KindCluster, "vpcOwner", VPCOwnerAccountProvider},
		{KindCluster, "parentZone", ParentZoneAccountProvider}, {KindCluster, "further", ""},
		{KindNetwork, "cluster", ClusterAccountProvider}, {KindNetwork, "parentZone", ParentZoneAccountProvider},
		{KindIAM, "vpcOwner", VPCOwnerAccountProvider}, {KindManagement, "parentZone", ParentZoneAccountProvider},
	} {
		var section struct {
			Accounts map[string]yaml.Node `yaml:"accounts"`
		}
		node, given := file.Config[account.kind.Key()]
		if !given || node.Decode(&section) != nil {
			continue
		}
		prefix := string(account.kind) + ".accounts." + account.name
		for _, further := range account.settings(prefix, section.Accounts[account.name]) {
			if further.Values["region"] == nil && f.Region != "" {
				further.Values["region"] = f.Region
			}
			all = append(all, further)
		}
	}
	return all
}

// accountsKey is a key of accounts: of one account, with the name of its provider, or of a list of named ones.
type accountsKey struct {
	kind           Kind
	name, provider string
}

// settings returns the settings of the accounts in the key's value, at the path of the file.
func (k accountsKey) settings(path string, value yaml.Node) []ProviderSettings {
	var one map[string]any
	if k.provider != "" {
		if value.Decode(&one) != nil || len(one) == 0 {
			return nil
		}
		return []ProviderSettings{{path + ".", one, k.provider}}
	}
	var list []map[string]any
	if value.Decode(&list) != nil {
		return nil
	}
	var all []ProviderSettings
	for i, one := range list {
		name, _ := one["name"].(string)
		delete(one, "name")
		if name != "" && len(one) > 0 {
			all = append(all, ProviderSettings{fmt.Sprintf("%s[%d].", path, i), one, NamedAccount{Name: name}.Provider()})
		}
	}
	return all
}

// ownAccount reads the aws: keys of a file, with the types that they have in further accounts too. Pulumi keeps each
// key as text, so a boolean, a number, and an object in JSON may be given as text. What is encrypted is left out.
func ownAccount(f *File, values map[string]*yaml.Node) (*Account, fault.Faults) {
	account := &Account{}
	fields := map[string]configfield.Field{}
	for _, field := range configfield.All(reflect.TypeFor[Account]()) {
		fields[field.Key] = field
	}
	d := newDecoder(filepath.Dir(f.Path), f.Region)
	d.provider, d.section = true, reflect.TypeFor[Account]()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name, own := strings.CutPrefix(key, OwnPrefix)
		if field, known := fields[name]; own && known {
			d.decode(values[key], reflect.ValueOf(account).Elem().FieldByIndex(field.Index), key)
		}
	}
	return account, d.faults
}

// providerText returns the value that a text of Pulumi's config stands for: of a boolean, of a number, or of an object
// in JSON.
func providerText(node *yaml.Node, out reflect.Value) *yaml.Node {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		return node
	}
	kinds := []reflect.Kind{reflect.Bool, reflect.Int, reflect.Struct, reflect.Map, reflect.Slice}
	parsed, err := yamlfile.Parse([]byte(node.Value))
	if err != nil || parsed == nil || !slices.Contains(kinds, out.Kind()) {
		return node
	}
	read := *parsed
	read.Line = node.Line
	return &read
}

// ignoredOwnTags returns a fault for each tag that an AWS provider ignores although the stack sets it: a preview would
// differ for ever, and neither `adopt` nor a sweep would find the cluster's resources.
func (c *Config) ignoredOwnTags(path string, account *Account) fault.Faults {
	if account == nil || account.IgnoreTags == nil {
		return nil
	}
	var faults fault.Faults
	own := c.ownTagKeys()
	refuse := func(at, value, key string) {
		faults.Add(path+"."+at, value, "hides the tag "+key+
			", which the stack sets: its previews would show it as missing for ever",
			"leave it out, or ignore only tags of others, such as "+hypershift.ClusterTagPrefix+"NAME")
	}
	for i, key := range account.IgnoreTags.Keys {
		if slices.Contains(own, key) {
			refuse(fmt.Sprintf("keys[%d]", i), key, key)
		}
	}
	for i, prefix := range account.IgnoreTags.KeyPrefixes {
		if n := slices.IndexFunc(own, func(key string) bool { return strings.HasPrefix(key, prefix) }); n >= 0 {
			refuse(fmt.Sprintf("keyPrefixes[%d]", i), prefix, own[n])
		}
	}
	return faults
}

// ownTagKeys returns the keys of the tags that a stack sets.
func (c *Config) ownTagKeys() []string {
	var keys []string
	if tagged, is := c.Section.(TaggedSection); is {
		keys = slices.Sorted(maps.Keys(tagged.ResourceTags()))
	}
	switch cluster := IdentityOf(c.Section); {
	case c.Kind == KindManagement:
		return append(keys, hypershift.StackTag)
	case cluster.InfraID != "":
		for _, infraID := range append([]string{cluster.InfraID}, cluster.Further...) {
			keys = append(keys, hypershift.ClusterTagPrefix+infraID)
		}
		keys = append(keys, hypershift.InfraIDTag)
	case cluster.Name != "":
		keys = append(keys, hypershift.ClusterTagPrefix+cluster.Name)
	}
	return append(keys, "Name", hypershift.PublicELBTag, hypershift.InternalELBTag)
}

// ignoredTags returns the faults of ignored tags in the stack's own account and in its further ones.
func (c *Config) ignoredTags(own *Account) fault.Faults {
	if c.Section == nil {
		return nil
	}
	faults := c.ignoredOwnTags(OwnPrefix+"ignoreTags", own)
	section, has := c.Section.(accountsSection)
	if !has {
		return faults
	}
	for _, named := range section.accounts() {
		faults = append(faults, c.ignoredOwnTags(c.Kind.Key()+".accounts."+named.path+".ignoreTags", named.account)...)
	}
	return faults
}
