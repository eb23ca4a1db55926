package stackfile

import (
	"fmt"
)

// PartsFiles returns the stack files of a cluster, as one stack or as its network, its roles and the rest.
func PartsFiles(together bool, access string) map[string]string {
	const head = "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: %s\n  hypershift-aws:%[1]s:\n    name: demo\n    infraID: demo-x1\n%s"
	domain := "    baseDomain: example.com\n    endpointAccess: " + access + "\n"
	const net, oidc = "    network: {zones: [us-east-1a, us-east-1b]}\n", "    oidc: {bucketName: my-oidc-bucket}\n"
	if together {
		return map[string]string{"dev": fmt.Sprintf(head, "cluster", domain+net+oidc)}
	}
	return map[string]string{
		"net":   fmt.Sprintf(head, "network", domain+net),
		"roles": fmt.Sprintf(head, "iam", "    networkStack: net\n"+oidc),
		"dev":   fmt.Sprintf(head, "cluster", domain+"    networkStack: net\n    iamStack: roles\n"),
	}
}
