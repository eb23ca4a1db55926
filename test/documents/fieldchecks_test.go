package documents

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/internal/run/plancheck"
)

// A field that HyperShift's operator judges is checked before, or what is left to the operator is listed.
func TestEveryFieldThatAnOperatorJudgesIsCheckedOrListed(t *testing.T) {
	t.Parallel()
	fields := crdFields(t)
	for _, check := range plancheck.FieldChecks() {
		known := slices.Contains(fields, check.Kind+" "+check.Path) || hasInner(fields, check.Kind+" "+check.Path)
		assert.True(t, known, "%s has no field %s", check.Kind, check.Path)
		assert.NotEmpty(t, check.Here+check.Left, "%s %s is neither checked nor listed", check.Kind, check.Path)
	}
}
