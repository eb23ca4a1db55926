package adopt

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// accountOf returns the access as an account of a stack's file, nil if nothing is set.
func accountOf(a takeover.Credentials) *config.Account {
	if !a.IsSet() {
		return nil
	}
	account := &config.Account{Profile: a.Profile}
	if a.RoleARN != "" {
		account.AssumeRole = &config.AssumeRole{RoleARN: a.RoleARN}
	}
	return account
}

// File returns the stack's file, Pulumi.<stack>.yaml, with a comment at each value that is not certain. own and owner
// are the credentials for the cluster's account and for the account of a shared VPC's owner.
func (c *Cluster) File(own, owner takeover.Credentials) string {
	section := c.Cluster
	section.Accounts.VPCOwner = accountOf(owner)
	file := &yaml.Node{Kind: yaml.MappingNode}
	put := func(key string, value *yaml.Node) {
		if value != nil {
			file.Content = append(file.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
		}
	}
	put("aws:region", &yaml.Node{Kind: yaml.ScalarNode, Value: c.Region})
	if settings := configfield.Encode(accountOf(own), func(string) string { return "" }, nil); settings != nil {
		for i := 0; i < len(settings.Content); i += 2 {
			put("aws:"+settings.Content[i].Value, settings.Content[i+1])
		}
	}
	put("hypershift-aws:kind", &yaml.Node{Kind: yaml.ScalarNode, Value: string(config.KindCluster)})
	put("hypershift-aws:cluster", configfield.Encode(section, c.note, nil))
	var text strings.Builder
	text.WriteString("# yaml-language-server: $schema=./" + config.SchemaFile + "\n")
	for _, list := range c.Incomplete {
		text.WriteString("# Could not be listed: " + strings.ReplaceAll(list, "\n", " ") + "\n")
	}
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(map[string]*yaml.Node{"config": file}); err != nil {
		panic(err) // nodes of values always encode
	}
	return text.String()
}

// note returns the comment at a key of the file.
func (c *Cluster) note(key string) string {
	if why := c.Unsure[key]; why != "" {
		return "Not certain: " + why + "."
	}
	if key == "keepDefaultSecurityGroup" {
		return "The default security group has rules, which stay."
	}
	return ""
}
