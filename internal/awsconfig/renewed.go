package awsconfig

import (
	"encoding/json"
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
)

// credentialSettings returns the settings of the AWS provider that determine its credentials.
func credentialSettings() []string {
	return []string{"accessKey", "secretKey", "token", "profile", "sharedConfigFiles", "sharedCredentialsFiles", "assumeRole", "assumeRoles",
		"assumeRoleWithWebIdentity"}
}

// Renewed returns a provider's settings with those that its config gives now, where it gives any: those in a state are of the last up,
// and the credentials may have been rotated since.
func Renewed(settings, given map[string]any) map[string]any {
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

// Secret returns a secret value as a state has it. The engine encrypts it when it is given the state.
func Secret(value string) any {
	text, _ := json.Marshal(value) // text always marshals
	return map[string]any{sig.Key: sig.Secret, "plaintext": string(text)}
}
