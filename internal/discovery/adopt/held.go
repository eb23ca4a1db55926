package adopt

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// Held is a resource in a state, by its type and ID.
type Held struct{ Type, ID string }

// HeldIn returns the AWS resources of a state that may be in one of the accounts. Names, such as a role's, are in use once per account: a
// provider whose resources have ARNs of other accounts only is left out.
func HeldIn(d *state.Deployment, accounts map[string]bool) []Held {
	elsewhere, here := map[string]bool{}, map[string]bool{}
	for _, r := range d.Resources {
		text, _ := r.Outputs["arn"].(string)
		if parsed, err := arn.Parse(text); err == nil && parsed.AccountID != "" && parsed.AccountID != "aws" {
			here[r.Provider] = here[r.Provider] || accounts[parsed.AccountID]
			elsewhere[r.Provider] = true
		}
	}
	var held []Held
	for _, r := range d.Resources {
		if r.Custom && !r.External && !r.Delete && r.ID != "" && strings.HasPrefix(string(r.Type), "aws:") && (here[r.Provider] || !elsewhere[r.Provider]) {
			held = append(held, Held{Type: string(r.Type), ID: string(r.ID)})
		}
	}
	return held
}
