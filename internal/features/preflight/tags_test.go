package preflight

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

func TestTagsAreJudgedAsTheSetThatAResourceGets(t *testing.T) {
	t.Parallel()
	tags := func(n int, keys ...string) map[string]any {
		all := map[string]any{}
		for i := range n {
			all[fmt.Sprint("tag", i)] = "x"
		}
		for _, key := range keys {
			all[key] = "x"
		}
		return all
	}
	for name, test := range map[string]struct {
		token string
		tags  map[string]any
		want  string
	}{
		"a role with two cases": {awstype.Role, tags(1, "Owner",
			"owner"), "r: the tags Owner and owner have the same key for IAM, which ignores the case"},
		"a VPC with two cases": {awstype.VPC, tags(1, "Owner", "owner"), ""},
		"an object of ten":     {awstype.BucketObject, tags(10), ""},
		"an object of eleven": {awstype.BucketObject, tags(11),
			"r: an object in S3 has at most 10 tags, and this would be 11"},
		"fifty":           {awstype.VPC, tags(50), ""},
		"more than fifty": {awstype.VPC, tags(50, "Name"), "r: a resource has at most 50 tags, and this would be 51"},
	} {
		findings := checkTags(Plan{Resources: []Resource{{URN: "urn:pulumi:a::b::c::r", Type: test.token,
			Inputs: props.Map{"tagsAll": test.tags}}}})
		if test.want == "" {
			require.Empty(t, findings, name)
			continue
		}
		require.Len(t, findings, 1, name)
		require.Equal(t, test.want, findings[0].Problem, name)
	}
}
