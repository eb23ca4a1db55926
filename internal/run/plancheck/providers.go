package plancheck

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
)

// ProviderURN returns the URN in a reference to a provider, which ends with the provider's ID.
func ProviderURN(reference string) string {
	if i := strings.LastIndex(reference, "::"); i >= 0 {
		return reference[:i]
	}
	return reference
}

// ProviderInputs returns the settings of the AWS providers, by URN, as the plan leaves them.
func ProviderInputs(planned *changes.Plan) map[string]map[string]any {
	inputs := map[string]map[string]any{}
	for _, resources := range [][]apitype.ResourceV3{planned.Before, planned.After} {
		for _, r := range resources {
			if r.Type == "pulumi:providers:aws" && r.Inputs != nil {
				inputs[string(r.URN)] = r.Inputs
			}
		}
	}
	return inputs
}
