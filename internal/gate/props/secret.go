package props

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Hidden replaces a secret: in the engine's events, and in values for users.
const Hidden = "[secret]"

// HideSecrets returns a value with Hidden for each secret of a state or a plan in it.
func HideSecrets(properties any) any {
	if object, ok := properties.(Map); ok {
		properties = map[string]any(object)
	}
	return untyped.Map(properties, func(inner any) any {
		if object, ok := inner.(map[string]any); ok && object[sig.Key] == sig.Secret {
			return Hidden
		}
		return inner
	})
}
