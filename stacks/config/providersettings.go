package config

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// ProviderSettings are the settings of the AWS providers that the file leads to, under the provider's names: first the stack's own,
// of the aws: keys, then those of cluster.accounts, the management cluster's and the VPC owner's. Nothing is checked.
func (f *File) ProviderSettings() []map[string]any {
	var file struct {
		Config map[string]yaml.Node `yaml:"config"`
	}
	own := map[string]any{}
	if f.Region != "" {
		own["region"] = f.Region
	}
	if f.root == nil || f.root.Decode(&file) != nil {
		return []map[string]any{own}
	}
	for key, node := range file.Config {
		if name, of := strings.CutPrefix(key, "aws:"); of {
			var value any
			if node.Decode(&value) == nil {
				own[name] = value
			}
		}
	}
	var cluster struct {
		Accounts struct {
			Management map[string]any `yaml:"management"`
			VPCOwner   map[string]any `yaml:"vpcOwner"`
		} `yaml:"accounts"`
	}
	all := []map[string]any{own}
	if node, given := file.Config[ClusterKey]; !given || node.Decode(&cluster) != nil {
		return all
	}
	for _, settings := range []map[string]any{cluster.Accounts.Management, cluster.Accounts.VPCOwner} {
		if len(settings) == 0 {
			continue
		}
		if settings["region"] == nil && f.Region != "" {
			settings["region"] = f.Region
		}
		all = append(all, settings)
	}
	return all
}
