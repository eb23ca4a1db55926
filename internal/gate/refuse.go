package gate

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// Refuse returns the error of options that cannot be carried out.
func Refuse(format string, args ...any) error {
	return &failure.Error{Reason: failure.Refused, Problem: fmt.Sprintf(format, args...)}
}
