package automation

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
)

// isOwnProvider is whether a URN, or a reference that begins with one, is that of the AWS provider which the aws: config configures.
func isOwnProvider(urn string) bool {
	return strings.Contains(urn, "::pulumi:providers:aws::default")
}

// credentialSettings are the settings of the AWS provider that say whose credentials it uses.
func credentialSettings() []string {
	return []string{"accessKey", "secretKey", "token", "profile", "sharedConfigFiles", "sharedCredentialsFiles", "assumeRole", "assumeRoles",
		"assumeRoleWithWebIdentity"}
}

// renewed are the settings of the stack's own AWS provider as its config has them now, where it has any: those in the state are of the
// last up, and its credentials may have been rotated since. secret makes a setting of a secret value.
func renewed(settings map[string]any, config auto.ConfigMap, secret func(value string) any) map[string]any {
	given := map[string]any{}
	for key, value := range config {
		if name, ok := strings.CutPrefix(key, "aws:"); ok {
			given[name] = value.Value
			if value.Secret {
				given[name] = secret(value.Value)
			}
		}
	}
	if len(given) == 0 {
		return settings
	}
	all := map[string]any{}
	maps.Copy(all, settings)
	for _, name := range credentialSettings() {
		delete(all, name)
	}
	maps.Copy(all, given)
	return all
}

// asSecret is a secret value as a state has it. The engine encrypts it when it is given the state.
func asSecret(value string) any {
	text, _ := json.Marshal(value) // text always marshals
	return map[string]any{sig.Key: sig.Secret, "plaintext": string(text)}
}
