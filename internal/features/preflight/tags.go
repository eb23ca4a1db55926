package preflight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// The limits of the tags of a resource, and of an object in S3.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
const (
	mostTags       = 50
	mostObjectTags = 10
)

// checkTags checks the tags that each resource gets, with the default tags of its provider, by the rules of its
// service. It asks nobody.
func checkTags(p Plan) []finding.Finding {
	type refusal struct{ account, token, problem, remedy string }
	names := map[refusal][]string{}
	for _, r := range p.Resources {
		tags := r.Inputs.Object("tagsAll")
		if tags == nil {
			tags = r.Inputs.Object("tags")
		}
		problem, remedy := tagProblem(r.Type, tags.Keys())
		if problem == "" {
			continue
		}
		one := refusal{r.Place.Account, r.Type, problem, remedy}
		names[one] = append(names[one], r.name())
	}
	var findings []finding.Finding
	for one, of := range names {
		findings = append(findings, finding.Finding{
			Check: Tags, Severity: finding.Error, Account: one.account, Subject: "tags of " + typeLabel(one.token),
			Problem: FirstOf(of) + ": " + one.problem, Remedy: one.remedy,
		})
	}
	return findings
}

// tagProblem returns why a resource of a type cannot have tags with these keys, "" if it can.
func tagProblem(token string, keys []string) (problem, remedy string) {
	const fewer = "use fewer tags: those of the stack's section, of aws:defaultTags, and the stack's own count together"
	switch {
	case token == awstype.BucketObject && len(keys) > mostObjectTags:
		return fmt.Sprintf("an object in S3 has at most %d tags, and this would be %d", mostObjectTags, len(keys)), fewer
	case len(keys) > mostTags:
		return fmt.Sprintf("a resource has at most %d tags, and this would be %d", mostTags, len(keys)), fewer
	case !strings.HasPrefix(token, "aws:iam/"):
		return "", ""
	}
	// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html#id_tags_rules
	slices.Sort(keys)
	for i, key := range keys {
		if j := slices.IndexFunc(keys[:i], func(other string) bool { return strings.EqualFold(other, key) }); j >= 0 {
			return fmt.Sprintf("the tags %s and %s have the same key for IAM, which ignores the case", keys[j], key),
				"use one of the two"
		}
	}
	return "", ""
}
