package pullrequest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

// comment returns a comment with a plan that replaces and deletes n resources.
func comment(n int) Comment {
	c := Comment{
		Stack:        "dev",
		Plan:         &changes.Plan{},
		DriftChecked: true,
		Time:         "about 2 min",
		Cost:         "**Fixed cost: 1.00**\n",
		Policies:     "No policy violations.\n",
	}
	for i := range n {
		name := fmt.Sprintf("r%05d", i)
		c.Plan.Steps = append(c.Plan.Steps,
			&changes.Step{URN: "vpc" + name, Name: name, Type: awstype.VPC, Custom: true, Change: changes.Replace, Keys: []string{"cidrBlock"},
				Old: map[string]any{"cidrBlock": "a"}, New: map[string]any{"cidrBlock": "<b>"}},
			&changes.Step{URN: "rule" + name, Name: name, Type: awstype.SecurityGroup, Custom: true, Change: changes.Delete})
		c.Drift = append(c.Drift, changes.Difference{Name: name, Type: awstype.Subnet, ID: "subnet-1",
			Values: []changes.ValueDifference{{Property: "tags", State: map[string]any{"a": "b"}, AWS: nil}}})
	}
	for _, r := range plan.Explain(c.Plan) {
		if !r.Unguarded {
			c.Guarded = append(c.Guarded, r)
		}
	}
	return c
}

func TestACommentHasWhatAllowsAPlanInTheStacksFile(t *testing.T) {
	t.Parallel()
	c := comment(1)
	c.Plan.Steps[0].ID, c.Guarded[0].ID = "vpc-1", "vpc-1"
	assert.Contains(t, c.Markdown(), "```\nhypershift-aws:allow:\n  - {name: r00000, id: vpc-1}\n```")
	assert.Contains(t, c.Markdown(), "`up` refuses the plan")
	assert.Positive(t, c.Digest().Refused)
	c.Guarded = nil // the file allows it
	assert.NotContains(t, c.Markdown(), "`up` refuses the plan")
	assert.Contains(t, c.Markdown(), "the stack's file allows them:**\n\n- **replace** VPC `r00000`")
	assert.Zero(t, c.Digest().Refused)
}

func TestAPartOfARefusedResourceIsNotCalledAllowed(t *testing.T) {
	t.Parallel()
	c := Comment{Stack: "dev", Plan: &changes.Plan{Steps: []*changes.Step{
		{URN: "subnet", Name: "private", Type: awstype.Subnet, ID: "subnet-1", Custom: true, Change: changes.Delete,
			Old: map[string]any{"cidrBlock": "10.0.0.0/20"}},
		{URN: "association", Name: "private-table", Type: awstype.RouteTableAssociation, ID: "rtbassoc-1", Custom: true,
			Change: changes.Delete, Old: map[string]any{"subnetId": "subnet-1", "routeTableId": "rtb-1"}},
	}}}
	var guard *changes.GuardError
	require.ErrorAs(t, plan.Guard(c.Plan, "dev", nil, nil), &guard)
	c.Guarded = guard.Refusals
	require.Len(t, c.Guarded, 1, "the association goes with its subnet")
	text := c.Markdown()
	require.NotContains(t, text, "the stack's file allows them")
	require.Contains(t, text, "**Replaced or deleted:**\n\n- **delete** route table association `private-table`")
}

func TestACommentBeginsWithReplacedAndDeletedResourcesAndTheirCauses(t *testing.T) {
	t.Parallel()
	text := comment(1).Markdown()
	head, details, found := strings.Cut(text, "<details>")
	require.True(t, found)
	assert.Contains(t, head, "**1 to replace, 1 to delete**")
	assert.Contains(t, head, "- **replace** VPC `r00000`: `cidrBlock a -> <b>`, set by `network.vpcCIDR`")
	assert.Contains(t, head, "- **delete** security group `r00000`: `it is no longer in the config`")
	assert.Contains(t, head, "1 resource changed outside")
	assert.Contains(t, head, "**Fixed cost: 1.00**")
	assert.Contains(t, details, `tags.a: b in the state, (none) in AWS`)
	assert.Equal(t, strings.Count(text, "<details>"), strings.Count(text, "</details>"))
}

func TestThoseOfOneCauseAreBelowTheFirstOfThemWithOneRemedy(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(comment(2).Markdown(), "<details>")
	assert.Contains(t, head, "- **replace** VPC `r00000`: `cidrBlock a -> <b>`, set by `network.vpcCIDR`; instead: set network.vpcCIDR back to its previous value, "+
		"or create another stack with the new value\n  - **replace** VPC `r00001`: `cidrBlock a -> <b>`\n")
}

func TestACommentIsNeverLongerThanGitHubAllows(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 50, 300, 1000, 5000} {
		text := comment(n).Markdown()
		assert.LessOrEqual(t, len(text), Limit, n)
		assert.Equal(t, strings.Count(text, "<details>"), strings.Count(text, "</details>"), n)
		assert.Zero(t, strings.Count(text, "```")%2, n)
		if n >= 1000 {
			assert.Regexp(t, `… \d+ more`, text)
		}
	}
}

func TestACommentHasNoControlCharactersOfAWSOrKubernetes(t *testing.T) {
	t.Parallel()
	const harmful = "a\x1b[2J\n::error::b\u202e"
	c := comment(1)
	c.Refused, c.Given, c.Time = []string{harmful}, []string{harmful}, harmful
	c.Drift[0].Name, c.Drift[0].Values[0].AWS = harmful, harmful
	c.Plan.Steps[0].New = map[string]any{"cidrBlock": harmful}
	text := c.Markdown() + Fleet{
		Operation: "preview",
		Stacks:    []FleetStack{{ID: "dev", Problem: harmful, Digest: c.Digest()}},
	}.Markdown()
	assert.NotRegexp(t, `[\x00-\x08\x0b-\x1f\x7f\x{202e}]|(?m)^\s*::`, text)
	assert.Contains(t, text, `a\u001b[2J`)
}
