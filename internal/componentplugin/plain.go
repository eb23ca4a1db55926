package componentplugin

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Reason is why a property takes no output whose value is not known yet, as the second half of a sentence.
type Reason string

// The reasons of properties that are texts.
const (
	// Names are in the names of Pulumi's resources, which identify them in the state.
	Names Reason = "is part of the names of resources in Pulumi"
	// Layout is what the network is computed from.
	Layout Reason = "decides the subnets and their CIDRs"
	// Located is what AWS is asked for before anything is created.
	Located Reason = "decides what is looked up in AWS first, and by that which resources there are"
	// Imported are IDs of resources that are imported or read.
	Imported Reason = "is the ID of a resource to import, which Pulumi requires first"
	// Checked is validated with other inputs, or against the schema of a Kubernetes API.
	Checked Reason = "is checked with other inputs before anything is created"
)

// Reasons lists the reasons.
func Reasons() []Reason { return []Reason{Names, Layout, Located, Imported, Checked} }

// plainTexts returns the properties with plain texts, by the reason and by the struct that has them. All other texts are inputs.
func plainTexts() map[Reason][]string {
	return map[Reason][]string{
		Names: {
			"hypershift.Cluster.name", "hypershift.Cluster.infraID",
			"network.Zone.name", "network.ExistingSubnets.zone", "network.GuestNetworkArgs.interfaceEndpoints", "network.Bastion.sshCIDRs",
			"iam.RoleOptions.extraPolicies",
			"kubernetes.InstallObjectsArgs.secrets", "privatelink.Subnet.zone",
			"hostedcluster.NodePool.name", "hostedcluster.SiteZoneArgs.name",
			"capa.Args.name", "capa.NetworkArgs.interfaceEndpoints", "capa.WorkersArgs.name", "capa.WorkersArgs.zones", "capa.InstanceProfilesArgs.cluster",
			"capa.SiteZoneArgs.name", "capa.SiteZoneArgs.given", "capa.Tagging.cluster", "capa.SecurityGroupsArgs.zones", "capa.APIAccess.cidrs",
			"capa.APIAccess.managementCIDRs", "capa.CNIRule.protocol", "capa.Image.org", "capa.Image.baseOS", "capa.Image.format",
			"capa.Args.kubernetesVersion",
		},
		Layout: {
			"network.GuestNetworkArgs.vpcCIDR", "network.GuestNetworkArgs.secondaryCIDR", "capa.NetworkArgs.vpcCIDR",
		},
		Located: {
			"network.GuestNetworkArgs.baseDomain", "config.Cluster.baseDomain", "config.Cluster.management", "config.PrivateLink.serviceName",
			"config.PrivateLink.managementVPC", "privatelink.LoadBalancers.tags", "management.ZoneArgs.domain", "management.ZoneArgs.parentZone",
			"management.OIDCBucketArgs.name", "management.PrerequisitesArgs.registryBucketName", "capa.ExistingVPC.vpcID",
			"capa.ControlPlaneArgs.instanceType", "capa.WorkersArgs.instanceType",
		},
		Imported: {
			"privatelink.Existing.endpointID", "privatelink.Existing.serviceName", "privatelink.Existing.securityGroupID",
			"privatelink.Existing.ruleIDs", "privatelink.Existing.zoneID", "privatelink.EndpointServiceArgs.existingID",
		},
		Checked: {
			"hypershift.Cluster.tags", "network.GuestNetworkArgs.baseDomainPrefix", "network.GuestNetworkArgs.rolePath",
			"iam.RoleOptions.roleNamePrefix", "iam.RoleOptions.path",
			"management.DistributionArgs.domain", "management.EtcdKeyArgs.alias", "management.InterruptionQueueArgs.name",
			"management.InterruptionQueueArgs.tags", "management.OperatorArgs.namePrefix", "management.OperatorArgs.namespace",
			"management.OperatorArgs.infraID", "management.PrerequisitesArgs.interruptionQueueName", "management.PrerequisitesArgs.tags",
			"kubernetes.InstallObjectsArgs.namespace", "kubernetes.InstallObjectsArgs.stack",
			"privatelink.EndpointArgs.tags", "privatelink.EndpointServiceArgs.tags",
			"hostedcluster.NodePool.zone", "hostedcluster.NodePool.instanceType", "hostedcluster.NodePool.labels", "hostedcluster.NodePool.tenancy",
			"hostedcluster.NodePool.release", "hostedcluster.NodePool.spec", "hostedcluster.RootVolume.type", "hostedcluster.Taint.key",
			"hostedcluster.Taint.value", "hostedcluster.Taint.effect", "hostedcluster.Spot.maxPrice", "hostedcluster.CapacityReservation.preference",
			"hostedcluster.Settings.region", "hostedcluster.Settings.baseDomain", "hostedcluster.Settings.baseDomainPrefix",
			"hostedcluster.Settings.namespace", "hostedcluster.Settings.release", "hostedcluster.Settings.clusterCIDRs",
			"hostedcluster.Settings.serviceCIDRs", "hostedcluster.Settings.etcdStorageClass", "hostedcluster.Settings.etcdStorageSize",
			"hostedcluster.Settings.externalDNSDomain", "hostedcluster.Settings.resourceTags", "hostedcluster.Settings.annotations",
			"hostedcluster.Settings.labels", "hostedcluster.Settings.spec", "hostedcluster.Capabilities.enabled", "hostedcluster.Capabilities.disabled",
			"capa.Args.namespace", "capa.Args.tags", "capa.Args.pods", "capa.Args.services", "capa.Identity.name", "capa.IAMArgs.path",
			"capa.RootVolume.type", "capa.InstanceProfilesArgs.tags", "capa.Tagging.stack", "capa.Tagging.tags", "capa.CNIRule.description",
			"capa.SiteArgs.region", "config.Cluster.baseDomainPrefix", "config.Kubeconfig.file", "config.Kubeconfig.context",
		},
	}
}

// reasonOf returns the reason of a property with plain texts, "" if it has none.
func reasonOf(of reflect.Type, property string) Reason {
	for reason, properties := range plainTexts() {
		if slices.Contains(properties, nameOf(of)+"."+property) {
			return reason
		}
	}
	return ""
}

// nameOf returns a struct's name in plainTexts: its package and its name.
func nameOf(t reflect.Type) string { return path.Base(t.PkgPath()) + "." + t.Name() }

// why returns why the value of a type, in the property that is checked, has to be known, and what to do.
func (c *checker) why(t reflect.Type) (why, remedy string) {
	const known = "use a plain value, or an output whose value is known in the preview, such as an output of a stack reference"
	switch t.Kind() { //nolint:exhaustive // the others are scalars
	case reflect.Struct:
		return "which properties it has decides which resources there are", "use an object; its properties may be outputs"
	case reflect.Slice, reflect.Map:
		return "how many items it has must be known first", "use a list or an object; its items may be outputs, unless they are refused too"
	}
	if reason := reasonOf(c.field.Struct, c.field.Key); reason != "" {
		return string(reason), known
	}
	return "selects which resources there are and how they are configured", known
}

// plainTexts visits the properties of a component's inputs, and of what is in them, that are plain texts, with the struct that has them.
func (c Component) plainTexts(visit func(of reflect.Type, property string)) {
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type)
	look = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		for _, field := range Fields(t, c.Section != "") {
			inner := field.Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice || inner.Kind() == reflect.Map {
				inner = inner.Elem()
			}
			switch {
			case inner == reflect.TypeFor[aws.Provider](), inner == reflect.TypeFor[config.SecretSource](), inner == reflect.TypeFor[config.Account](), inner.Implements(reflect.TypeFor[pulumi.Input]()):
			case inner.Kind() == reflect.Struct:
				look(inner)
			case inner.Kind() == reflect.String && inner.PkgPath() == "", inner.Kind() == reflect.Interface:
				visit(field.Struct, field.Key)
			}
		}
	}
	look(c.Inputs)
}

// PlainTexts returns a table in Markdown of the properties that are plain texts, by the reason.
func PlainTexts() string {
	found := map[Reason]map[string][]string{}
	for _, c := range Components() {
		c.plainTexts(func(of reflect.Type, property string) {
			reason, name := reasonOf(of, property), typeName(of)
			if found[reason] == nil {
				found[reason] = map[string][]string{}
			}
			if !slices.Contains(found[reason][name], "`"+property+"`") {
				found[reason][name] = append(found[reason][name], "`"+property+"`")
			}
		})
	}
	var table strings.Builder
	table.WriteString("| because it | of | properties |\n|---|---|---|\n")
	for _, reason := range Reasons() {
		for _, name := range slices.Sorted(maps.Keys(found[reason])) {
			slices.Sort(found[reason][name])
			fmt.Fprintf(&table, "| %s | %s | %s |\n", reason, name, strings.Join(found[reason][name], ", "))
		}
	}
	return table.String()
}

// typeName returns the name of a struct's type in the SDKs.
func typeName(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "Args")
	if name == "" {
		name = "Settings"
	}
	module := path.Base(t.PkgPath())
	if module == "config" {
		module = "stacks"
	}
	return module + "." + name
}
