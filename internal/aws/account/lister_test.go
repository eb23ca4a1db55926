package account

import (
	"errors"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
)

// TestALoadBalancerThatVanishesWhileItIsListedDoesNotFailTheList: AWS refuses a request for the tags of several if one
// no longer exists.
func TestALoadBalancerThatVanishesWhileItIsListedDoesNotFailTheList(t *testing.T) {
	t.Parallel()
	found := []inventory.Resource{{ID: "a"}, {ID: "vanished"}, {ID: "c"}}
	describe := func(some []inventory.Resource) error {
		for i := range some {
			if some[i].ID == "vanished" {
				return &smithy.GenericAPIError{Code: "LoadBalancerNotFound", Message: "no such load balancer"}
			}
		}
		for i := range some {
			some[i].Tags = map[string]string{"tag": some[i].ID}
		}
		return nil
	}
	tagged, err := tagInBatches(found, taggedAtOnce, describe)
	require.NoError(t, err)
	require.Equal(t, []inventory.Resource{{
		ID:   "a",
		Tags: map[string]string{"tag": "a"},
	}, {ID: "c", Tags: map[string]string{"tag": "c"}}}, tagged)

	denied := errors.New("AccessDenied")
	_, err = tagInBatches(found, taggedAtOnce, func([]inventory.Resource) error { return denied })
	require.ErrorIs(t, err, denied, "every other error makes the list incomplete")
}
