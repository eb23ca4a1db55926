// Package ram is RAM, and tags on what it shares as the offline account has it.
package ram

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds are the resource types of RAM.
func Kinds() []*aws.Kind {
	return shareKinds()
}
