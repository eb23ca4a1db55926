// Package sqs is SQS as the offline account has it.
package sqs

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of SQS.
func Kinds() []*aws.Kind {
	return queueKinds()
}
