package clusterstatus

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// CheckOperatorRegion fails if HyperShift's operator was installed for another region than that of a HostedCluster
// whose nodes reach the control plane by PrivateLink: the operator creates the endpoint service in its own region. An
// operator that is not found or cannot be read is not checked.
// https://github.com/openshift/hypershift/blob/main/cmd/install/assets/hypershift_operator.go
func CheckOperatorRegion(ctx context.Context, api ManagementCluster, hostedCluster map[string]any) error {
	region := textAt(hostedCluster, "spec", "platform", "aws", "region")
	access := textAt(hostedCluster, "spec", "platform", "aws", "endpointAccess")
	if region == "" || access == "" || access == "Public" {
		return nil
	}
	operator, err := api.Get(ctx, "Deployment", "hypershift", "operator")
	if err != nil {
		return nil //nolint:nilerr // whoever may apply a HostedCluster need not be allowed to read the operator
	}
	installed := operatorVariable(operator, "AWS_REGION")
	if installed == "" || installed == region {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the HostedCluster is in %s with endpointAccess %s, but HyperShift's operator was installed for %s "+
			"and creates the PrivateLink endpoint service there, where the nodes cannot connect to it", region, access, installed),
		Remedy: "use a management cluster whose operator was installed with --aws-private-region=" + region +
			", or endpointAccess Public",
	}
}

// operatorVariable returns a variable of the operator's container, "" if it has none.
func operatorVariable(deployment map[string]any, name string) string {
	containers, _, _ := unstructured.NestedSlice(deployment, "spec", "template", "spec", "containers")
	for _, container := range containers {
		c, _ := container.(map[string]any)
		variables, _ := c["env"].([]any)
		for _, each := range variables {
			variable, _ := each.(map[string]any)
			if c["name"] == "operator" && variable["name"] == name {
				return textAt(variable, "value")
			}
		}
	}
	return ""
}
