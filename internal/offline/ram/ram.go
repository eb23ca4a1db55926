// Package ram declares the resource types of RAM, and of tags on shared resources, for the offline account.
package ram

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// Kinds returns the resource types of RAM.
func Kinds() []*aws.Kind {
	return shareKinds()
}
