package props

import "github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

// Hidden replaces a secret: in the engine's events, and in values for users.
const Hidden = "[secret]"

// HideSecrets returns a value with Hidden for each secret of a state or a plan in it.
func HideSecrets(value any) any {
	switch v := value.(type) {
	case Map:
		return HideSecrets(map[string]any(v))
	case map[string]any:
		if v[sig.Key] == sig.Secret {
			return Hidden
		}
		hidden := make(map[string]any, len(v))
		for key, inner := range v {
			hidden[key] = HideSecrets(inner)
		}
		return hidden
	case []any:
		hidden := make([]any, len(v))
		for i, inner := range v {
			hidden[i] = HideSecrets(inner)
		}
		return hidden
	}
	return value
}
