package conformance

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// awsPlugin is the AWS provider that judges the account in memory.
var awsPlugin = flag.String("aws-plugin", "", "a folder that has pulumi-resource-aws, for the tests that compare the account in memory with it")

// lived is what became of a life, with names in place of IDs.
type lived struct {
	// steps are, by config, what the engine did; after them, what the next preview and refresh would do, and what the
	// deletion did.
	steps map[string][]string
	// properties are, by resource and input or output, the values after each config.
	properties map[string]string
	// requests are the provider's that change something, without repetitions, by config and for the deletion.
	requests map[string][]string
}

// TestTheAccountInMemoryIsLikeTheAWSProvider compares a life in the account in memory with the same life by an AWS
// provider against moto: what the engine did, what the next preview and refresh would change, and each input and output
// in the state. What may differ is in testdata/awsprovider.txt, with the reason.
func TestTheAccountInMemoryIsLikeTheAWSProvider(t *testing.T) {
	t.Parallel()
	if *awsPlugin == "" {
		t.Skip("NOT TESTED: the account in memory against an AWS provider: make conformance AWS_PLUGIN=FOLDER, which make aws-plugin downloads or make aws-provider builds")
	}
	version, err := exec.Command(filepath.Join(*awsPlugin, "pulumi-resource-aws"), "-version").Output()
	require.NoError(t, err)
	t.Logf("the provider is %s", version)
	allowed := readDifferences(t, "awsprovider.txt", strings.Contains(string(version), "hypershift-aws"))
	lives, compared, answered := providerLives(t), map[string]lived{}, map[string]bool{}
	var mu sync.Mutex
	t.Run("lives", func(t *testing.T) {
		for _, life := range lives {
			t.Run(life.name, func(t *testing.T) {
				t.Parallel()
				double := live(t, life, nil, nil)
				provider, calls, account := realAWS(t, givenTo(t, life))
				real := live(t, life.with(account.Text), provider, calls).named(account.Former)
				assert.Equal(t, double.steps, real.steps)
				allowed.requireEqual(t, double, real)
				if !golden.Updates() {
					requireRequests(t, map[string]lived{life.name: real})
				}
				mu.Lock()
				defer mu.Unlock()
				compared[life.name] = real
				for _, action := range calls.Answered() {
					answered[action] = true
				}
			})
		}
	})
	if golden.Updates() {
		requireRequests(t, compared) // the base is not yet in its file while the lives run
		recordInputs(t, lives, compared)
	}
	if len(compared) < len(lives) { // -run has selected some
		return
	}
	for _, answer := range moto.Answers(moto.Provider, nil) {
		assert.True(t, answered[answer.Action], "no life needs the answer to %s", answer.Action)
	}
	allowed.requireUsed(t)
}

// givenTo returns what exists before a life.
func givenTo(t *testing.T, life providerLife) []offline.Seed {
	t.Helper()
	given := slices.Clone(life.given)
	for _, config := range life.configs {
		given = append(given, stackfile.SeedsFor(t, config)...)
	}
	var once []offline.Seed
	names := map[string]bool{}
	for _, seed := range given {
		if !names[seed.String()] {
			names[seed.String()] = true
			once = append(once, seed)
		}
	}
	return once
}

// with returns the life with other texts of its configs.
func (l providerLife) with(text func(string) string) providerLife {
	changed := providerLife{name: l.name, given: l.given}
	for _, config := range l.configs {
		changed.configs = append(changed.configs,
			strings.Replace(text(config), "config:\n", "config:\n  aws:s3UsePathStyle: true\n", 1))
	}
	return changed
}

// namesAccount matches the account in an ARN.
var namesAccount = regexp.MustCompile(`^arn:aws:[a-z]+:[a-z0-9-]*:(\d{12}):`)

// realAWS serves moto, with what exists, to the provider.
func realAWS(t *testing.T, given []offline.Seed) (*enginetest.AWS, *moto.Calls, *moto.Account) {
	t.Helper()
	address := moto.Serve(t, "the AWS provider")
	config := moto.Config(address, "ec2", "route53", "iam", "sts")
	account := moto.NewAccount(t, config)
	account.Role("nodes")
	accounts := map[string]*moto.Account{stackfile.ClusterAccount: account}
	for _, seed := range given {
		in := cmp.Or(seed.Account, stackfile.ClusterAccount)
		if named := namesAccount.FindStringSubmatch(seed.Name); named != nil {
			in = named[1]
		}
		if accounts[in] == nil {
			accounts[in] = otherAccount(t, config, in)
		}
		accounts[in].Give([]offline.Seed{seed})
		if in != stackfile.ClusterAccount {
			account.Rename(seed.Name, accounts[in].Text(seed.Name))
		}
	}
	plugin, err := filepath.Abs(*awsPlugin)
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(plugin, "pulumi-resource-aws"))
	require.NoError(t, err)
	proxy, calls := moto.WatchAs(t, moto.Provider, address)
	return &enginetest.AWS{Plugin: plugin, Endpoint: proxy}, calls, account
}

// deployer is the role by which an account is entered from another one.
func deployer(account string) string { return "arn:aws:iam::" + account + ":role/deployer" }

// otherAccount returns another account of an emulator with a config.
func otherAccount(t *testing.T, config map[string]any, account string) *moto.Account {
	t.Helper()
	there := maps.Clone(config)
	there["assumeRole"] = map[string]any{"roleArn": deployer(account)}
	return moto.NewAccount(t, there)
}

// The settings of a stack's file are those of each request, lookups included: everything is in another account than the
// credentials.
func TestEachLookupIsMadeInTheRoleOfTheFileWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	if *awsPlugin == "" {
		t.Skip("NOT TESTED: a role that an AWS provider assumes: make conformance AWS_PLUGIN=FOLDER")
	}
	const other = "210987654321"
	for name, existing := range map[string]bool{
		"zone":          false, // a record in the parent zone, which is looked up
		"existing-zone": true,  // its records are looked up in the parent zone
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, calls, _ := realAWS(t, nil)
			seeds := stackfile.ManagementSeeds()
			if existing {
				seeds = append(seeds, offline.Seed{Kind: offline.SeedPublicZone, Name: "clusters.example.com"})
			}
			otherAccount(t, moto.Config(provider.Endpoint, "route53", "iam", "sts"), other).Give(seeds)
			stack := enginetest.New(t, stacks.Run, enginetest.Options{AWS: provider})
			config := strings.Replace(stackfile.Management(stackfile.Managements()[name]), "config:\n",
				"config:\n  aws:assumeRole: {roleArn: '"+deployer(other)+"'}\n", 1)
			stack.Configure(strings.ReplaceAll(config, stackfile.ClusterAccount, other))
			require.NotEmpty(t, stack.Up(optup.ProgressStreams(t.Output())))
			records := 0
			for _, r := range stack.State() {
				if r.Type == awstype.Record {
					records++
				}
				if arn, is := r.Outputs["arn"].(string); is && namesAccount.MatchString(arn) {
					require.Contains(t, arn, other, r.URN)
				}
			}
			if !existing {
				require.Positive(t, records, "the record in the parent zone")
			}
			require.Contains(t, fmt.Sprint(calls.Actions()), "ListResourceRecordSets")
			stack.Destroy(optdestroy.ProgressStreams(t.Output()))
		})
	}
}

// live runs a life, in the account in memory if provider is nil. calls are the provider's.
func live(t *testing.T, life providerLife, provider *enginetest.AWS, calls *moto.Calls) lived {
	t.Helper()
	options := enginetest.Options{AWS: provider}
	if provider == nil {
		options.Seeds = givenTo(t, life)
	}
	stack := enginetest.New(t, stacks.Run, options)
	progress := io.Discard
	if provider != nil {
		progress = t.Output()
	}
	became := lived{steps: map[string][]string{}, properties: map[string]string{}, requests: map[string][]string{}}
	ids := map[string]string{}
	note := func(at string) {
		if calls != nil {
			became.requests[at] = linesOf(t, calls.Changes(), ids)
		}
	}
	for i, config := range life.configs {
		stack.Configure(config)
		at := fmt.Sprintf("config %d", i+1)
		became.steps[at] = stepsOf(stack.Up(optup.ProgressStreams(progress)))
		for _, r := range stack.State() {
			if id := string(r.ID); r.Custom && (awsID.FindString(id) == id ||
				strings.HasPrefix(string(r.Type), "aws:cloudfront/")) {
				ids[id] = "<" + r.URN.Name() + ">"
			}
			for _, address := range addressesOf(r) {
				ids[address] = "<address of " + r.URN.Name() + ">"
			}
		}
		note(at)
		became.steps[at+", refreshed"] = stepsOf(stack.Refresh(optrefresh.ProgressStreams(progress)))
		became.steps[at+", previewed"] = stepsOf(stack.Preview(optpreview.ProgressStreams(progress)))
		for key, value := range propertiesOf(t, stack.State()) {
			became.properties[at+" "+key] = value
		}
	}
	became.steps["destroyed"] = stepsOf(stack.Destroy(optdestroy.ProgressStreams(progress)))
	note("destroyed")
	return became
}

// named returns what became of a life with other names of what exists.
func (l lived) named(name func(string) string) lived {
	for at, steps := range l.steps {
		for i, step := range steps {
			steps[i] = name(step)
		}
		slices.Sort(l.steps[at])
	}
	properties := map[string]string{}
	for key, value := range l.properties {
		properties[name(key)] = name(value)
	}
	l.properties = properties
	for _, lines := range l.requests {
		for i, line := range lines {
			lines[i] = name(line)
		}
		slices.Sort(lines)
	}
	return l
}

// stepsOf returns what the engine did, in alphabetical order: the order of what does not depend on each other is AWS's.
func stepsOf(changes enginetest.Changes) []string {
	steps := []string{}
	for _, step := range changes {
		steps = append(steps, string(step.Op)+" "+step.Type+" "+step.Name)
	}
	slices.Sort(steps)
	return steps
}

// awsID matches an ID that AWS, moto or the account in memory has made.
var awsID = regexp.MustCompile(`\b((?:hostedzone/)?Z[0-9A-Z]{12,21}|hostedzone/[0-9A-Z]{12,32}|[0-9A-Z]{22}|[a-z]{1,12}(-assoc)?-[0-9a-f]{8,17}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|A[A-Z]{3}[0-9A-Z]{16,17})\b`)

// addressesOf returns what AWS draws by lot of addresses: the public one of an elastic IP or an instance, the IPv6 CIDR
// of a VPC without its length; none for others. moto writes the groups of a VPC's CIDR with leading zeros, and those of
// its subnets without, so that an address is returned in both forms.
func addressesOf(r apitype.ResourceV3) []string {
	output := map[string]string{
		awstype.ElasticIP: "publicIp",
		awstype.Instance:  "publicIp",
		awstype.VPC:       "ipv6CidrBlock",
	}[string(r.Type)]
	address, _ := r.Outputs[output].(string)
	address = strings.TrimSuffix(address, "/56")
	if address == "" {
		return nil
	}
	if parsed, err := netip.ParseAddr(address); err == nil && parsed.String() != address {
		return []string{address, parsed.String()}
	}
	return []string{address}
}

func TestTheBlockOfAVPCIsRecognizedInSubnetsWithAndWithoutLeadingZeros(t *testing.T) {
	t.Parallel()
	vpc := func(block string) apitype.ResourceV3 {
		return apitype.ResourceV3{Type: awstype.VPC, Outputs: map[string]any{"ipv6CidrBlock": block}}
	}
	for block, want := range map[string][]string{
		"":                         nil,
		"2400:6500:1753:fe00::/56": {"2400:6500:1753:fe00::"},
		"2400:6500:0753:fe00::/56": {"2400:6500:0753:fe00::", "2400:6500:753:fe00::"},
		"2400:6500:0753:0e00::/56": {"2400:6500:0753:0e00::", "2400:6500:753:e00::"},
		"2400:6500:0753:0000::/56": {"2400:6500:0753:0000::", "2400:6500:753::"},
	} {
		require.Equal(t, want, addressesOf(vpc(block)), block)
	}
}

// propertiesOf returns the inputs and outputs of the resources in AWS, without those that are not set: the provider
// writes those as "", null or empty.
func propertiesOf(t *testing.T, state []apitype.ResourceV3) map[string]string {
	t.Helper()
	var pairs []string
	for _, r := range state {
		// The ID of an object in a bucket is its key in AWS's provider, which its inputs name, and in memory the bucket's
		// name and the key.
		if r.Custom && strings.HasPrefix(string(r.Type), "aws:") && len(r.ID) > 8 && r.Type != awstype.BucketObject {
			pairs = append(pairs, string(r.ID), "<"+r.URN.Name()+">")
		}
		for _, address := range addressesOf(r) {
			pairs = append(pairs, address, "<address of "+r.URN.Name()+">")
		}
	}
	names := strings.NewReplacer(pairs...)
	found := map[string]string{}
	for _, r := range state {
		if !r.Custom || !strings.HasPrefix(string(r.Type), "aws:") {
			continue
		}
		for where, properties := range map[string]map[string]any{"in": r.Inputs, "out": r.Outputs} {
			for name, value := range properties {
				if strings.HasPrefix(name, "__") || name == "id" || unset(value) {
					continue
				}
				found[fmt.Sprintf("%s %s %s.%s", r.Type, r.URN.Name(), where, name)] = canonical(t, value, names)
			}
		}
	}
	return found
}

// canonical writes a value as JSON, with names in place of IDs. A text that is a JSON document is parsed, lists are
// sorted, since most are sets, and the bridge's notes on defaults and what is not set are left out.
func canonical(t *testing.T, value any, names *strings.Replacer) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var named any
	require.NoError(t, json.Unmarshal([]byte(awsID.ReplaceAllString(names.Replace(string(text)), "<ID>")), &named))
	text, err = json.Marshal(sorted(named))
	require.NoError(t, err)
	return string(text)
}

func sorted(value any) any {
	switch value := value.(type) {
	case string:
		var document any
		if strings.HasPrefix(value, "{") && json.Unmarshal([]byte(value), &document) == nil {
			return sorted(document)
		}
	case []any:
		list := make([]any, len(value))
		for i, one := range value {
			list[i] = sorted(one)
		}
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		return list
	case map[string]any:
		if value[resource.SigKey] == resource.SecretSig {
			return "<secret>"
		}
		object := map[string]any{}
		for key, one := range value {
			if one = sorted(one); !strings.HasPrefix(key, "__") && !unset(one) {
				object[key] = one
			}
		}
		return object
	}
	return value
}

// unset reports whether a value is what the provider writes for a property that is not set.
func unset(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return !value
	case float64:
		return value == 0
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}
