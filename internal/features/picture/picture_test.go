package picture

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

var examples = []string{"public", "public-and-private", "private", "management", "complete", "shared-vpc",
	"privatelink", "capa-private", "capa-public"}

// state reads one of the recorded states of the examples.
func state(t testing.TB, name string) []apitype.ResourceV3 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "states", name+".json"))
	require.NoError(t, err)
	var resources []apitype.ResourceV3
	require.NoError(t, json.Unmarshal(text, &resources))
	return resources
}

// input returns the picture of an example with its cost.
func input(t testing.TB, name string) Input {
	t.Helper()
	prices, err := price.Builtin()
	require.NoError(t, err)
	resources := state(t, name)
	cost := prices.Estimate(resources)
	return Input{Stack: name, Subtitle: "as of its last update", Resources: resources, Cost: &cost, Label: func(token string) string { return last(token, ":") }}
}

func TestAnExistingNetworkIsDrawnDashedInItsZones(t *testing.T) {
	t.Parallel()
	in := input(t, "private")
	in.Existing = []config.Existing{
		{Kind: config.ExistingVPC, Name: "vpc-theirs"},
		{Kind: config.ExistingPrivateSubnet, Name: "subnet-theirs", VPC: "vpc-theirs", Zone: "us-east-1f"},
	}
	text, err := HTML(in)
	require.NoError(t, err)
	for _, part := range []string{
		`data-outside="existing vpc-theirs"`, ">existing private subnet</text>", ">subnet-theirs</text>", ">us-east-1f</text>",
		`<i class="dashed"></i>not in the stack`, "</i>Hosted zones</li>",
	} {
		assert.Contains(t, string(text), part)
	}
}

func TestAnAccountIsNamedByItsRoleAndNumber(t *testing.T) {
	t.Parallel()
	provider := func(inputs map[string]any) *item {
		return &item{ResourceV3: apitype.ResourceV3{
			URN:  "urn:pulumi:a::b::pulumi:providers:aws::default_6_83_4",
			Type: "pulumi:providers:aws", Custom: true, Inputs: inputs,
		}}
	}
	assert.Equal(t, "the stack's own", provider(nil).name())
	for _, inputs := range []map[string]any{
		{"assumeRole": `{"roleArn":"arn:aws:iam::222222222222:role/deploy"}`},
		{"assumeRole": map[string]any{"roleArn": "arn:aws-us-gov:iam::222222222222:role/deploy"}},
		{"assumeRoles": `[{"roleArn":"arn:aws:iam::111111111111:role/hub"},{"roleArn":"arn:aws:iam::222222222222:role/spoke"}]`},
		{"allowedAccountIds": `["222222222222"]`}, {"allowedAccountIds": []any{"222222222222"}},
	} {
		assert.Equal(t, "222222222222", provider(inputs).configuredAccount(), "%v", inputs)
	}
	assert.Empty(t, provider(map[string]any{"region": "us-east-1"}).configuredAccount())
}

func TestThePlanOfANewStackNamesItsAccounts(t *testing.T) {
	t.Parallel()
	provider := func(name, role string) apitype.ResourceV3 {
		r := apitype.ResourceV3{
			URN:  resource.URN("urn:pulumi:a::b::pulumi:providers:aws::" + name),
			Type: "pulumi:providers:aws", Custom: true,
		}
		if role != "" {
			r.Inputs = map[string]any{"assumeRoles": `[{"roleArn":"arn:aws:iam::` + role + `:role/deployer"}]`}
		}
		return r
	}
	in := Input{
		Resources: []apitype.ResourceV3{
			provider("default_7", ""), provider(config.ManagementAccountProvider, "222222222222"),
			provider(config.VPCOwnerAccountProvider, "333333333333"), provider("hub-account", "444444444444"),
		},
		Accounts: map[string]string{"": "111111111111"},
		Existing: []config.Existing{{Kind: config.ExistingClientVPC, Name: "vpc-hub", Provider: "hub-account"}},
	}
	var titles []string
	p := newPage(in)
	for _, panel := range p.panels {
		titles = append(titles, panel.title())
	}
	assert.Equal(t, []string{
		"VPC owner account 333333333333", "Cluster account 111111111111", "Account hub 444444444444",
		"Management account 222222222222",
	}, titles)
	assert.Contains(t, p.svg(), ">in account 444444444444</text>")
	in.Accounts = nil
	assert.Equal(t, "Cluster account", newPage(in).panels[1].title(), "its number is not known")
}

func TestATextFillsItsBoxAndIsNoWider(t *testing.T) {
	t.Parallel()
	for _, f := range []font{plain, bold, mono} {
		for _, text := range []string{strings.Repeat("W", 40), strings.Repeat("i", 90), "A 10.0.0.0/16 → " + strings.Repeat("a-b.", 20)} {
			short := f.shorten(text, 230)
			assert.LessOrEqual(t, f.width(short), 230.0, short)
			assert.Greater(t, f.width(short), 205.0, "the room is used: %s", short)
			assert.Contains(t, short, "…")
		}
		assert.Equal(t, "network-vpc", f.shorten("network-vpc", 230))
	}
}

// layered returns an input with something in every layer.
func layered(t testing.TB) Input {
	t.Helper()
	in := input(t, "public-and-private")
	in.Changes, in.Drift, in.Findings = map[string]Change{}, map[string]string{}, map[string]string{}
	for _, r := range in.Resources {
		switch r.URN.Name() {
		case "network-nat-us-east-1b", "network-eip-us-east-1b":
			in.Changes[string(r.URN)] = Delete
		case "network-private-us-east-1b-nat":
			in.Changes[string(r.URN)] = Update
		case "network-local-zone":
			in.Changes[string(r.URN)] = Create
		case "network-private-zone":
			in.Changes[string(r.URN)] = Import
		case "network-private-us-east-1a":
			in.Drift[string(r.URN)] = "its tags differ"
		case "network-endpoints":
			in.Findings[string(r.URN)] = "open-ingress"
		}
	}
	in.Paths = []status.Path{
		{Name: "node in us-east-1c -> internet", Hops: []status.Hop{{Name: "network-private-us-east-1c", Kind: "subnet"},
			{Name: "network-nat-us-east-1c", Kind: "NAT gateway", Why: "is gone", Verdict: status.Breaks}}},
		{Name: "user -> public load balancer", Absent: "not in this mode"},
	}
	return in
}

func TestGoldenPages(t *testing.T) {
	t.Parallel()
	for _, name := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden.Require(t, "testdata/"+name+".svg", string(SVG(input(t, name))))
			golden.Require(t, "testdata/"+name+".md", string(Markdown(input(t, name))))
		})
	}
	page, err := HTML(layered(t))
	require.NoError(t, err)
	golden.Require(t, "testdata/layers.html", string(page))
	golden.Require(t, "testdata/layers.md", string(Markdown(layered(t))))
}

func TestNoTwoBoxesOverlapAndEveryBoxIsOnThePage(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // test data
	check := func(resources []apitype.ResourceV3) {
		d := layOut(boxesOf(newGraph(resources, nil)))
		for i, a := range d.boxes {
			require.True(t, a.x >= 0 && a.y >= 0 && a.x+a.w <= d.w && a.y+a.h <= d.h, "%s is beyond the page", a.URN)
			for _, b := range d.boxes[i+1:] {
				apart := a.x+a.w <= b.x || b.x+b.w <= a.x || a.y+a.h <= b.y || b.y+b.h <= a.y
				require.True(t, apart, "%s overlaps %s", a.URN, b.URN)
			}
		}
	}
	for _, name := range examples {
		whole := state(t, name)
		check(whole)
		for range 30 { // also of states that something is missing from
			some := slices.DeleteFunc(slices.Clone(whole), func(apitype.ResourceV3) bool { return random.IntN(3) == 0 })
			random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
			check(some)
		}
	}
}

func TestEveryResourceAppearsOnce(t *testing.T) {
	t.Parallel()
	urns := regexp.MustCompile(`data-urn="([^"]*)"`)
	for _, name := range examples {
		var want, got []string
		for _, r := range state(t, name) {
			if r.Custom && r.Type != "pulumi:pulumi:StackReference" && r.Type != "pulumi:providers:pulumi" {
				want = append(want, escape(string(r.URN)))
			}
		}
		for _, match := range urns.FindAllSubmatch(SVG(input(t, name)), -1) {
			got = append(got, string(match[1]))
		}
		slices.Sort(want)
		slices.Sort(got)
		assert.Equal(t, want, got, name)
	}
}

func TestTheDrawingIsWellFormedAndIndependentOfOrder(t *testing.T) {
	t.Parallel()
	in := layered(t)
	drawn := SVG(in)
	decoder := xml.NewDecoder(bytes.NewReader(drawn))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	slices.Reverse(in.Resources)
	assert.Equal(t, string(drawn), string(SVG(in)))
}

func TestASubnetIsConnectedToItsNATGateway(t *testing.T) {
	t.Parallel()
	d := layOut(boxesOf(newGraph(state(t, "public-and-private"), nil)))
	var drawn []string
	for _, e := range d.edges {
		if e.drawn {
			drawn = append(drawn, e.from.name()+" -> "+e.to.name())
		}
	}
	assert.Subset(t, drawn, []string{
		"network-private-us-east-1a -> network-private-us-east-1a", "network-private-us-east-1a -> network-nat-us-east-1a",
		"network-public-us-east-1a -> network-public", "network-public -> network-igw", "network-public -> network-s3",
	})
	for _, b := range d.boxes {
		if b.name() == "network-nat-us-east-1b" {
			assert.Equal(t, "us-east-1b", b.zone)
		}
	}
}

func TestAnEndpointLeadsToItsService(t *testing.T) {
	t.Parallel()
	d := layOut(boxesOf(newGraph(state(t, "privatelink"), nil)))
	assert.True(t, slices.ContainsFunc(d.edges, func(e edge) bool {
		return e.drawn && e.from.name() == "private-link" && e.to.name() == "private-link-service"
	}))
}

func TestSecretsAndPoliciesAreNotDrawn(t *testing.T) {
	t.Parallel()
	in := input(t, "complete")
	for i, r := range in.Resources {
		if r.Type == awstype.Record {
			in.Resources[i].Inputs["records"] = []any{"hunter2"}
			in.Resources[i].Outputs["records"] = []any{"hunter2"}
			in.Resources[i].Inputs["type"], in.Resources[i].Outputs["type"] = "TXT", "TXT"
		}
		if r.Type == awstype.VPC {
			in.Resources[i].Outputs["cidrBlock"] = map[string]any{
				"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
				"ciphertext":                       "hunter2",
			}
			delete(in.Resources[i].Inputs, "cidrBlock")
		}
	}
	page, err := HTML(in)
	require.NoError(t, err)
	for _, drawn := range [][]byte{page, SVG(in), Markdown(in)} {
		for _, secret := range []string{"hunter2", "ciphertext", "c2VjcmV0", "AssumeRole"} {
			assert.NotContains(t, string(drawn), secret)
		}
	}
}

func TestNamesCannotBreakOutOfThePage(t *testing.T) {
	t.Parallel()
	in := input(t, "private")
	in.Stack = `<script>alert(1)</script>`
	for i, r := range in.Resources {
		if r.Type == awstype.VPC {
			in.Resources[i].Outputs["cidrBlock"] = `"><script>alert(2)</script>`
		}
	}
	page, err := HTML(in)
	require.NoError(t, err)
	assert.NotContains(t, string(page), "<script>alert")
	assert.Equal(t, 1, strings.Count(string(page), "<script>"))
}

func TestThePageOfThreeZonesIsSmall(t *testing.T) {
	t.Parallel()
	page, err := HTML(layered(t))
	require.NoError(t, err)
	assert.Less(t, len(page), 300_000)
	assert.NotRegexp(t, `(src|href)="https?://(?:[^c]|c[^o])`, string(page), "nothing is loaded; the only links are to AWS's console")
}

func TestAPlanHasNoIDsForNewResources(t *testing.T) {
	t.Parallel()
	in := layered(t)
	for i, r := range in.Resources {
		if r.URN.Name() == "network-local-zone" {
			in.Resources[i].ID = "network-local-zone"
		}
	}
	text := string(Markdown(in))
	assert.Contains(t, text, `["+ Zone<br>network-local-zone<br>demo.hypershift.local`)
}

func TestAnImportedResourceHasItsIDAndIsNotCreated(t *testing.T) {
	t.Parallel()
	text := string(Markdown(layered(t)))
	assert.Regexp(t, `\["= Zone<br>network-private-zone<br>Z\w+<br>`, text)
	assert.Contains(t, text, "1 to create · 1 to update · 2 to delete · 1 to import")
}

func BenchmarkPageOfThreeZones(b *testing.B) {
	in := layered(b)
	for b.Loop() {
		_, _ = HTML(in)
	}
}

func TestWhatOthersAddedIsDashedInItsOwnersBox(t *testing.T) {
	t.Parallel()
	in := input(t, "public-and-private")
	before := newGraph(in.Resources, nil).managed()
	table := slices.IndexFunc(in.Resources, func(r apitype.ResourceV3) bool {
		return string(r.Type) == awstype.RouteTable
	})
	require.GreaterOrEqual(t, table, 0)
	in.Added = []apitype.ResourceV3{{
		URN: "added::" + awstype.Route + "::r-1", Custom: true, ID: "r-1", Type: awstype.Route,
		Provider: in.Resources[table].Provider,
		Outputs: map[string]any{
			"routeTableId": string(in.Resources[table].ID), "destinationCidrBlock": "10.99.0.0/16", "gatewayId": "igw-1",
		},
	}}
	p := newPage(in)
	require.Equal(t, before, p.graph.managed(), "it is no resource of the stack")
	drawn := p.svg()
	require.Regexp(t, `<g class="line" id="r\d+" data-outside="added::[^"]*r-1"><title>added outside the stack r-1[^<]*</title><rect class="frame"`, drawn)
	require.Contains(t, drawn, "10.99.0.0/16")
	require.NotContains(t, newPage(input(t, "public-and-private")).svg(), "added outside the stack")
}
