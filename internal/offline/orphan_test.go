package offline

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// TestWhatIsAskedForIsEnoughToFindWhatWasMade holds package orphan's tables against every type there is: each is found
// by its inputs alone, does no harm when it is made again, or is said to be one that nobody can look for.
func TestWhatIsAskedForIsEnoughToFindWhatWasMade(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	config := props{"region": "us-east-1", "defaultTags": `{"tags":{"hypershift.openshift.io/infra-id":"demo-x1"}}`}
	e := attach(t, server, config)
	order, inputs, ids := e.estate()

	for _, token := range Tokens() {
		if _, isFunction := newCatalogue().functions[token]; !isFunction {
			require.Contains(t, order, token, "a type that the estate lacks")
		}
	}
	account, region, partition, err := server.Place(config)
	require.NoError(t, err)
	place := orphan.Place{Account: account, Region: region, Partition: partition}
	var unfindable []string
	for _, token := range order {
		trace := orphan.Trace{Type: token, Inputs: inputs[token]}
		switch {
		case trace.Overwrites():
			require.False(t, trace.Findable() && !strings.Contains(token, "Record"), "%s is in two tables", token)
		case !trace.Findable():
			unfindable = append(unfindable, token)
		case trace.Searched():
			found, err := server.Find(config, token, trace.Tags(), inputs[token])
			require.NoError(t, err)
			require.Contains(t, found, ids[token], token)
		default:
			found, _, _ := e.read(token, trace.ImportID(place), nil)
			require.Equal(t, ids[token], found, "%s by %s", token, trace.ImportID(place))
		}
	}
	slices.Sort(unfindable)
	require.Equal(t, []string{accessControlToken, accessKeyToken}, unfindable)
}
