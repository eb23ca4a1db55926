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

// Renewed returns a provider's settings with the current values of its config: the values in a state are from the last up, and the
// credentials may have been rotated since.
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

// Secret returns a secret value in the form that it has in a state. The engine encrypts it when it imports the state.
func Secret(value string) any {
	text, _ := json.Marshal(value) // a string can always be marshalled
	return map[string]any{sig.Key: sig.Secret, "plaintext": string(text)}
}
