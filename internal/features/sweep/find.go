package sweep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Everything selects all types.
func Everything(awstype.Type) bool { return true }

// Search lists an account's resources of the wanted types that have a cluster's tag. journals is the folder of the
// journals.
func Search(
	ctx context.Context, aws account.Account, journals string, now time.Time, wanted func(awstype.Type) bool,
) (Facts, error) {
	place, err := aws.Place(ctx)
	if err != nil {
		return Facts{}, err
	}
	f := Facts{Place: place, Before: map[string]Before{}, Now: now}
	f.Found, f.Missing = account.Leftovers(ctx, aws, wanted)
	for _, infraID := range f.Clusters() {
		before, err := NewJournal(journals, place, infraID).Before()
		if err != nil {
			return f, err
		}
		f.Before[infraID] = before
	}
	return f, nil
}

// Clusters returns the infra IDs with tagged resources in the account, in alphabetical order.
func (f Facts) Clusters() []string { return f.tagged(hypershift.IsInfraID) }

// Ignored returns the strings that tags have in place of an infra ID and that aren't infra IDs. No cluster has one, and
// they are not swept.
func (f Facts) Ignored() []string {
	return f.tagged(func(text string) bool { return !hypershift.IsInfraID(text) })
}

// tagged returns the clusters in the tags of the resources that satisfy a condition.
func (f Facts) tagged(condition func(string) bool) []string {
	var infraIDs []string
	for _, l := range f.Found {
		infraIDs = append(infraIDs, account.Clusters(l)...)
	}
	slices.Sort(infraIDs)
	return slices.DeleteFunc(slices.Compact(infraIDs), func(infraID string) bool { return !condition(infraID) })
}

// Priced returns a cluster's resources in the form that the price table expects.
func (f Facts) Priced(infraID string) []apitype.ResourceV3 {
	var priced []apitype.ResourceV3
	for i, l := range f.Found {
		if account.ClusterTag(l, infraID) != "owned" || l.Type == awstype.Instance && l.State != "running" {
			continue
		}
		priced = append(priced, apitype.ResourceV3{
			URN:  resource.URN(fmt.Sprintf("urn:pulumi:sweep::sweep::%s::%d", l.Type, i)),
			Type: tokens.Type(l.Type), Custom: true, Inputs: l.Properties,
			Outputs: map[string]any{"arn": arn.ARN{Partition: f.Place.Partition, Service: "ec2", Region: f.Place.Region,
				AccountID: f.Place.Account,
				Resource:  "x"}.String()}, // the region's prices
		})
	}
	return priced
}

// Label returns the name of a type in messages.
func Label(token string) string { return typeRecord(token).Label }
