// Package eventbridge is EventBridge as the offline account has it.
package eventbridge

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of EventBridge.
func Kinds() []*aws.Kind {
	return eventKinds()
}
