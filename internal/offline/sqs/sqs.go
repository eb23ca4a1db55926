// Package sqs declares the resource types of SQS for the offline account.
package sqs

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of SQS.
func Kinds() []*aws.Kind {
	return queueKinds()
}
