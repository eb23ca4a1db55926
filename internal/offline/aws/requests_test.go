package aws

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestTheTableOfRequestsNamesAFileAndKnownActions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("calls.txt")
	require.NoError(t, err)
	table, err := parseRequests(string(text))
	require.NoError(t, err)
	for token, requests := range table {
		for _, r := range requests {
			require.Regexp(t, regexp.MustCompile(`^(ec2|elasticloadbalancing|iam|route53|kms|s3|cloudfront|sqs|events|logs|ram):[A-Z][A-Za-z0-9]+$`), r.action, token)
			require.True(t, r.resource == "*" || strings.HasPrefix(r.resource, "arn:") || strings.HasPrefix(r.resource, "{"), "%s: %s", token, r.resource)
		}
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "aws:") {
			require.Regexp(t, regexp.MustCompile(`^\S+ [a-z0-9]+/[a-z0-9_]+\.go \S+\n$`), line)
		}
	}
}

func TestAMalformedRequestIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"aws:ec2/vpc:Vpc ec2/vpc_.go":                         "line 1: a section has a token, a source file and an ARN",
		"aws:ec2/vpc:Vpc ec2/vpc_.go -\n  make ec2:MakeVpc *": `line 2: no request: "  make ec2:MakeVpc *"`,
		"  create ec2:CreateVpc self":                         `line 1: no request: "  create ec2:CreateVpc self"`,
	} {
		_, err := parseRequests(text)
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
		require.Equal(t, c.want, r.sent(states{now: c.now, before: c.before}), "%s when %s: %v, %v", c.operation, c.when, c.now, c.before)
	}
}
