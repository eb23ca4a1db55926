// Package stackfile has the stack files that tests deploy, by option, and what they refer to as existing: the seeds of
// an account in memory.
package stackfile

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// Name distinguishes the configs.
func (c Cluster) Name() string { return fmt.Sprintf("%s-%s-%d", c.Access, c.NAT, len(c.Zones)) }

// Clusters returns configs of every mode with one to three zones and every NAT strategy that can work.
func Clusters() []Cluster {
	var all []Cluster
	for _, access := range hypershift.EndpointAccesses() {
		for _, nat := range network.NATStrategies() {
			for zones := 1; zones <= 3; zones++ {
				if access == hypershift.Public && nat == network.None {
					continue // refused: TestPublicWithoutNATIsRefused
				}
				all = append(all, Cluster{Access: access, NAT: nat, Zones: ZoneNames(zones)})
			}
		}
	}
	return all
}

// Cluster is the config of a cluster stack in us-east-1, as Pulumi.<stack>.yaml has it.
type Cluster struct {
	Access hypershift.EndpointAccess
	NAT    network.NATStrategy
	// Zones are written as in YAML: "us-east-1a" or "{name: us-east-1a, slot: 0}".
	Zones []string
	// More is added to the cluster's keys, extra to the top-level ones.
	More, Extra string
}

// KMSKeyARN is the key in the files of clusters.
const KMSKeyARN = "arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-a6ef-1234567890ab"

func (c Cluster) String() string {
	endpoints := "[]"
	if c.NAT == network.None {
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
%s%s`, c.Access, strings.Join(c.Zones, ", "), c.NAT, endpoints, KMSKeyARN, c.More, c.Extra)
}

// ZoneNames returns the first n zones of us-east-1.
func ZoneNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("us-east-1%c", 'a'+i)
	}
	return names
}

// Seeds returns what the config refers to as existing.
func Seeds() []offline.Seed {
	return []offline.Seed{
		{Kind: offline.SeedPublicZone, Name: "example.com"},
		{Kind: offline.SeedKMSKey, Name: KMSKeyARN},
	}
}

// CommonTags returns the tags that each resource of a cluster's network has, which golden graphs leave out.
func CommonTags() map[string]string {
	return (hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}).EC2Tags("")
}
