package test

import (
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
)

// providerLife is the life of a stack: its configs, one after the other, of which each is a change in place of the one before.
type providerLife struct {
	name    string
	configs []string
	// given is what exists besides what the configs name.
	given []offline.Seed
}

// providerLives are lives that have, together, each option of each kind of stack, except for those of motoCannot and notTried.
func providerLives(t *testing.T) []providerLife {
	t.Helper()
	all := func(access hypershift.EndpointAccess, nat network.NATStrategy, zones int) string {
		return clusterConfig{access: access, nat: nat, zones: zoneNames(zones)}.String()
	}
	lives := []providerLife{
		{name: "modes", configs: []string{all(hypershift.Private, network.Single, 1), all(hypershift.PublicAndPrivate, network.Single, 2), all(hypershift.Public, network.PerZone, 2)}},
		{name: "no NAT", configs: []string{all(hypershift.Private, network.None, 2)}},
	}
	for _, option := range networkOptions() {
		if _, cannot := motoCannot()[option.name]; !cannot {
			config := withNetwork(option.access, option.network)
			lives = append(lives, providerLife{name: option.name, configs: []string{config, strings.Replace(config, "team: platform", "team: other", 1)}})
		}
	}
	for name, keys := range managements() {
		if _, cannot := motoCannot()["management "+name]; !cannot {
			life := providerLife{name: "management " + name, configs: []string{managementConfig(keys)}, given: managementSeeds()}
			if name == "existing-zone" {
				life.given = append(life.given, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
			}
			lives = append(lives, life)
		}
	}
	_, rest, _ := strings.Cut(managements()["whole"], "    zone:") // its bucket has a distribution
	lives = append(lives, providerLife{name: "management without CloudFront", given: managementSeeds(),
		configs: []string{managementConfig("    oidcBucket: {name: demo-oidc}\n    zone:" + rest)}})
	lives = append(lives, planLife(), signingKeyLife(t))
	lives = append(lives, iamLives()...)
	lives = append(lives, acrossAccounts(t)...)
	slices.SortStableFunc(lives, func(a, b providerLife) int { return strings.Compare(a.name, b.name) })
	return lives
}

// planLife has the address plan and the names that are not the defaults. Its second config takes the rules of the default security group away.
func planLife() providerLife {
	config := strings.NewReplacer("    oidc: {bucketName: demo-oidc}", "    baseDomainPrefix: none\n    oidc: {issuerURL: 'https://issuer.example.com/demo-x1'}").Replace(
		withNetwork(hypershift.Private, "nat: None, interfaceEndpoints: [nodes], vpcCIDR: 10.4.0.0/16, zones: [{name: us-east-1b, slot: 2}, {name: us-east-1a, slot: 0}], "+
			"dhcpDomainName: nodes.example.com, keepDefaultSecurityGroup: true"))
	return providerLife{name: "plan and names", configs: []string{config, strings.Replace(config, ", keepDefaultSecurityGroup: true", "", 1)}}
}

// signingKeyLife has an existing VPC whose subnets get tags and whose DNS servers are the user's, and a cluster with its own signing key, whose documents the
// stack writes. The second config takes the protection of the documents away.
func signingKeyLife(t *testing.T) providerLife {
	t.Helper()
	file, err := filepath.Abs("testdata/signing.key") // always the same, because the requests have its public part
	require.NoError(t, err)
	config := strings.Replace(withNetwork(hypershift.Private, fmt.Sprintf(existingVPC, existingZonesKeys+", tagSubnets: true")),
		"bucketName: demo-oidc}", "bucketName: demo-oidc, bucketRegion: us-east-1, signingKey: {file: '"+file+"'}}", 1)
	return providerLife{name: "signing key", configs: []string{config, config + "    unprotected: true\n"}, given: []offline.Seed{{Kind: offline.SeedBucket, Name: "demo-oidc"}}}
}

// iamLives are lives of roles, each in a network that exists, which takes the least time.
func iamLives() []providerLife {
	in := func(keys string) string {
		return withNetwork(hypershift.Private, fmt.Sprintf(existingVPC, existingZonesKeys)) + keys
	}
	options := iamOptions()
	of := func(name string) string { return in("    iam: {" + options[name] + "}\n") }
	const another = `arn:aws:iam::123456789012:role/given/another`
	return []providerLife{
		{name: "iam boundary, path and prefix", given: givenRoles(),
			configs: []string{of("boundary-path-prefix"), in("    iam: {" + options["boundary-path-prefix"] + ", scoped: true}\n")}},
		{name: "iam managed policies", configs: []string{of("managed-policies"), of("workload-roles"),
			in("    iam: {workloadRoles: [{namespace: shop, serviceAccount: orders, policies: ['" + extraARN + "']}]}\n")}, given: givenRoles()},
		{name: "iam karpenter", configs: []string{in("    iam: {karpenter: true, spotServiceLinkedRole: true}\n    interruptionQueue: true\n"), of("extra-policies")}, given: givenRoles()},
		{name: "iam shared role", configs: []string{of("shared-role"), of("shared-role-managed")}, given: givenRoles()},
		{name: "iam existing", configs: []string{of("existing-some")}, given: givenRoles()},
		{name: "iam existing all", configs: []string{of("existing-all")}, given: append(givenRoles(), offline.Seed{Kind: offline.SeedRole, Name: another, Document: givenRoles()[len(givenRoles())-1].Document})},
		{name: "kms key", configs: []string{in("    kmsKeyARN: " + kmsKeyARN + "\n")}},
	}
}

// acrossAccounts are lives of stacks that have resources in two accounts.
func acrossAccounts(t *testing.T) []providerLife {
	t.Helper()
	var lives []providerLife
	for _, option := range sharedVPCOptions() {
		if _, cannot := motoCannot()["shared VPC "+option.name]; !cannot {
			lives = append(lives, providerLife{name: "shared VPC " + option.name, configs: []string{option.config()}})
		}
	}
	for _, stack := range []string{"private", "public-and-private", "operator"} {
		if _, cannot := motoCannot()["privatelink "+stack]; cannot {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", "examples", "privatelink", "Pulumi."+stack+".yaml"))
		require.NoError(t, err)
		config := strings.Replace(string(text), "use1-az2", "us-east-1a", 1) // IDs of zones are others in moto
		lives = append(lives, providerLife{name: "privatelink " + stack, configs: []string{config}})
	}
	return lives
}

// motoCannot returns the options, of networks and of management stacks, that moto does not keep as AWS does, with the reason.
func motoCannot() map[string]string {
	const instances = "DescribeInstances returns no security groups of an instance, and a public address in each subnet: every refresh shows a difference"
	const balancers = "names every load balancer loadbalancer/app/, and the provider and AWS tell its type by its ARN"
	const shares = "has no ListResourceSharePermissions, which the provider calls for each share"
	const attachments = "keeps neither tags nor default route tables of a transit gateway's attachment: every refresh shows a difference"
	const pools = "has no IPAM, and no pools of public addresses"
	return map[string]string{
		"bastion": instances, "bastion-ssh": instances,
		"flow-logs-to-s3":       "CreateFlowLogs takes the bucket's name and the prefix for the name of a bucket",
		"management cloudfront": "GetDistribution does not return the origin access control of an origin",
		"management whole":      "GetDistribution does not return the origin access control of an origin",
		"transit-gateway":       attachments, "transit-gateway-networks": attachments, "firewall-endpoint-networks": attachments,
		"ipam": pools, "public-pool": pools, "public-ipam-pool": pools,
		"shared VPC private": instances, "shared VPC owner-zones": shares, "shared VPC cluster-zones": shares, "shared VPC boundaries": shares,
		"privatelink private": balancers, "privatelink public-and-private": balancers,
	}
}

// notTried are the keys of the config, each with all keys in it, that no life has, and why.
func notTried() map[string]string {
	const (
		objects    = "only objects of Kubernetes have it, which the AWS provider never sees"
		sameStruct = "the same struct as that of the kind cluster, and the same components"
		references = "keys of stack references: the AWS resources are those of one stack"
		looksUp    = "only what the program compares or writes into its outputs: no input of an AWS resource"
		cannot     = "moto does not keep it: motoCannot"
	)
	return map[string]string{
		"cluster.hostedCluster": objects, "network": sameStruct, "iam": sameStruct,
		"cluster.management": references, "cluster.networkStack": references, "cluster.iamStack": references,
		"capa":                             "moto keeps no description of a rule that refers to a group, which all rules of such clusters do",
		"cluster.network.ipam":             cannot,
		"cluster.network.publicIPv4Pool":   cannot,
		"cluster.network.transitGateway":   cannot,
		"cluster.network.bastion":          cannot,
		"cluster.network.shared":           cannot,
		"cluster.network.flowLogs":         cannot + " but for {}, which has a life",
		"cluster.network.firewallEndpoint": cannot + " but for serviceName, which has a life",
		"cluster.accounts":                 cannot + " but for management, which has a life",
		"cluster.privateLink":              cannot + " but for owner, which has a life",
		"management.oidcBucket":            cannot + " but for name, which has lives",

		"management.operator":                 objects,
		"management.backups":                  objects,
		"cluster.oidc.signingKey.env":         "the same key as that of a file",
		"cluster.network.existing.dnsServers": looksUp,
		"cluster.network.proxy":               looksUp,
	}
}

// TestEachOptionHasALifeWithAnAWSProvider: the keys are those of the config's description, so that a new one without a life fails. It needs no provider.
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
	for _, key := range documentedKeys(t) {
		kind, _, _ := strings.Cut(key, ".")
		if !slices.Contains([]string{"cluster", "capa", "management", "network", "iam"}, kind) || tried[key] {
			continue
		}
		reason := ""
		for row := key; row != "" && reason == ""; row, _ = cutLast(row) {
			reason = reasons[row]
			used[row] = used[row] || reason != ""
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
