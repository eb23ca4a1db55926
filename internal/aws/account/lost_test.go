package account

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// TestWhatAStateHasLostIsFoundByTheStacksTagsThroughAWSsAPI: without a name, types that are looked up by their names
// are found by the tag of their owner, and those of others are not. moto's tagging API lists no event rules, and log
// groups by another name than AWS's.
func TestWhatAStateHasLostIsFoundByTheStacksTagsThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	account, clients, _ := throughMoto(t)
	for _, name := range []string{"demo-x1", "demo-x2"} {
		tag := map[string]string{hypershift.ClusterTagPrefix + name: "owned"}
		_, err := clients.sqs.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name), Tags: tag})
		require.NoError(t, err)
		for key, value := range tag {
			_, err = clients.iam.CreateUser(t.Context(), &iam.CreateUserInput{
				UserName: aws.String(name), Tags: []iamtypes.Tag{{Key: &key, Value: &value}}})
			require.NoError(t, err)
		}
	}
	owner := Query{Inputs: map[string]any{"tags": map[string]any{hypershift.ClusterTagPrefix + "demo-x1": "owned"}},
		Complete: true}
	for _, token := range []string{awstype.Queue, awstype.User} {
		owner.Type = token
		found, err := account.List(t.Context(), owner)
		require.NoError(t, err, token)
		var names []string
		for _, one := range found {
			if CarriesAll(one.Tags, owner.Owner()) {
				names = append(names, one.Text("name"))
			}
		}
		require.Equal(t, []string{"demo-x1"}, names, "%s: %v", token, found)
		byName, err := account.List(t.Context(), Query{Type: token, Inputs: map[string]any{"name": "demo-x1"}})
		require.NoError(t, err, token)
		require.Len(t, byName, 1)
		require.Equal(t, byName[0].ID, idOf(found, owner.Owner()), "the ID is that of a state")
	}
}

// idOf returns the ID of the one that carries tags.
func idOf(found []inventory.Resource, tags map[string]string) string {
	for _, one := range found {
		if CarriesAll(one.Tags, tags) {
			return one.ID
		}
	}
	return ""
}
