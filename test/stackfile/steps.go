package stackfile

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
)

// Replaced returns a change that replaces the first occurrence of a text.
func Replaced(before, after string) func(string) string {
	return func(text string) string { return strings.Replace(text, before, after, 1) }
}

// InNetwork returns a change that adds a line to the keys of the network.
func InNetwork(line string) func(string) string {
	return Replaced("    network:\n", "    network:\n      "+line+"\n")
}

// What steps add to the deployed stack.
const (
	ReadOnly     = "arn:aws:iam::aws:policy/ReadOnlyAccess"
	ReadBuckets  = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
	OrdersRole   = `{namespace: shop, serviceAccount: orders, policies: ["` + ReadOnly + `", "` + ReadBuckets + `"]}`
	BehindTheHub = "192.168.0.0/16"
)

// StepsBase returns the file of the deployed stack.
func StepsBase() string {
	text := Cluster{
		Access: hypershift.PublicAndPrivate,
		NAT:    network.PerZone,
		Zones:  ZoneNames(3),
		Extra:  "  hypershift-aws:policy: mandatory\n",
	}.String()
	text = strings.NewReplacer("interfaceEndpoints: []", "interfaceEndpoints: [kms]", "    network:\n",
		"    iam: {workloadRoles: ["+OrdersRole+"]}\n    network:\n").Replace(text)
	text = InNetwork("gatewayEndpoints: [dynamodb]")(text)
	return InNetwork("transitGateway: {id: tgw-0123456789abcdef0, cidrs: [172.16.0.0/12, " + BehindTheHub + "]}")(text)
}
