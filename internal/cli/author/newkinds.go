package author

import (
	"cmp"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// newKind is a kind of stack whose file new writes.
type newKind struct {
	name config.Kind
	// flags adds its flags, those of other kinds among them.
	flags func(*kindFlags)
	// questions are asked in their order for values that no flag has.
	questions func(asked) []question
	// file returns the stack's file: every key with a comment, defaults as comments.
	file func(newValues) string
	// check refuses flags that it does not have together; nil for no rule beside the exclusions of flags.
	check func(newValues) error
	// next returns what to do before the preview; nil for nothing.
	next func(newValues) string
}

// newKinds returns the kinds in the order in which messages name them.
func newKinds() []newKind {
	return []newKind{clusterKind(), capaKind(), networkKind(), iamKind(), nodePoolsKind(), managementKind()}
}

// newKind returns the stack's kind, whose default is cluster, or a zero value for one that new has no template for.
func (v newValues) newKind() newKind {
	for _, kind := range newKinds() {
		if kind.name == cmp.Or(config.Kind(v.kind), config.KindCluster) {
			return kind
		}
	}
	return newKind{}
}
