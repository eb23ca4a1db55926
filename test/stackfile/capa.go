package stackfile

import (
	"maps"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// The VPC of GivenVPC, another one of its account, and the ID of an image.
const (
	CAPAVPC  = "vpc-0123456789abcdef0"
	OtherVPC = "vpc-0eeeeeeeeeeeeeee0"
	OwnImage = "ami-0123456789abcdef0"
)

// CAPASection returns a cluster of Cluster API Provider AWS with more keys.
func CAPASection(more map[string]any) map[string]any {
	section := map[string]any{"name": "demo", "kubernetesVersion": "v1.33.4",
		"network": map[string]any{"zones": []string{"us-east-1b"}},
		"image":   map[string]any{"id": OwnImage}}
	maps.Copy(section, more)
	return section
}

// InSeededVPC puts the cluster into a VPC that exists, with its security groups.
func InSeededVPC(groups bool, more map[string]any) map[string]any {
	section := CAPASection(map[string]any{"network": map[string]any{"existing": map[string]any{
		"vpcID": CAPAVPC,
		"subnets": []map[string]any{{
			"zone":    "us-east-1b",
			"private": "subnet-0aaaaaaaaaaaaaaa0",
			"public":  "subnet-0aaaaaaaaaaaaaaa1",
		}},
	}}})
	if groups {
		section["securityGroups"] = map[string]any{"ids": map[string]any{
			"apiServerLB": "sg-0123456789abcdef0", "lb": "sg-0123456789abcdef1", "controlPlane": "sg-0123456789abcdef2",
			"node": "sg-0123456789abcdef3",
		}}
	}
	maps.Copy(section, more)
	return section
}

// SeededVPC returns what InGivenVPC refers to; change alters a seed before it is used.
func SeededVPC(change func(*offline.Seed)) []offline.Seed {
	seeds := []offline.Seed{
		{Kind: offline.SeedVPC, Name: CAPAVPC}, {Kind: offline.SeedVPC, Name: OtherVPC},
		{Kind: offline.SeedPublicSubnet, Name: "subnet-0aaaaaaaaaaaaaaa1", Zone: "us-east-1b", VPC: CAPAVPC},
		{Kind: offline.SeedPrivateSubnet, Name: "subnet-0aaaaaaaaaaaaaaa0", Zone: "us-east-1b", VPC: CAPAVPC},
		{Kind: offline.SeedSecurityGroup, Name: "sg-0123456789abcdef0", VPC: CAPAVPC},
		{
			Kind: offline.SeedSecurityGroup,
			Name: "sg-0123456789abcdef1",
			VPC:  CAPAVPC,
			Tags: map[string]string{"kubernetes.io/cluster/demo": "shared"},
		},
		{Kind: offline.SeedSecurityGroup, Name: "sg-0123456789abcdef2", VPC: CAPAVPC},
		{Kind: offline.SeedSecurityGroup, Name: "sg-0123456789abcdef3", VPC: CAPAVPC},
	}
	for i := range seeds {
		if change != nil {
			change(&seeds[i])
		}
	}
	return seeds
}

// Customization adds to the cluster of examples/capa-private what a user customizes: machines, pools, health checks and
// a second load balancer.
const Customization = `
    apiAccess: {cidrs: [203.0.113.0/24], managementCIDRs: [198.51.100.7/32], secondary: true}
    controlPlane:
      replicas: 3
      healthCheck: {}
      volumes: [{device: /dev/sdb, size: 20, type: gp3}]
      kubeadm:
        files: [{path: /etc/kubernetes/audit.yaml, content: "rules: []\n", permissions: "0640"}]
        preCommands: [swapoff -a]
        postCommands: [systemctl enable --now audit]
        kubeletArgs: {max-pods: "110"}
        users: [{name: ops, sshKeys: [ssh-ed25519 AAAA ops], sudo: "ALL=(ALL) NOPASSWD:ALL"}]
        ntpServers: [169.254.169.123]
        disks: [{device: /dev/nvme1n1, label: etcd, mountPath: /var/lib/etcd-data}]
      spec: {controlPlane: {rollout: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0}}}}}
    workers:
    - name: md
    - name: batch
      autoScaling: {min: 1, max: 5}
      spot: {}
      labels: {node-role.kubernetes.io/batch: ""}
      healthCheck: {maxUnhealthy: 40%}
`
