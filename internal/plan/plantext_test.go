package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// creations returns the plan that creates the resources of a recorded state.
func creations(t *testing.T, path string) *changes.Plan {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var p Builder
	require.NoError(t, json.Unmarshal(text, &p.After))
	for _, r := range p.After {
		p.Add(apitype.StepEventMetadata{
			Op: apitype.OpCreate, URN: string(r.URN), Type: string(r.Type),
			New: &apitype.StepEventStateMetadata{Custom: r.Custom, Parent: string(r.Parent), Inputs: r.Inputs},
		})
	}
	return &p.Plan
}

func TestAWholeNewClusterIsReadOnOnePage(t *testing.T) {
	t.Parallel()
	states, err := filepath.Glob(filepath.Join("..", "features", "picture", "testdata", "states", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, states)
	for _, state := range states {
		p := creations(t, state)
		text := Text(p, Layout{Width: 80})
		const forecast = 5 // lines that follow
		assert.LessOrEqual(t, strings.Count(text, "\n")+forecast+1, 40, "%s:\n%s", state, text)
		for line := range strings.Lines(text) {
			assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), 80, "%s: %s", state, line)
		}
		details := Text(p, Layout{Details: true})
		for _, step := range Listed(p) {
			assert.Contains(t, details, "+ "+report.TypeName(step.Type)+" "+step.Name+"\n", "%s", state)
		}
	}
}

func TestSiblingsAreOneLineInTheOrderOfTheirCreation(t *testing.T) {
	t.Parallel()
	p := creations(t, filepath.Join("..", "features", "picture", "testdata", "states", "public.json"))
	text := Text(p, Layout{Width: 80})
	at := 0
	for _, line := range []string{
		"  network (guest network)\n", "    + VPC network-vpc\n", "    + 4 subnets: private and public in us-east-1a, 1b\n",
	} {
		i := strings.Index(text[at:], line)
		require.GreaterOrEqual(t, i, 0, "%q is missing or too early in\n%s", line, text)
		at += i
	}
}

func TestAPlanBeginsWithTheClusterThenItsNetwork(t *testing.T) {
	t.Parallel()
	p := creations(t, filepath.Join("..", "features", "picture", "testdata", "states", "complete.json"))
	for _, destroy := range []bool{false, true} {
		if destroy {
			for _, step := range p.Steps {
				step.Change = changes.Delete
			}
		}
		text := Text(p, Layout{Width: 80, Destroy: destroy})
		at := 0
		for _, words := range []string{"hosted cluster", "node pool", "VPC", "OIDC provider", "IAM role"} {
			i := strings.Index(text[at:], words)
			require.GreaterOrEqual(t, i, 0, "%q is missing or too early in\n%s", words, text)
			at += i
		}
		assert.NotContains(t, text, "tash", "the engine's own resources are none that a reader knows")
	}
}

func TestWhatIsRefusedReplacedOrDeletedIsFirstAndNeverFolded(t *testing.T) {
	t.Parallel()
	step := func(change changes.Change, token, name string) *changes.Step {
		return &changes.Step{
			URN:    "urn:pulumi:dev::p::" + token + "::" + name,
			Name:   name,
			Type:   token,
			Custom: true,
			Change: change,
		}
	}
	p := changes.Plan{Steps: []*changes.Step{
		step(changes.Create, awstype.Subnet, "a"), step(changes.Create, awstype.Subnet, "b"),
		step(changes.Delete, awstype.ElasticIP, "eip"),
		step(changes.Delete, awstype.Subnet, "old-1"), step(changes.Delete, awstype.Subnet, "old-2"),
		step(changes.Replace, awstype.VPC, "vpc"),
	}}
	vpc := p.Steps[5]
	vpc.Keys, vpc.Old, vpc.New = []string{"cidrBlock"}, props.Map{"cidrBlock": "10.0.0.0/16"},
		props.Map{"cidrBlock": "10.8.0.0/16"}
	assert.Equal(t, `  - delete  subnet old-1  [refused]
  ± replace VPC vpc
      ~ cidrBlock: 10.0.0.0/16 -> 10.8.0.0/16  (replaces it)
  - delete  elastic IP eip
  - delete  subnet old-2
  + 2 subnets: a, b
2 to create, 1 to replace, 3 to delete
`, Text(&p, Layout{Width: 80, Refused: []changes.Refusal{{Name: "old-1", Change: changes.Delete}}}))
}

func TestTheDeletionsOfADestroyAreGroupedAsTheCreationsAre(t *testing.T) {
	t.Parallel()
	created := creations(t, filepath.Join("..", "features", "picture", "testdata", "states", "public.json"))
	deleted := *created
	deleted.Steps = nil
	for _, step := range created.Steps {
		gone := *step
		gone.Change = changes.Delete
		deleted.Steps = append(deleted.Steps, &gone)
	}
	lines := func(p *changes.Plan, layout Layout) (lines []string) {
		for line := range strings.Lines(Text(p, layout)) {
			if !strings.Contains(line, "to create") && !strings.Contains(line, "to delete") {
				lines = append(lines, strings.Replace(line, "+ ", "- ", 1))
			}
		}
		return lines
	}
	assert.Equal(t, lines(created, Layout{Width: 80}), lines(&deleted, Layout{Width: 80, Destroy: true}))
	assert.Greater(t, len(lines(&deleted, Layout{Width: 80})), len(created.Steps)/2,
		"in an update each deletion has a line")
}

func TestTheSameChangeOfManyResourcesIsWrittenOnce(t *testing.T) {
	t.Parallel()
	var p Builder
	for _, name := range []string{"a", "b"} {
		for _, token := range []string{awstype.Subnet, awstype.VPC} {
			p.Steps = append(p.Steps, &changes.Step{
				URN: token + name, Name: name, Type: token, Custom: true, Change: changes.Update, Old: props.Map{},
				New: props.Map{"tags": m{"owner": "platform"}},
			})
		}
	}
	p.Steps = append(p.Steps, &changes.Step{URN: "c", Name: "c", Type: awstype.VPC, Custom: true, Change: changes.Update, Old: props.Map{}, New: props.Map{"tags": m{"owner": "other"}}})
	assert.Equal(t, `  ~ 4 resources: 2 VPCs, 2 subnets
      + tags.owner: platform
  ~ VPC c
      + tags.owner: other
5 to update
`, Text(&p.Plan, Layout{Width: 80}))
}

func TestLongValuesAreShortenedToWhereTheyDiffer(t *testing.T) {
	t.Parallel()
	common := strings.Repeat("x", 100)
	p := changes.Plan{Steps: []*changes.Step{{
		Name: "r", Type: awstype.Role, Custom: true, Change: changes.Update, Old: props.Map{"a": common + "old"},
		New: props.Map{"a": common + "new"},
	}}}
	text := Text(&p, Layout{Width: 40})
	assert.Contains(t, text, "xold\n")
	assert.Contains(t, text, "xnew\n")
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len([]rune(line)), 41, "%s", line)
	}
	assert.Contains(t, Text(&p, Layout{Details: true}), "~ a: "+common+"old -> "+common+"new\n")
}

// Without its colours the text is the same.
func TestAColourIsNeverTheOnlyCarrierOfMeaning(t *testing.T) {
	t.Parallel()
	p := creations(t, filepath.Join("..", "features", "picture", "testdata", "states", "complete.json"))
	p.Steps[len(p.Steps)-1].Change = changes.Delete
	plain := Text(p, Layout{Width: 80})
	painted := Text(p, Layout{Width: 80, Style: report.Style{Colours: true}})
	assert.NotEqual(t, plain, painted)
	for _, code := range []string{"0", "1", "2", "31", "32", "33", "35", "36"} {
		painted = strings.ReplaceAll(painted, "\x1b["+code+"m", "")
	}
	assert.Equal(t, plain, painted)
}

func TestNamesThatDifferInTheZoneAreOnePhrase(t *testing.T) {
	t.Parallel()
	names := []string{"n-private-us-east-1a", "n-private-us-east-1b", "n-public-us-east-1a", "n-public-us-east-1b",
		"n-main"}
	assert.Equal(t, []string{"private and public in us-east-1a, 1b", "main"}, folded(names, "n", "subnet"))
	assert.Equal(t, []string{"us-gov-west-1a, 1b"},
		folded([]string{"n-nat-us-gov-west-1a", "n-nat-us-gov-west-1b"}, "n", "NAT gateway"))
	assert.Equal(t, []string{"private-nat in us-west-2-lax-1a, us-west-2a"},
		folded([]string{"n-private-us-west-2a-nat", "n-private-us-west-2-lax-1a-nat"}, "n", "route"))
}
