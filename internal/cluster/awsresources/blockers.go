package awsresources

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// VPCBlockers lists what has a cluster's tag in AWS and is not in the stack's state: these resources block the deletion
// of the VPC, and AWS's error does not name them. They may belong to a cluster that lives, so the text does not say to
// delete them. It returns "" if there are none, and the reason if AWS cannot be called with the provider's settings.
// accounts returns the account for a provider's settings and reference.
func VPCBlockers(
	ctx context.Context, stack string, state *state.Deployment,
	accounts func(ctx context.Context, settings map[string]any, provider string) (account.Account, error),
) string {
	var lines, unread []string
	for _, r := range state.Resources {
		if string(r.Type) != awstype.VPC {
			continue
		}
		aws, err := accounts(ctx, state.Provider(r.Provider), r.Provider)
		if err != nil {
			return notAsked(err)
		}
		for _, token := range []string{awstype.LoadBalancer, awstype.Instance, awstype.VPCEndpoint, awstype.SecurityGroup} {
			found, err := aws.Find(ctx, account.Query{Type: token, Inputs: map[string]any{"tags": clusterTag(r.Inputs)}})
			if credentials := (*awsconfig.Error)(nil); errors.As(err, &credentials) {
				return notAsked(err)
			}
			if err != nil {
				unread = append(unread, notAsked(err))
				continue
			}
			for _, id := range account.IDs(found) {
				if !state.Has(token, id) && id != r.Outputs["defaultSecurityGroupId"] { // it is deleted with its VPC
					lines = append(lines, fmt.Sprintf("  %s %s", report.TypeName(token), id))
				}
			}
		}
	}
	if lines == nil {
		return strings.Join(unread, "\n")
	}
	return strings.Join(append(unread, fmt.Sprintf("these resources have the tag of the stack's cluster, are not in its state, and block the deletion of the network; "+
		"`hypershift-aws sweep -s %s` shows of each whether it is a leftover or in use:", stack), strings.Join(lines, "\n")), "\n")
}

// notAsked returns the sentence for a failed search for what blocks the network's deletion.
func notAsked(err error) string {
	return fmt.Sprintf("AWS could not be searched for resources of the stack's cluster that block the deletion of the network: %v", err)
}

// clusterTag returns the tag of all resources of a cluster.
func clusterTag(inputs map[string]any) map[string]any {
	if infraID := clusterstatus.InfraIDOf(inputs); infraID != "" {
		return map[string]any{hypershift.ClusterTagPrefix + infraID: "owned"}
	}
	return map[string]any{hypershift.ClusterTagPrefix: "unknown"}
}
