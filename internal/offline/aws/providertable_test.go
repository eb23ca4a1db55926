package aws

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestTheTableOfRequestsNamesAFileAndKnownActions(t *testing.T) {
	t.Parallel()
	sections, err := parseSections(providerText)
	require.NoError(t, err)
	for token, section := range sections {
		for _, r := range section.requests {
			require.Regexp(t, regexp.MustCompile(`^(ec2|elasticloadbalancing|iam|route53|kms|s3|cloudfront|sqs|events|logs|ram):[A-Z][A-Za-z0-9]+$`), r.action, token)
			require.True(t, r.resource == "*" || strings.HasPrefix(r.resource, "arn:") ||
				strings.HasPrefix(r.resource, "{"), "%s: %s", token, r.resource)
		}
		require.True(t, len(section.Properties) == 0 || len(section.requests) > 0, "%s: a type without requests", token)
	}
}

func TestALineIsAPropertyOrARequest(t *testing.T) {
	t.Parallel()
	sections, err := parseSections(`# A comment.
aws:ec2/vpc:Vpc ec2/vpc_.go arn:{region}:vpc/{id}
  read                                     rf   # a property with the name of an operation
  arn                                      c
  name                                     ocf  # later
  policy                                   o    json default="{ }"
  tenancy                                  oc   set default=1.5 in=default,dedicated # later
  create  ec2:CreateVpc                    self  when tags
  create  ec2:ModifyVpcAttribute           self  when name tenancy=in  sets name tenancy
  read    ec2:DescribeVpcs                 *     tolerated
`)
	require.NoError(t, err)
	require.Equal(t, map[string]Section{"aws:ec2/vpc:Vpc": {
		ARN: "arn:{region}:vpc/{id}",
		Properties: []Property{
			{Name: "read", Required: true, ForceNew: true}, {Name: "arn", Computed: true},
			{Name: "name", Optional: true, Computed: true, ForceNew: true},
			{Name: "policy", Optional: true, Form: props.AsDocument, Default: "{ }"},
			{Name: "tenancy", Optional: true, Computed: true, Form: props.AsSet, Default: 1.5, Enum: []string{"default", "dedicated"}},
		},
		requests: []request{
			{
				operation: Creating,
				action:    "ec2:CreateVpc",
				resource:  "arn:{region}:vpc/{id}",
				when:      []string{"tags"},
				sets:      []string{},
			},
			{operation: Creating, action: "ec2:ModifyVpcAttribute", resource: "arn:{region}:vpc/{id}",
				when: []string{"name", "tenancy=in"},
				sets: []string{"name", "tenancy"}},
			{operation: reading, action: "ec2:DescribeVpcs", resource: "*", when: []string{}, sets: []string{}, tolerated: true},
		},
	}}, sections)
}

func TestAMalformedLineIsRefusedWithItsNumber(t *testing.T) {
	t.Parallel()
	const section = "aws:ec2/vpc:Vpc ec2/vpc_.go -\n"
	for text, want := range map[string]string{
		"aws:ec2/vpc:Vpc ec2/vpc_.go":           `line 1: no section, which has a token, a source file and an ARN: "aws:ec2/vpc:Vpc ec2/vpc_.go"`,
		"  create ec2:CreateVpc self":           `line 1: no section, which has a token, a source file and an ARN: "  create ec2:CreateVpc self"`,
		section + section:                       "line 2: a second section of aws:ec2/vpc:Vpc",
		section + "  make  ec2:MakeVpc *":       `line 2: no property and no request: "  make  ec2:MakeVpc *"`,
		section + "  create ec2:CreateVpc":      `line 2: no property and no request: "  create ec2:CreateVpc"`,
		section + "  cidrBlock rc":              `line 2: no property and no request: "  cidrBlock rc"`,
		section + "  cidrBlock  f":              `line 2: no property and no request: "  cidrBlock  f"`,
		section + "  cidrBlock o later":         `line 2: no property and no request: "  cidrBlock o later"`,
		section + "  cidrBlock o default=1,":    "line 2: the default 1,: invalid character ',' after top-level value",
		section + "  cidrBlock":                 `line 2: no property and no request: "  cidrBlock"`,
		section + "  create EC2.CreateVpc self": `line 2: no property and no request: "  create EC2.CreateVpc self"`,
	} {
		_, err := parseSections(text)
		require.EqualError(t, err, want)
	}
}

func TestARequestIsSentForTheChangeThatNeedsIt(t *testing.T) {
	t.Parallel()
	tags := func(pairs ...string) props.Map {
		all := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = pairs[i+1]
		}
		return props.Map{"tags": all, "tagsAll": all, "name": "same"}
	}
	for _, c := range []struct {
		operation   Operation
		when        string
		now, before props.Map
		want        bool
	}{
		{Creating, "tags", tags("a", "1"), nil, true},
		{Creating, "tags", tags(), nil, false},
		{Creating, "enabled=false", props.Map{"enabled": false}, nil, true},
		{Creating, "enabled=false", props.Map{}, nil, false},
		{deleting, "-version", props.Map{}, nil, true},
		{deleting, "-version", props.Map{"version": "1"}, nil, false},
		{updating, "+tags", tags("a", "1"), tags("a", "1", "b", "2"), false},
		{updating, "-tags", tags("a", "1"), tags("a", "1", "b", "2"), true},
		{updating, "+tags", tags("a", "2"), tags("a", "1"), true},
		{updating, "-tags", tags("a", "2"), tags("a", "1"), false},
		{updating, "*", tags("a", "2"), tags("a", "1"), false},
		{updating, "*", props.Map{"name": "other"}, props.Map{"name": "same"}, true},
		{updating, "ttl name", props.Map{"name": "other"}, props.Map{"name": "same"}, true},
		{updating, "ttl", props.Map{"name": "other"}, props.Map{"name": "same"}, false},
		{updating, "+boundary", props.Map{}, props.Map{"boundary": "x"}, false},
		{updating, "-boundary", props.Map{}, props.Map{"boundary": "x"}, true},
		{updating, "enabled=true", props.Map{"enabled": true}, props.Map{"enabled": false}, true},
		{updating, "enabled=true", props.Map{"enabled": true}, props.Map{"enabled": true}, false},
	} {
		r := request{operation: c.operation, when: strings.Fields(c.when)}
		require.Equal(t, c.want, r.sent(states{now: c.now, before: c.before}), "%s when %s: %v, %v", c.operation, c.when,
			c.now, c.before)
	}
}
