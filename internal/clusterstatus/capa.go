package clusterstatus

import (
	"context"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
	"github.com/hypershift-aws/hypershift-aws/internal/report"
	"github.com/hypershift-aws/hypershift-aws/internal/state"
)

// typeCluster is the type of a Cluster API Cluster, of any version.
const typeCluster, kindCluster = "kubernetes:cluster.x-k8s.io/", ":Cluster"

// FindCAPA returns the Cluster API Cluster in a state, nil if there is none.
func FindCAPA(resources []apitype.ResourceV3) *HostedCluster {
	for _, r := range resources {
		if token := string(r.Type); strings.HasPrefix(token, typeCluster) && strings.HasSuffix(token, kindCluster) {
			return &HostedCluster{
				Name: textAt(r.Inputs, "metadata", "name"), Namespace: textAt(r.Inputs, "metadata", "namespace"), URN: string(r.URN),
				Protected: r.Protect, UID: textAt(r.Outputs, "metadata", "uid"),
			}
		}
	}
	return nil
}

// CAPALeft lists the instances and load balancers that CAPA created for a cluster, by its tag, each as "instance i-…".
func CAPALeft(
	ctx context.Context, state *state.Deployment, cluster string,
	accounts func(ctx context.Context, settings map[string]any, provider string) (orphan.Account, error),
) ([]string, error) {
	for _, r := range state.Resources {
		if !r.Custom || !strings.HasPrefix(string(r.Type), "aws:") {
			continue
		}
		account, err := accounts(ctx, state.Provider(r.Provider), r.Provider)
		if err != nil {
			return nil, err
		}
		var left []string
		for _, token := range []string{awstype.Instance, awstype.LoadBalancer} {
			found, err := account.Find(ctx, orphan.Query{Type: token, Inputs: map[string]any{"tags": map[string]any{capa.OwnerTag(cluster): "owned"}}})
			if err != nil {
				return nil, fmt.Errorf("listing the resources that CAPA created for cluster %s: %w", cluster, err)
			}
			for _, id := range orphan.IDs(found) {
				if !state.Has(token, id) {
					left = append(left, report.TypeName(token)+" "+id)
				}
			}
		}
		return left, nil
	}
	return nil, nil
}
