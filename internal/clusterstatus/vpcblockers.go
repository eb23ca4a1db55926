package clusterstatus

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// VPCBlockers lists what a hosted cluster's operators have left in AWS, by the cluster's tag: these resources block the deletion of the
// VPC, and AWS's error does not name them. It returns "" if there are none, and the reason if AWS cannot be called with the provider's
// settings. accounts returns the account for a provider's settings and reference.
func VPCBlockers(
	ctx context.Context, state *state.Deployment,
	accounts func(ctx context.Context, settings map[string]any, provider string) (orphan.Account, error),
) string {
	var lines []string
	for _, r := range state.Resources {
		if string(r.Type) != awstype.VPC {
			continue
		}
		account, err := accounts(ctx, state.Provider(r.Provider), r.Provider)
		if err != nil {
			return notAsked(err)
		}
		for _, token := range []string{awstype.LoadBalancer, awstype.Instance, awstype.VPCEndpoint, awstype.SecurityGroup} {
			found, err := account.Find(ctx, orphan.Query{Type: token, Inputs: map[string]any{"tags": clusterTag(r.Inputs)}})
			if credentials := (*awsconfig.Error)(nil); errors.As(err, &credentials) {
				return notAsked(err)
			}
			if err != nil {
				continue
			}
			for _, id := range orphan.IDs(found) {
				if !state.Has(token, id) && id != r.Outputs["defaultSecurityGroupId"] { // it is deleted with its VPC
					lines = append(lines, fmt.Sprintf("  %s %s", report.TypeName(token), id))
				}
			}
		}
	}
	if lines == nil {
		return ""
	}
	return "the hosted cluster's operators left these resources, and they block the deletion of the network: delete them, and run destroy again\n" +
		strings.Join(lines, "\n")
}

// notAsked returns the sentence for a failed search for what blocks the network's deletion.
func notAsked(err error) string {
	return fmt.Sprintf("AWS could not be searched for resources that the hosted cluster's operators left in the network: %v", err)
}

// clusterTag returns the tag of all resources of a cluster.
func clusterTag(inputs map[string]any) map[string]any {
	tags, _ := inputs["tags"].(map[string]any)
	for key, value := range tags {
		if strings.HasPrefix(key, "kubernetes.io/cluster/") {
			return map[string]any{key: value}
		}
	}
	return map[string]any{"kubernetes.io/cluster/": "unknown"}
}
