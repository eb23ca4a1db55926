package offline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

func TestDefaultTagsAreUnderAResourcesOwn(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{}), props.Map{"region": "us-east-1", "defaultTags": `{"tags":{"team":"platform","env":"dev"}}`})
	_, out := e.create(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "tags": map[string]any{"env": "prod"}})
	require.Equal(t, map[string]any{"env": "prod"}, out["tags"])
	require.Equal(t, map[string]any{"team": "platform", "env": "prod"}, out["tagsAll"])
}

func TestAChangeOfDefaultTagsIsAChangeInPlace(t *testing.T) {
	t.Parallel()
	server := serve(t, Options{})
	inputs := props.Map{"cidrBlock": "10.0.0.0/16"}
	before := attach(t, server, props.Map{"region": "us-east-1"}).valid(awstype.VPC, inputs)
	e := attach(t, server, props.Map{
		"region":      "us-east-1",
		"defaultTags": map[string]any{"tags": map[string]any{"team": "x"}},
	})
	diff := e.diff(awstype.VPC, before, e.valid(awstype.VPC, inputs))
	require.Contains(t, diff.GetDetailedDiff(), "tagsAll.team")
	require.Empty(t, diff.GetReplaces())
}

func TestIgnoredTagsAreLeftOut(t *testing.T) {
	t.Parallel()
	e := attach(t, serve(t, Options{}), props.Map{"region": "us-east-1", "ignoreTags": `{"keys":["cost"],"keyPrefixes":["auto:"]}`})
	_, out := e.create(awstype.VPC, props.Map{
		"cidrBlock": "10.0.0.0/16",
		"tags":      map[string]any{"cost": "1", "auto:x": "1", "a": "1"},
	})
	require.Equal(t, map[string]any{"a": "1"}, out["tagsAll"])
}

func TestTagsThatAreNotKnownYetMakeAllOfThemUnknown(t *testing.T) {
	t.Parallel()
	e := start(t)
	require.Equal(t, props.Unknown{}, e.valid(awstype.VPC, props.Map{
		"tags": map[string]any{"a": props.Unknown{}},
	})["tagsAll"])
	require.Equal(t, props.Unknown{}, e.valid(awstype.VPC, props.Map{"tags": props.Unknown{}})["tagsAll"])
}

func TestAResourceHas50TagsAtMost(t *testing.T) {
	t.Parallel()
	e := start(t)
	many := map[string]any{}
	for i := range 50 {
		many[fmt.Sprint("k", i)] = ""
	}
	e.id(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "tags": many})
	e.id(awstype.VPC, props.Map{
		"cidrBlock": "10.0.0.0/16",
		"tags":      map[string]any{strings.Repeat("k", 128): strings.Repeat("v", 256)},
	})
	more := untyped.Clone(many).(map[string]any)
	more["one more"] = ""
	for _, c := range []struct {
		name string
		tags map[string]any
		code string
	}{
		{"too many", more, "TagLimitExceeded"},
		{"a long key", map[string]any{strings.Repeat("k", 129): ""}, "InvalidParameterValue"},
		{"a long value", map[string]any{"k": strings.Repeat("v", 257)}, "InvalidParameterValue"},
		{"no key", map[string]any{"": "v"}, "InvalidParameterValue"},
		{"AWS's own prefix", map[string]any{"aws:x": "v"}, "InvalidParameterValue"},
		{"a character", map[string]any{"k": "a*b"}, "InvalidParameterValue"},
	} {
		_, _, err := e.try(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "tags": c.tags}, false)
		require.Error(t, err, c.name)
		refused(t, err, c.code)
	}
	_, _, err := e.try(awstype.Role, props.Map{"name": "r", "assumeRolePolicy": trustText, "tags": more}, false)
	refused(t, err, "LimitExceeded")
	_, _, err = e.try(awstype.HostedZone, props.Map{"name": "example.com", "tags": more}, false)
	refused(t, err, "InvalidInput")
	_, _, err = e.try(awstype.Role, props.Map{
		"name":             "r",
		"assumeRolePolicy": trustText,
		"tags":             map[string]any{"aws:x": "v"},
	}, false)
	refused(t, err, "ValidationError")
}

func TestServicesHaveRulesOfTheirOwnForTags(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, _, err := e.try(awstype.Role, props.Map{"name": "a", "assumeRolePolicy": trustText,
		"tags": map[string]any{"Owner": "a", "owner": "b"}}, false)
	refused(t, err, "InvalidInput")
	e.id(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "tags": map[string]any{"Owner": "a", "owner": "b"}})
	many := map[string]any{}
	for i := range 11 {
		many[fmt.Sprint("tag", i)] = "x"
	}
	bucket := e.id(awstype.Bucket, props.Map{"bucket": "demo-oidc"})
	_, _, err = e.try(awstype.BucketObject, props.Map{"bucket": bucket, "key": "a", "content": "{}", "tags": many}, false)
	refused(t, err, "BadRequest")
}
