package aws

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// AWS's limits for the tags of one resource.
// https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
const (
	maxTags = 50
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
	maxObjectTags = 10
	maxTagKey     = 128
	maxTagValue   = 256
)

// allTags returns a resource's tags merged with the provider's default tags, without those that the provider ignores;
// unknown if any of them is unknown.
func (s Site) allTags(tags any) any {
	own, ok := tags.(map[string]any)
	if tags != nil && !ok || props.HoldsUnknown(own) {
		return props.Unknown{}
	}
	all := map[string]any{}
	maps.Copy(all, s.defaultTags)
	maps.Copy(all, own)
	maps.DeleteFunc(all, func(k string, _ any) bool {
		return slices.Contains(s.ignoredTags, k) ||
			slices.ContainsFunc(s.IgnoredTagPrefixes, func(prefix string) bool { return strings.HasPrefix(k, prefix) })
	})
	return all
}

var tagGrammar = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)

// tagsAllowed: a resource has at most 50 tags, and their keys and values follow AWS's grammar.
// https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
func tagsAllowed(c *Call) error {
	tags := c.State().Object("tagsAll")
	tooMany, wrong := "TagLimitExceeded", "InvalidParameterValue"
	switch c.Kind.Service {
	case "IAM": // IAM and Route 53 have other error codes
		tooMany, wrong = "LimitExceeded", "ValidationError"
	case "Route 53":
		tooMany, wrong = "InvalidInput", "InvalidInput"
	}
	if c.Kind.Token == awstype.BucketObject && len(tags) > maxObjectTags {
		return awserr.Errorf("BadRequest", "Object tags cannot be greater than %d", maxObjectTags)
	}
	if len(tags) > maxTags {
		return awserr.Errorf(tooMany, "The maximum number of Tags for a resource has been reached.")
	}
	seen := map[string]bool{}
	for _, k := range tags.Keys() {
		value := tags.String(k)
		// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html#id_tags_rules
		if c.Kind.Service == "IAM" && seen[strings.ToLower(k)] {
			return awserr.Errorf("InvalidInput", "Duplicate tag keys found. Please note that Tag keys are case insensitive.")
		}
		seen[strings.ToLower(k)] = true
		switch {
		case strings.HasPrefix(strings.ToLower(k), "aws:"):
			return awserr.Errorf(wrong, "Tag keys starting with 'aws:' are reserved for internal use")
		case k == "":
			return awserr.Errorf(wrong, "Tag key cannot be empty")
		case utf8.RuneCountInString(k) > maxTagKey:
			return awserr.Errorf(wrong, "Tag key exceeds the maximum length of %d characters", maxTagKey)
		case utf8.RuneCountInString(value) > maxTagValue:
			return awserr.Errorf(wrong, "Tag value exceeds the maximum length of %d characters", maxTagValue)
		case !tagGrammar.MatchString(k), !tagGrammar.MatchString(value):
			return awserr.Errorf(wrong, "Tag %q contains a character that is not allowed", k+"="+value)
		}
	}
	return nil
}
