package config

import (
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"go.yaml.in/yaml/v3"
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
// keys, come first. Then come those of accounts: for a cluster, the management cluster's and the VPC owner's.
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
	for _, account := range []struct {
		kind           Kind
		name, provider string
	}{
		{KindCluster, "management", ManagementAccountProvider}, {KindCluster, "vpcOwner", VPCOwnerAccountProvider},
		{KindNetwork, "cluster", ClusterAccountProvider}, {KindIAM, "vpcOwner", VPCOwnerAccountProvider},
	} {
		var section struct {
			Accounts map[string]map[string]any `yaml:"accounts"`
		}
		node, given := file.Config[account.kind.Key()]
		if !given || node.Decode(&section) != nil || len(section.Accounts[account.name]) == 0 {
			continue
		}
		further := ProviderSettings{string(account.kind) + ".accounts." + account.name + ".", section.Accounts[account.name],
			account.provider}
		if further.Values["region"] == nil && f.Region != "" {
			further.Values["region"] = f.Region
		}
		all = append(all, further)
	}
	return all
}
