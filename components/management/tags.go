package management

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// stackTagValue returns the value of hypershift.StackTag, "<project>/<stack>/<OIDC bucket>". A bucket's name is unique
// in S3, so the value differs between stacks with the same project and name in different backends. It changes, in
// place, only with one of the names.
func stackTagValue(project, stack, bucket string) string {
	name := project + "/" + stack
	return name[:min(len(name), maxTagValue-len("/"+bucket))] + "/" + bucket
}

// StackTag returns the value of hypershift.StackTag on the resources of args in a program's stack.
func (args *PrerequisitesArgs) StackTag(ctx *pulumi.Context) string {
	return stackTagValue(ctx.Project(), ctx.Stack(), args.OIDCBucket.Name)
}

// validateTags returns every fault in the user's tags.
func (args *PrerequisitesArgs) validateTags() error {
	var faults fault.Faults
	if len(args.Tags) == maxTags {
		faults.Add("", len(args.Tags), "is too many tags: AWS allows 50, and the stack adds one", "use at most 49")
	}
	if value, given := args.Tags[hypershift.StackTag]; given {
		faults.Add("["+hypershift.StackTag+"]", value,
			"is the key of the tag that names the stack, which is set automatically", "leave it out")
	}
	faults.Join("", validateTags(args.Tags))
	return faults.Err()
}

// AWS's limits.
const (
	maxTags     = 50
	maxTagValue = 256
)

// validateTags returns every fault in tags. The limits are AWS's: HyperShift's narrower limits apply only to hosted
// clusters. Source: "Tag naming limits and requirements" in the Tagging AWS Resources user guide.
func validateTags(tags map[string]string) error {
	var faults fault.Faults
	if len(tags) > maxTags {
		faults.Add("", len(tags), "are more tags than AWS allows on a resource", "use at most 50")
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		path := "[" + key + "]"
		if n := utf8.RuneCountInString(key); n == 0 || n > 128 {
			faults.Add(path, key, fmt.Sprintf("is a key of %d characters", n), "use 1 to 128")
		}
		if strings.HasPrefix(strings.ToLower(key), "aws:") {
			faults.Add(path, key, "is a key that AWS reserves", "use a key without the prefix aws:")
		}
		if n := utf8.RuneCountInString(tags[key]); n > maxTagValue {
			faults.Add(path, nil, fmt.Sprintf("has %d characters", n), "use at most 256")
		}
	}
	return faults.Err()
}
