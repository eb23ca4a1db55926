package policy

import (
	"encoding/json"
	"slices"
	"strings"

	iampolicy "github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
)

// eachStatement collects the errors in the statements of the policy document in an input; none if it is unknown.
func eachStatement(r props.Resource, input string, wrong func(iampolicy.Statement) string) []string {
	var document iampolicy.Document
	if json.Unmarshal([]byte(r.String(input)), &document) != nil {
		return nil
	}
	var found []string
	for _, s := range document.Statement {
		if sentence := wrong(s); sentence != "" {
			found = append(found, sentence)
		}
	}
	return found
}

// toAnyone reports whether a statement allows something to everybody.
func toAnyone(s iampolicy.Statement) bool {
	return s.Effect == iampolicy.Allow && s.Principal != nil && (s.Principal.Anyone || slices.Contains(s.Principal.AWS, "*"))
}

// limits reports whether a condition of a statement lists the values of a key with the suffix.
func limits(s iampolicy.Statement, key string) bool {
	for operator, keys := range s.Condition {
		if !strings.Contains(operator, "StringEquals") && !strings.Contains(operator, "StringLike") || strings.Contains(operator, "Not") {
			continue
		}
		for name, values := range keys {
			if strings.HasSuffix(name, key) && len(values) > 0 && !slices.Contains(values, "*") {
				return true
			}
		}
	}
	return false
}

// documents are the inputs with policy documents, by type.
var documents = map[string]string{
	awstype.BucketPolicy: "policy", awstype.Role: "assumeRolePolicy", awstype.RolePolicy: "policy", awstype.UserPolicy: "policy", awstype.Policy: "policy",
}
