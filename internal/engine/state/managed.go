package state

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// Managed is a resource in a state, by its type and ID.
type Managed struct{ Type, ID string }

// ManagedIn returns the AWS resources of a state that may be in one of the accounts. Names, such as a role's, are in
// use once per account: a provider whose resources have ARNs of other accounts only is left out.
func ManagedIn(d *Deployment, accounts map[string]bool) []Managed {
	elsewhere, here := map[string]bool{}, map[string]bool{}
	for _, r := range d.Resources {
		text, _ := r.Outputs["arn"].(string)
		if parsed, err := arn.Parse(text); err == nil && parsed.AccountID != "" && parsed.AccountID != "aws" {
			here[r.Provider] = here[r.Provider] || accounts[parsed.AccountID]
			elsewhere[r.Provider] = true
		}
	}
	var managed []Managed
	for _, r := range d.Resources {
		if r.Custom && !r.External && !r.Delete && r.ID != "" && strings.HasPrefix(string(r.Type), "aws:") &&
			(here[r.Provider] || !elsewhere[r.Provider]) {
			managed = append(managed, Managed{Type: string(r.Type), ID: string(r.ID)})
		}
	}
	return managed
}
