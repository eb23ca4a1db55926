package conformance

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// providerLife is the life of a stack: its configs, one after the other, of which each is a change in place of the one
// before.
type providerLife struct {
	name    string
	configs []string
	// given is what exists besides what the configs name.
	given []offline.Seed
}

// providerLives are lives that have, together, each option of each kind of stack, except for those of motoCannot and
// notTried.
func providerLives(t *testing.T) []providerLife {
	t.Helper()
	all := func(access hypershift.EndpointAccess, nat network.NATStrategy, zones int) string {
		return stackfile.Cluster{Access: access, NAT: nat, Zones: stackfile.ZoneNames(zones)}.String()
	}
	lives := []providerLife{
		{name: "modes", configs: []string{all(hypershift.Private, network.Single, 1), all(hypershift.PublicAndPrivate, network.Single, 2), all(hypershift.Public, network.PerZone, 2)}},
		{name: "no NAT", configs: []string{all(hypershift.Private, network.None, 2)}},
	}
	for _, option := range stackfile.NetworkOptions() {
		if _, cannot := motoCannot()[option.Name]; !cannot {
			config := stackfile.Network(option.Access, option.Network)
			lives = append(lives, providerLife{name: option.Name,
				configs: []string{config, strings.Replace(config, "team: platform", "team: other", 1)},
				given:   []offline.Seed{{Kind: offline.SeedBucket, Name: "logs"}}})
		}
	}
	for name, keys := range stackfile.Managements() {
		life := providerLife{name: "management " + name, configs: []string{stackfile.Management(keys)}, given: stackfile.ManagementSeeds()}
		switch name {
		case "existing-zone":
			life.given = append(life.given, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
		case "cloudfront":
			life.configs = append(life.configs, strings.Replace(stackfile.Management(keys), "team: platform", "team: other", 1))
		}
		lives = append(lives, life)
	}
	lives = append(lives, planLife(), signingKeyLife(t))
	lives = append(lives, iamLives()...)
	lives = append(lives, acrossAccounts(t)...)
	lives = append(lives, livesWithObjects(t)...)
	slices.SortStableFunc(lives, func(a, b providerLife) int { return strings.Compare(a.name, b.name) })
	return lives
}

// planLife has the address plan and the names that are not the defaults. Its second config takes the rules of the
// default security group away.
func planLife() providerLife {
	config := strings.NewReplacer("    oidc: {bucketName: demo-oidc}", "    baseDomainPrefix: none\n    oidc: {issuerURL: 'https://issuer.example.com/demo-x1'}").Replace(
		stackfile.Network(hypershift.Private, "nat: None, interfaceEndpoints: [nodes], vpcCIDR: 10.4.0.0/16, zones: [{name: us-east-1b, slot: 2}, {name: us-east-1a, slot: 0}], "+
			"dhcpDomainName: nodes.example.com, flowLogs: {retentionDays: 7, traffic: ACCEPT}, keepDefaultSecurityGroup: true"))
	return providerLife{
		name:    "plan and names",
		configs: []string{config, strings.Replace(config, ", keepDefaultSecurityGroup: true", "", 1)},
	}
}

// signingKeyLife has an existing VPC whose subnets get tags and whose DNS servers are the user's, and a cluster with
// its own signing key, whose documents the stack writes. The second config takes the protection of the documents away.
func signingKeyLife(t *testing.T) providerLife {
	t.Helper()
	file, err := filepath.Abs("testdata/signing.key") // always the same, because the requests have its public part
	require.NoError(t, err)
	config := strings.Replace(stackfile.Network(hypershift.Private,
		fmt.Sprintf(stackfile.ExistingVPC, stackfile.ExistingZonesKeys+", tagSubnets: true")),
		"bucketName: demo-oidc}", "bucketName: demo-oidc, bucketRegion: us-east-1, signingKey: {file: '"+file+"'}}", 1)
	return providerLife{
		name:    "signing key",
		configs: []string{config, config + "    unprotected: true\n"},
		given:   []offline.Seed{{Kind: offline.SeedBucket, Name: "demo-oidc"}},
	}
}

// iamLives are lives of roles, each in a network that exists, which takes the least time.
func iamLives() []providerLife {
	in := func(keys string) string {
		return stackfile.Network(hypershift.Private, fmt.Sprintf(stackfile.ExistingVPC, stackfile.ExistingZonesKeys)) + keys
	}
	options := stackfile.IAMOptions()
	of := func(name string) string { return in("    iam: {" + options[name] + "}\n") }
	const another = `arn:aws:iam::123456789012:role/given/another`
	return []providerLife{
		{name: "iam boundary, path and prefix", given: stackfile.SeededRoles(),
			configs: []string{of("boundary-path-prefix"),
				in("    iam: {" + options["boundary-path-prefix"] + ", scoped: true}\n")}},
		{name: "iam managed policies", configs: []string{of("managed-policies"), of("workload-roles"),
			in("    iam: {workloadRoles: [{namespace: shop, serviceAccount: orders, policies: ['" + stackfile.ExtraARN + "']}]}\n")}, given: stackfile.SeededRoles()},
		{name: "iam karpenter", configs: []string{in("    iam: {karpenter: true, spotServiceLinkedRole: true}\n    interruptionQueue: true\n"), of("extra-policies")}, given: stackfile.SeededRoles()},
		{
			name:    "iam shared role",
			configs: []string{of("shared-role"), of("shared-role-managed")},
			given:   stackfile.SeededRoles(),
		},
		{name: "iam existing", configs: []string{of("existing-some")}, given: stackfile.SeededRoles()},
		{name: "iam existing all", configs: []string{of("existing-all")}, given: append(stackfile.SeededRoles(), offline.Seed{Kind: offline.SeedRole, Name: another, Document: stackfile.SeededRoles()[len(stackfile.SeededRoles())-1].Document})},
		{name: "kms key", configs: []string{in("    kmsKeyARN: " + stackfile.KMSKeyARN + "\n")}},
	}
}

// acrossAccounts are lives of stacks that have resources in two accounts.
func acrossAccounts(t *testing.T) []providerLife {
	t.Helper()
	var lives []providerLife
	for _, option := range stackfile.SharedVPCOptions() {
		if _, cannot := motoCannot()["shared VPC "+option.Name]; !cannot {
			lives = append(lives, providerLife{name: "shared VPC " + option.Name, configs: []string{option.Config()}})
		}
	}
	const service = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
	lives = append(lives, providerLife{name: "privatelink existing service",
		given: []offline.Seed{{Kind: offline.SeedEndpointService, Name: service}},
		configs: []string{stackfile.Network(hypershift.Private,
			"zones: [us-east-1a], nat: Single") + "    privateLink: {owner: stack, serviceName: " + service +
			", allowedCIDRs: [10.101.0.0/16]}\n"}})
	// IDs of zones are others in moto
	zones := strings.NewReplacer("use1-az2", "us-east-1e", "use1-az4", "us-east-1c", "use1-az5", "us-east-1b")
	reached := strings.Replace(zones.Replace(stackfile.AccessibleByStack()), "account: hub}]", "account: hub, region: us-east-1}]", 1)
	lives = append(lives, providerLife{name: "privatelink from elsewhere", configs: []string{reached,
		strings.NewReplacer("localZoneVPCs: [", "acceptanceRequired: true\n      localZoneVPCs: [",
			"hostNames: [api-demo.clusters.example.com]", "hostNames: [api-demo.hub.example.com]\n          localZoneID: none").Replace(reached)}})
	for _, stack := range []string{"private", "public-and-private", "operator"} {
		text, err := os.ReadFile(repo.Path("examples", "privatelink", "Pulumi."+stack+".yaml"))
		require.NoError(t, err)
		config := zones.Replace(string(text))
		life := providerLife{name: "privatelink " + stack, configs: []string{config}}
		if stack == "public-and-private" {
			life.configs = append(life.configs, config+"      allowedPrincipals: ['arn:aws:iam::123456789012:root']\n      acceptanceRequired: true\n      privateDNSName: api.blue.example.com\n")
		}
		lives = append(lives, life)
	}
	return lives
}

// livesWithObjects are lives of clusters whose objects are applied in the offline cluster.
func livesWithObjects(t *testing.T) []providerLife {
	t.Helper()
	private := strings.NewReplacer("    network:\n", `    tags: {team: platform}
    image: {id: ami-0123456789abcdef0}
    apiAccess: {cidrs: [203.0.113.0/24], managementCIDRs: [192.0.2.0/24], secondary: true}
    cni: {rules: [{description: VXLAN, protocol: udp, fromPort: 4789, toPort: 4790}]}
    iam: {path: /team/, permissionsBoundary: '`+stackfile.BoundaryARN+`', controllers: true}
    network:
`, "zones: [us-east-1a]", "zones: [us-east-1a, us-east-1b]").Replace(stackfile.Example(t, "capa-private"))
	public := strings.Replace(stackfile.Example(t, "capa-public"), "    network:\n",
		"    image: {id: ami-0123456789abcdef0}\n"+
			"    apiAccess: {scheme: internal, cidrs: [10.0.0.0/8], managementCIDRs: [192.0.2.0/24]}\n    network:\n      ipv6: true\n", 1)
	return []providerLife{
		{
			name: "capa private",
			configs: []string{private, strings.NewReplacer("team: platform", "team: other", "192.0.2.0",
				"198.51.100.0").Replace(private)},
		},
		{name: "capa public", configs: []string{public}},
	}
}

// motoCannot returns the options of networks, and across accounts, that moto or the provider that is built does not
// have, with the reason.
func motoCannot() map[string]string {
	const shares = "has no AssociateResourceShare, DisassociateResourceShare and ListResourceSharePermissions, and no account of it sees the subnets of another"
	return map[string]string{
		"public-ipam-pool":   "the provider that is built has no input ipamPoolId of an address",
		"nat-addresses":      "has no AssociateNatGatewayAddress, and lists one address of each NAT gateway",
		"shared VPC private": shares, "shared VPC owner-zones": shares, "shared VPC cluster-zones": shares,
		"shared VPC boundaries": shares,
	}
}

// notTried are the keys of the config, each with all keys in it, that no life has, and why.
func notTried() map[string]string {
	const (
		objects    = "only objects of Kubernetes have it, which the AWS provider never sees"
		sameStruct = "the same struct as that of the kind cluster, and the same components"
		references = "keys of stack references: the AWS resources are those of one stack"
		looksUp    = "only what the program compares or writes into its outputs: no input of an AWS resource"
		delegates  = "the record is that of management.zone.parentZone, which a life has"
		cannot     = "moto does not have it: motoCannot"
		fromFile   = "the same text as that of the key beside it, from somewhere else"
	)
	return map[string]string{
		"network": sameStruct, "iam": sameStruct, "capa.network": sameStruct,
		"cluster.hostedCluster": objects, "management.operator": objects, "management.backups": objects,
		"cluster.management": references, "cluster.networkStack": references, "cluster.iamStack": references,
		"cluster.network.publicZone.parentZone": delegates, "cluster.accounts.parentZone": delegates,
		"management.accounts":             delegates,
		"cluster.network.natAddressCount": cannot, "cluster.network.shared": cannot, "cluster.accounts.vpcOwner": cannot,
		"cluster.oidc.signingKey.env": fromFile, "cluster.network.bastion.sshKeyFile": fromFile,
		"cluster.network.existing.sharedVPC": cannot, "cluster.network.publicZoneID": looksUp,
		"cluster.apiAccess": objects, "cluster.iam.workloadRoles[].serviceAccounts": fromFile,
		"management.iam":                      sameStruct,
		"cluster.network.existing.dnsServers": looksUp, "cluster.network.proxy": looksUp,
		"cluster.privateLink.allowedSecurityGroups": "moto refuses a rule with a group of another VPC, and the cluster's own VPC is new",
		"cluster.accounts.further":                  "the keys of accounts.management, which lives in two accounts have",
		"cluster.privateLink.loadBalancers":         looksUp, "cluster.privateLink.managementVPC": looksUp,

		"capa.namespace": objects, "capa.pods": objects, "capa.services": objects, "capa.podsIPv6": objects,
		"capa.servicesIPv6": objects, "capa.identity": objects,
		"capa.controlPlane": objects, "capa.workers": objects, "capa.workers[]": objects, "capa.sshKeyName": objects,
		"capa.certSANs": objects, "capa.spec": objects,
		"capa.kubeconfig": objects,
		"capa.image":      looksUp, "capa.securityGroups": looksUp, "capa.iam.existing": looksUp,
	}
}

// TestEachOptionHasALifeWithAnAWSProvider: the keys are those of the config's description, so that a new one without a
// life fails. It needs no provider.
func TestEachOptionHasALifeWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, life := range providerLives(t) {
		for _, text := range life.configs {
			var file struct{ Config map[string]any }
			require.NoError(t, yaml.Unmarshal([]byte(text), &file), life.name)
			for key, value := range file.Config {
				if _, section, is := strings.Cut(key, "hypershift-aws:"); is {
					keysIn(section, value, tried)
				}
			}
		}
	}
	reasons, used := notTried(), map[string]bool{}
	for _, key := range stackfile.DocumentedKeys(t) {
		kind, _, _ := strings.Cut(key, ".")
		if !slices.Contains([]string{"cluster", "capa", "management", "network", "iam"}, kind) || tried[key] {
			continue
		}
		reason := ""
		for row := key; row != "" && reason == ""; row, _ = stackfile.CutLast(row) {
			list := strings.TrimSuffix(row, "[]")
			reason = cmp.Or(reasons[row], reasons[list])
			used[row], used[list] = used[row] || reasons[row] != "", used[list] || reasons[list] != ""
		}
		assert.NotEmpty(t, reason, "%s has no life, and no reason", key)
	}
	for row := range reasons {
		assert.True(t, used[row], "each key in %s has a life", row)
	}
}

// keysIn notes the keys in a value of the config as its reference writes them.
func keysIn(path string, value any, keys map[string]bool) {
	keys[path] = true
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			keysIn(path+"."+key, inner, keys)
		}
	case []any:
		for _, inner := range value {
			keysIn(path+"[]", inner, keys)
		}
	}
}
