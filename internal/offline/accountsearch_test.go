package offline

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// TestTheInputsOfACreationAreEnoughToFindWhatItCreated checks package account with every type: each is found
// by its inputs alone, does no harm when it is created again, or is recorded as one that cannot be searched.
func TestTheInputsOfACreationAreEnoughToFindWhatItCreated(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	config := props.Map{"region": "us-east-1", "defaultTags": `{"tags":{"hypershift.openshift.io/infra-id":"demo-x1"}}`}
	e := attach(t, server, config)
	order, inputs, ids := e.everyType()

	for _, token := range Tokens() {
		if _, isFunction := catalogue().Functions[token]; !isFunction {
			require.Contains(t, order, token, "a type that everyType lacks")
		}
	}
	aws, region, partition, err := server.Place(config)
	require.NoError(t, err)
	place := inventory.Place{Account: aws, Region: region, Partition: partition}
	var unfindable []string
	for _, token := range order {
		query := account.Query{Type: token, Inputs: inputs[token]}
		switch {
		case query.Replaceable():
			require.False(t, query.Findable() && !strings.Contains(token, "Record"), "%s is in two tables", token)
		case !query.Findable():
			unfindable = append(unfindable, token)
		case query.Searched():
			found, err := server.Find(config, token, query.Tags(), inputs[token])
			require.NoError(t, err)
			require.True(t, slices.ContainsFunc(found, func(r inventory.Resource) bool {
				return r.ID == ids[token] && r.Type == token
			}), token)
		default:
			if query.Checked() {
				found, err := server.Find(config, token, nil, inputs[token])
				require.NoError(t, err)
				require.NotEmpty(t, found, token)
			}
			found, _, _ := e.read(token, query.ImportID(place), nil)
			require.Equal(t, ids[token], found, "%s by %s", token, query.ImportID(place))
		}
	}
	slices.Sort(unfindable)
	require.Equal(t, []string{awstype.OriginAccessControl, awstype.AccessKey}, unfindable)
}
