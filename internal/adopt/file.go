package adopt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/iam"
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

// lines are the YAML of the access, at an indent.
func (a Access) lines(f *yamlText, indent string) {
	f.value(indent, "profile", a.Profile)
	if a.RoleARN != "" {
		f.line(indent + "assumeRole: {roleArn: " + scalar(a.RoleARN) + "}")
	}
}

// File returns the stack's file, Pulumi.<stack>.yaml, with a comment at each value that is not certain. own and owner are how the cluster's
// account and that of a shared VPC's owner are reached.
func (c *Cluster) File(own, owner Access) string {
	f := &yamlText{unsure: c.Unsure}
	f.line("# yaml-language-server: $schema=./" + config.SchemaFile)
	for _, list := range c.Incomplete {
		f.line("# Could not be listed: " + strings.ReplaceAll(list, "\n", " "))
	}
	f.line("config:")
	f.value("  ", "aws:region", c.Region)
	f.value("  ", "aws:profile", own.Profile)
	if own.RoleARN != "" {
		f.line("  aws:assumeRole: {roleArn: " + scalar(own.RoleARN) + "}")
	}
	f.line("  hypershift-aws:kind: cluster")
	f.line("  hypershift-aws:cluster:")
	f.value("    ", "name", c.Name)
	f.value("    ", "infraID", c.InfraID)
	f.value("    ", "baseDomain", c.BaseDomain)
	f.value("    ", "baseDomainPrefix", c.BaseDomainPrefix)
	f.value("    ", "endpointAccess", string(c.EndpointAccess))
	f.object("    ", "tags", c.Tags)
	c.networkLines(f)
	if c.Management != "" {
		f.value("    ", "management", c.Management)
	}
	if c.BucketName != "" || c.IssuerURL != "" {
		f.comment("    ", "oidc")
		f.line("    oidc:")
		f.value("      ", "bucketName", c.BucketName)
		f.value("      ", "bucketRegion", c.BucketRegion)
		f.value("      ", "issuerURL", c.IssuerURL)
	}
	f.value("    ", "kmsKeyARN", c.KMSKeyARN)
	c.iamLines(f)
	if owner.Given() {
		f.line("    accounts:")
		f.line("      vpcOwner:")
		owner.lines(f, "        ")
	}
	return f.String()
}

func (c *Cluster) networkLines(f *yamlText) {
	f.line("    network:")
	f.value("      ", "vpcCIDR", c.VPCCIDR)
	f.value("      ", "secondaryCIDR", c.SecondaryCIDR)
	var zones []string
	for _, zone := range c.Zones {
		if zone.Slot == nil {
			zones = append(zones, zone.Name)
		} else {
			zones = append(zones, fmt.Sprintf("{name: %s, slot: %d}", zone.Name, *zone.Slot))
		}
	}
	f.line("      zones: [" + strings.Join(zones, ", ") + "]")
	f.value("      ", "nat", string(c.NAT))
	f.object("      ", "elasticIPs", c.ElasticIPs)
	f.value("      ", "dhcpDomainName", c.DHCPDomainName)
	f.flag("      ", "publicOnly", c.PublicOnly)
	if len(c.InterfaceEndpoints) > 0 {
		f.line("      interfaceEndpoints: [" + strings.Join(c.InterfaceEndpoints, ", ") + "]")
	}
	c.flowLogLines(f)
	c.bastionLines(f)
	if c.KeepDefaultGroup {
		f.line("      # The default security group has rules, which stay.")
		f.flag("      ", "keepDefaultSecurityGroup", true)
	}
	if c.ProxyService != "" || c.ProxyAddress != "" {
		f.comment("      ", "proxy")
		f.line("      proxy:")
		f.value("        ", "endpointService", c.ProxyService)
		f.value("        ", "httpAddress", c.ProxyAddress)
		f.value("        ", "httpsAddress", c.SecureProxyAddress)
		if c.ProxyCA != "" {
			f.line(fmt.Sprintf("        ca: %q", c.ProxyCA))
		}
	}
	c.sharedLines(f)
}

func (c *Cluster) sharedLines(f *yamlText) {
	switch {
	case c.SharedZones == "":
	case c.SharedZones == network.OwnerZones && c.OwnersBoundary == "":
		f.line("      shared: {}")
	default:
		f.line("      shared:")
		if c.SharedZones == network.ClusterZones {
			f.value("        ", "privateZonesIn", string(network.ClusterZones))
		}
		f.value("        ", "permissionsBoundary", c.OwnersBoundary)
	}
}

func (c *Cluster) flowLogLines(f *yamlText) {
	if c.FlowLogs == nil {
		return
	}
	f.comment("      ", "flowLogs")
	if *c.FlowLogs == (network.FlowLogs{}) {
		f.line("      flowLogs: {}")
		return
	}
	f.line("      flowLogs:")
	f.value("        ", "destination", string(c.FlowLogs.Destination))
	f.value("        ", "bucketARN", input.Text(c.FlowLogs.BucketARN))
	if days := c.FlowLogs.RetentionDays; days != 0 {
		f.line(fmt.Sprintf("        retentionDays: %d", days))
	}
	f.value("        ", "traffic", string(c.FlowLogs.Traffic))
}

func (c *Cluster) bastionLines(f *yamlText) {
	if c.Bastion == nil {
		return
	}
	f.comment("      ", "bastion")
	if len(c.Bastion.SSHCIDRs) == 0 && !input.IsSet(c.Bastion.SSHKey) {
		f.line("      bastion: {}")
		return
	}
	f.line("      bastion:")
	if len(c.Bastion.SSHCIDRs) > 0 {
		f.line("        sshCIDRs: [" + strings.Join(c.Bastion.SSHCIDRs, ", ") + "]")
	}
	f.value("        ", "sshKey", input.Text(c.Bastion.SSHKey))
}

func (c *Cluster) iamLines(f *yamlText) {
	if c.RoleNamePrefix == "" && c.Path == "" && c.PermissionsBoundary == "" && !c.ManagedPolicies && !c.Karpenter && !c.SharedRole && len(c.ExtraPolicies) == 0 {
		return
	}
	f.line("    iam:")
	f.value("      ", "roleNamePrefix", c.RoleNamePrefix)
	f.value("      ", "path", c.Path)
	f.value("      ", "permissionsBoundary", c.PermissionsBoundary)
	f.flag("      ", "managedPolicies", c.ManagedPolicies)
	f.flag("      ", "karpenter", c.Karpenter)
	f.flag("      ", "sharedRole", c.SharedRole)
	if len(c.ExtraPolicies) == 0 {
		return
	}
	f.line("      extraPolicies:")
	for _, role := range slices.Sorted(maps.Keys(c.ExtraPolicies)) {
		f.line("        " + extraKey(role) + ": [" + strings.Join(c.ExtraPolicies[role], ", ") + "]")
	}
}

func extraKey(role iam.RoleName) string { return string(role) }

// yamlText is YAML that is written line by line, since it carries comments.
type yamlText struct {
	strings.Builder
	unsure map[string]string
}

func (f *yamlText) line(text string) { f.WriteString(text + "\n") }

// comment writes why a key's value is not certain.
func (f *yamlText) comment(indent, key string) {
	if why := f.unsure[key]; why != "" {
		f.line(indent + "# Not certain: " + why + ".")
	}
}

// value writes a key with its value, and nothing for the default.
func (f *yamlText) value(indent, key, value string) {
	if value == "" {
		return
	}
	f.comment(indent, key)
	f.line(indent + key + ": " + scalar(value))
}

func (f *yamlText) flag(indent, key string, value bool) {
	if value {
		f.comment(indent, key)
		f.line(indent + key + ": true")
	}
}

func (f *yamlText) object(indent, key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	f.comment(indent, key)
	f.line(indent + key + ":")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f.line(indent + "  " + scalar(name) + ": " + scalar(values[name]))
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
