package fleet

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
)

// tryGenerate makes stack files from a table, and a template unless it is "".
func tryGenerate(t *testing.T, name, table, template string, files map[string]string) ([]Generated, error) {
	t.Helper()
	all := map[string]string{name: table}
	for file, text := range files {
		all[file] = text
	}
	if template != "" {
		all["template.yaml"] = template
	}
	dir := write(t, all)
	if template != "" {
		template = filepath.Join(dir, "template.yaml")
	}
	p, err := project.Open(dir)
	require.NoError(t, err)
	return Generate(p, filepath.Join(dir, name), template)
}

const smallTemplate = `config:
  aws:region: us-east-1
  aws:allowedAccountIds: ["${account}"]
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: c-${stack}
    baseDomain: example.com
    oidc: {bucketName: demo-oidc}
    network: {zones: ["${zone}"], vpcCIDR: "${cidr}"}
`

func TestEachRowOfATableDescribesAStack(t *testing.T) {
	t.Parallel()
	made, err := tryGenerate(t, "c.csv", "# comment\nstack, account, zone, cidr, network.nat\na,012345678901,us-east-1a,10.1.0.0/16,Single\nb,111111111111,us-east-1b,10.2.0.0/16,\n", smallTemplate, nil)
	require.NoError(t, err)
	require.Len(t, made, 2)
	assert.Equal(t, "012345678901", made[0].Account, "a quoted placeholder stays a string")
	assert.Equal(t, []string{"10.1.0.0/16"}, made[0].CIDRs)
	assert.Contains(t, string(made[0].Text), "nat: Single")
	assert.Contains(t, string(made[0].Text), "name: c-a")
	assert.NotContains(t, string(made[1].Text), "nat", "an empty value leaves the key out")
}

func TestAClusterWithoutAnInfraIDGetsARandomOneThatItKeeps(t *testing.T) {
	t.Parallel()
	const table = "stack,account,zone,cidr\na,012345678901,us-east-1a,10.1.0.0/16\n"
	generate := func(before map[string]string) string {
		made, err := tryGenerate(t, "c.csv", table, smallTemplate, before)
		require.NoError(t, err)
		require.Equal(t, before != nil, made[0].Same())
		return string(made[0].Text)
	}
	first := generate(nil)
	require.Regexp(t, `(?m)^    infraID: c-a-[a-z0-9]{5}$`, first)
	require.NotEqual(t, first, generate(nil), "another table with the same stack")
	require.Equal(t, first, generate(map[string]string{"Pulumi.a.yaml": first}))
	earlier := regexp.MustCompile(`(?m)^    infraID: .*\n`).ReplaceAllString(first, "")
	require.Equal(t, earlier, generate(map[string]string{"Pulumi.a.yaml": earlier}), "a file of an earlier version")
}

func TestATableNeedsNoTemplate(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{
		"c.csv": "stack,name,baseDomain,oidc.bucketName,aws:region,aws:assumeRole.roleArn,network.zones,tags.env,network.publicOnly\n" +
			"a,a,example.com,demo-oidc,us-east-1,arn:aws:iam::111111111111:role/x,us-east-1a;us-east-1b,007,true\n",
		"c.yaml": "- {stack: a, name: a, baseDomain: example.com, oidc.bucketName: demo-oidc, aws:region: us-east-1, aws:assumeRole: {roleArn: 'arn:aws:iam::111111111111:role/x'}, " +
			"network.zones: [us-east-1a, us-east-1b], tags: {env: '007'}, network.publicOnly: true}\n",
	} {
		made, err := tryGenerate(t, name, table, "", nil)
		require.NoError(t, err, name)
		require.Len(t, made, 1)
		assert.Equal(t, "111111111111", made[0].Account)
		assert.Equal(t, map[string]string{"env": "007"}, made[0].Tags)
		assert.Contains(t, string(made[0].Text), "zones: [us-east-1a, us-east-1b]")
	}
}

func TestAnInvalidRowIsReportedWithItsPosition(t *testing.T) {
	t.Parallel()
	const header = "stack,account,zone,cidr,network.nat\n"
	const right = "a,111111111111,us-east-1a,10.1.0.0/16,Single\n"
	for want, table := range map[string]string{
		`c.csv:3:27: cidr: "10.2.0.0/28"`:                                               header + right + "b,111111111111,us-east-1b,10.2.0.0/28,\n",
		`c.csv:3:39: network.nat: "Many"`:                                               header + right + "b,111111111111,us-east-1b,10.2.0.0/16,Many\n",
		`c.csv:3: stack is missing or empty`:                                            header + right + ",111111111111,us-east-1b,10.2.0.0/16,\n",
		`c.csv:3: zone is missing or empty; set it: line 9 of`:                          header + right + "b,111111111111,,10.2.0.0/16,\n",
		`c.csv:3:1: stack: "a" is also the stack of line 2`:                             header + right + right,
		`c.csv:2:1: stack: "a/b" cannot be a stack's name`:                              header + strings.Replace(right, "a", "a/b", 1),
		`c.csv:3:1: wrong number of fields`:                                             header + right + "b,1\n",
		`c.csv: is empty`:                                                               "",
		`c.csv: has no rows`:                                                            header,
		`c.csv:2:39: network.natt is not a key`:                                         strings.Replace(header, "nat", "natt", 1) + right,
		`c.csv:2:39: network.zones.x: "Single" is within a value that is not a mapping`: strings.Replace(header, "network.nat", "network.zones.x", 1) + right,
	} {
		_, err := tryGenerate(t, "c.csv", table, smallTemplate, nil)
		require.NotEmpty(t, fault.In(err), want)
		assert.ErrorContains(t, err, want)
	}
}

func TestAChangedRowUpdatesItsFileAndKeepsWhatTheTableDoesNotHave(t *testing.T) {
	t.Parallel()
	const table = "stack,account,zone,cidr,network.nat\na,111111111111,us-east-1a,10.1.0.0/16,Single\nb,111111111111,us-east-1a,10.2.0.0/16,\n"
	made, err := tryGenerate(t, "c.csv", table, smallTemplate, nil)
	require.NoError(t, err)
	before := "# mine\n" + string(made[0].Text) + "encryptionsalt: v1:abc\n"

	made, err = tryGenerate(t, "c.csv", table, smallTemplate, map[string]string{"Pulumi.a.yaml": before})
	require.NoError(t, err)
	assert.True(t, made[0].Same(), "a comment and the salt are no values of the table")
	assert.False(t, made[1].Same())
	written, err := Write(made)
	require.NoError(t, err)
	assert.Equal(t, 1, written)
	text, err := os.ReadFile(made[0].Path)
	require.NoError(t, err)
	assert.Equal(t, before, string(text))

	made, err = tryGenerate(t, "c.csv", strings.Replace(table, "Single", "PerZone", 1), smallTemplate,
		map[string]string{"Pulumi.a.yaml": before})
	require.NoError(t, err)
	assert.Equal(t, []event.Value{{Path: `["hypershift-aws:cluster"].network.nat`, Old: "Single", New: "PerZone"}}, made[0].Changes)
	written, err = Write(made)
	require.NoError(t, err)
	assert.Equal(t, 2, written)
	text, err = os.ReadFile(made[0].Path)
	require.NoError(t, err)
	infraID := regexp.MustCompile(`infraID: .*`).FindString(before)
	assert.Contains(t, string(text), infraID)
	assert.Contains(t, string(text), "encryptionsalt: v1:abc\n")
	assert.Contains(t, string(text), "nat: PerZone")

	_, err = tryGenerate(t, "c.csv", table, smallTemplate, map[string]string{"Pulumi.b.yaml": "config: ["})
	assert.ErrorContains(t, err, "has a file that cannot be read")
}
