package test

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// clusterConfig is the config of a cluster stack in us-east-1, as Pulumi.<stack>.yaml has it.
type clusterConfig struct {
	access hypershift.EndpointAccess
	nat    network.NATStrategy
	// zones are written as in YAML: "us-east-1a" or "{name: us-east-1a, slot: 0}".
	zones []string
	// more is added to the cluster's keys, extra to the top-level ones.
	more, extra string
}

const kmsKeyARN = "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab"

func (c clusterConfig) String() string {
	endpoints := "[]"
	if c.nat == network.None {
		endpoints = "[" + strings.Join(network.NodeServices(), ", ") + "]"
	}
	return fmt.Sprintf(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    endpointAccess: %s
    tags: {team: platform}
    network:
      zones: [%s]
      nat: %s
      interfaceEndpoints: %s
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
    kmsKeyARN: %s
%s%s`, c.access, strings.Join(c.zones, ", "), c.nat, endpoints, kmsKeyARN, c.more, c.extra)
}

// zoneNames returns the first n zones of us-east-1.
func zoneNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("us-east-1%c", 'a'+i)
	}
	return names
}

// seeds returns what the config refers to as existing.
func seeds() []offline.Seed {
	return []offline.Seed{
		{Kind: offline.SeedPublicZone, Name: "example.com"},
		{Kind: offline.SeedKMSKey, Name: kmsKeyARN},
	}
}
