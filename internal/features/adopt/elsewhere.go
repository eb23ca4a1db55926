package adopt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
)

// belongsElsewhere returns what shows that a resource belongs to another stack or cluster, "" if nothing does: a tag
// that names another owner, or a trust in other issuers only. A resource that the user named by its ID is never
// foreign.
func belongsElsewhere(step *changes.Step, found Match) string {
	if found.Given || strings.HasPrefix(step.Type, "kubernetes:") {
		return ""
	}
	has, gets := found.Resource.Tags, account.Query{Inputs: step.New}.Tags()
	switch step.Change {
	case changes.Create: // what is written into the state without a call
	case changes.Import:
		has = account.Query{Inputs: step.Old}.Tags()
	default:
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(has)) {
		if !hypershift.NamesOwner(key, has[key]) || has[key] == gets[key] {
			continue
		}
		if strings.HasPrefix(key, hypershift.ClusterTagPrefix) {
			return fmt.Sprintf("belongs to another cluster, by its tag %s=%s", key, has[key])
		}
		return fmt.Sprintf("belongs to another owner, by its tag %s=%s", key, has[key])
	}
	trusted, trusts := issuers(step.Old["assumeRolePolicy"]), issuers(step.New["assumeRolePolicy"])
	if len(trusted) > 0 && len(trusts) > 0 && !slices.ContainsFunc(trusted, func(issuer string) bool {
		return slices.Contains(trusts, issuer)
	}) {
		return "trusts another issuer, " + strings.Join(trusted, ", ")
	}
	return ""
}

// issuers returns the OIDC providers that a trust policy names.
func issuers(trust any) (found []string) {
	text, _ := trust.(string)
	document, err := policy.Parse(text)
	if err != nil {
		return nil
	}
	for _, statement := range document.Statement {
		if statement.Principal != nil {
			found = append(found, statement.Principal.Federated...)
		}
	}
	return found
}
