package pulumishim

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/kind"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

func TestEachKindOfStackThatStopsADestroyIsAllowedByItsKey(t *testing.T) {
	t.Parallel()
	for _, definition := range stacks.Kinds() {
		section := definition.Section()
		require.False(t, unprotected(section), definition.Kind)
		if kind.Of(definition.Kind).Owner() == nil {
			continue
		}
		reflect.ValueOf(section).Elem().FieldByName("Unprotected").SetBool(true)
		require.True(t, unprotected(section), definition.Kind)
	}
}
