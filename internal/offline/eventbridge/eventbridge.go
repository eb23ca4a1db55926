// Package eventbridge declares the resource types of EventBridge for the offline account.
package eventbridge

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of EventBridge.
func Kinds() []*aws.Kind {
	return eventKinds()
}
