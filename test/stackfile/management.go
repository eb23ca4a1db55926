package stackfile

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

const managementIssuer = "https://issuer.example.net/management"

// Management returns the config of a management stack in us-east-1 with these keys.
func Management(keys string) string {
	return `config:
  aws:region: us-east-1
  hypershift-aws:kind: management
  hypershift-aws:management:
    unprotected: true
    tags: {team: platform}
` + keys
}

// Managements returns a management stack for each option, and one with all that can be had at once.
func Managements() map[string]string {
	const instanceRole = "    operator: {identity: InstanceRole, instanceRoleARN: 'arn:aws:iam::123456789012:role/nodes'}\n"
	return map[string]string{
		"least":      "    oidcBucket: {name: demo-oidc}\n" + instanceRole,
		"cloudfront": "    oidcBucket: {name: demo-oidc, access: ThroughCloudFront}\n" + instanceRole,
		"web-identity": "    oidcBucket: {name: demo-oidc}\n    operator: {issuerURL: '" + managementIssuer +
			"', infraID: mgmt-x7k2p}\n",
		"access-keys": "    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    zone: {domain: clusters.example.com}\n",
		"zone":        "    oidcBucket: {name: demo-oidc}\n    zone: {domain: clusters.example.com, parentZone: example.com}\n" + instanceRole,
		"existing-zone": "    oidcBucket: {name: demo-oidc}\n" +
			"    zone: {domain: clusters.example.com, parentZone: example.com, existing: true}\n" + instanceRole,
		"kubernetes": "    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    zone: {domain: clusters.example.com}\n" +
			"    kubeconfig: {file: /etc/management/kubeconfig, context: management}\n",
		"whole": `    oidcBucket:
      name: demo-oidc
      access: ThroughCloudFront
      distribution:
        domain: oidc.example.com
        certificateARN: arn:aws:acm:us-east-1:123456789012:certificate/1234abcd-12ab-34cd-a6ef-1234567890ab
    zone: {domain: clusters.example.com, parentZone: example.com}
    operator: {issuerURL: '` + managementIssuer + `', namePrefix: mgmt, namespace: operator, infraID: mgmt-x7k2p}
    registryBucketName: demo-registry
    etcdKey: {alias: hypershift-etcd, accounts: ["210987654321"]}
    interruptionQueueName: demo-interruptions
    backups: {bucketName: demo-backups, etcdSnapshots: true}
`,
	}
}

// ManagementSeeds returns the parent zone and the management cluster's OIDC provider.
func ManagementSeeds() []offline.Seed {
	return []offline.Seed{{
		Kind: offline.SeedPublicZone,
		Name: "example.com",
	}, {Kind: offline.SeedOIDCProvider, Name: managementIssuer}}
}
