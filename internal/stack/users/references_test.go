package users

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/trial"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// wholeManagement returns a config of a management stack that uses every key on which clusters depend.
func wholeManagement() *config.Management {
	return &config.Management{PrerequisitesArgs: management.PrerequisitesArgs{
		OIDCBucket: management.OIDCBucketArgs{Name: "demo-oidc"},
		Zone:       &management.ZoneArgs{Domain: "clusters.example.com"},
		EtcdKey:    &management.EtcdKeyArgs{Alias: "etcd", Accounts: input.Strings("210987654321")},
	}}
}

// etcdKeys is how many keys for etcd the account has.
const etcdKeys = 3

// etcdKey returns the ARN of one of them.
func etcdKey(i int) string {
	return fmt.Sprintf("arn:aws:kms:us-east-1:123456789012:key/00000000-0000-4000-8000-%012d", i)
}

// deployed returns the outputs that a management stack with a config has after its update.
func deployed(m *config.Management) map[string]any {
	base, distribution := "https://"+m.OIDCBucket.Name+".s3.us-east-1.amazonaws.com", ""
	if m.OIDCBucket.Access.OrDefault() != management.PublicRead {
		distribution = "of-" + m.OIDCBucket.Name + ".cloudfront.net"
		base = "https://" + distribution
		if d := m.OIDCBucket.Distribution; d != nil {
			base = "https://" + cmp.Or(d.Domain, distribution)
		}
	}
	outputs := map[string]any{
		"kind": string(config.KindManagement), "accountID": "123456789012", "region": "us-east-1",
		"bucketName": m.OIDCBucket.Name, "issuerBaseURL": base, "distributionDomain": distribution,
		"zoneDomain": "", "etcdKeyARN": "", "etcdKeyAccounts": []any{}, "registryBucketName": m.RegistryBucketName,
	}
	if m.Zone != nil {
		outputs["zoneDomain"] = m.Zone.Domain
	}
	if m.EtcdKey != nil {
		outputs["etcdKeyARN"] = etcdKey(len(m.EtcdKey.Alias) % etcdKeys)
		accounts := []any{}
		for _, account := range input.Texts(m.EtcdKey.Accounts) {
			accounts = append(accounts, account)
		}
		outputs["etcdKeyAccounts"] = accounts
	}
	return outputs
}

// keys lists the config keys below a value, with the place of each. An account is one key: no cluster takes it from the
// stack.
func keys(path string, v reflect.Value) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	if path != "" && v.Kind() != reflect.Struct {
		all[path] = v
	}
	if v.Type() == reflect.TypeFor[*config.Account]() {
		return all
	}
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				maps.Copy(all, keys(strings.TrimPrefix(path+"."+field.Name, "."), v.Field(i)))
			}
		}
	}
	return all
}

// edit draws what a key of a type has after an edit: nothing, or any value.
func edit(t *rapid.T, path string, of reflect.Type) reflect.Value {
	if rapid.Bool().Draw(t, path+" is removed") {
		return reflect.Zero(of)
	}
	word := func() string { return rapid.StringMatching(`[a-z][a-z0-9]{0,8}\.example\.com`).Draw(t, path) }
	switch of {
	case reflect.TypeFor[pulumi.StringInput]():
		made := reflect.New(of).Elem()
		made.Set(reflect.ValueOf(pulumi.String(word())))
		return made
	case reflect.TypeFor[[]pulumi.StringInput]():
		return reflect.ValueOf(input.Strings(rapid.StringMatching(`[0-9]{12}`).Draw(t, path)))
	case reflect.TypeFor[management.DocumentAccess]():
		return reflect.ValueOf(rapid.SampledFrom([]management.DocumentAccess{management.PublicRead,
			management.ThroughCloudFront}).Draw(t, path))
	case reflect.TypeFor[*config.Account]():
		return reflect.ValueOf(&config.Account{Profile: word()})
	case reflect.TypeFor[[]string]():
		return reflect.ValueOf([]string{"--" + word()})
	case reflect.TypeFor[map[string]string]():
		return reflect.ValueOf(map[string]string{word(): word()})
	}
	made := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String:
		made.SetString(word())
	case reflect.Bool:
		made.SetBool(true)
	case reflect.Pointer:
		made.Set(reflect.New(of.Elem()))
		all := keys(path, made.Elem())
		for _, path := range slices.Sorted(maps.Keys(all)) {
			all[path].Set(edit(t, path, all[path].Type()))
		}
	default:
		t.Fatalf("%s: no edit of a %s is known", path, of)
	}
	return made
}

// TestNoEditOfAManagementStackChangesAnExistingCluster: whatever a management stack's config gains, changes and loses,
// the programs of its existing clusters register the same objects and the same resources of AWS. A new cluster takes
// what the stack has then.
func TestNoEditOfAManagementStackChangesAnExistingCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pull-secret.json"), []byte(`{"auths":{}}`), 0o600))
	existing := []config.Existing{{Kind: config.ExistingPublicZone, Name: "example.com"}}
	for i := range etcdKeys {
		existing = append(existing, config.Existing{Kind: config.ExistingKMSKey, Name: etcdKey(i)})
	}
	account, err := inmemory.Serve(inmemory.Options{
		Dir: dir, Interrupts: &engine.Interrupts{}, Report: func(report.Event) {}, Existing: existing,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, account.Close()) })
	port, _, _ := strings.Cut(strings.TrimPrefix(account.Providers(), "aws:"), ",")
	clusterWith := func(t *rapid.T, outputs map[string]any, kept trial.Options) map[string]any {
		kept.Project, kept.Stack, kept.Program = "hypershift-aws", "demo", stacks.RunIn(dir)
		kept.Address, kept.Reference = "127.0.0.1:"+port, func(string) map[string]any { return outputs }
		kept.Settings = map[string]any{"region": "us-east-1"}
		kept.Config = map[string]string{
			"aws:region": "us-east-1", "hypershift-aws:kind": "cluster",
			"hypershift-aws:cluster": `{"name":"demo","infraID":"demo-x1","baseDomain":"example.com","endpointAccess":"PublicAndPrivate",
				"management":"management","network":{"zones":["us-east-1a"]},"hostedCluster":{"kubeconfig":{"context":"management"},
				"release":"quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64","pullSecret":"pull-secret.json",
				"nodePools":[{"zone":"us-east-1a","replicas":2}]}}`,
		}
		registered, err := trial.Run(t.Context(), kept)
		require.NoError(t, err)
		all := map[string]any{}
		for _, r := range registered {
			if r.Type == "kubernetes:core/v1:Secret" { // a new key of etcd is generated in every run, and kept by the engine
				delete(r.Inputs, "data")
				delete(r.Inputs, "stringData")
			}
			all[r.URN] = r.Inputs
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) *config.Management {
			m := wholeManagement()
			for range rapid.IntRange(0, 4).Draw(t, "edits of the stack "+label) {
				all := keys("", reflect.ValueOf(m).Elem())
				path := rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(t, "key")
				all[path].Set(edit(t, path, all[path].Type()))
			}
			m.OIDCBucket.Name = cmp.Or(m.OIDCBucket.Name, "demo-oidc") // a stack always has one
			return m
		}
		before, after := deployed(draw("before")), deployed(draw("after"))
		inherits := func(outputs map[string]any) string {
			return fmt.Sprint(outputs["etcdKeyARN"], " ", outputs["zoneDomain"], " ", outputs["issuerBaseURL"])
		}
		created := clusterWith(t, before, trial.Options{})
		switch rapid.SampledFrom([]string{"recorded", "recorded by an earlier version",
			"interrupted after its HostedCluster was created", "new"}).Draw(t, "cluster") {
		case "recorded":
			require.Equal(t, created, clusterWith(t, after, trial.Options{Stashed: map[string]map[string]any{"inherited": {
				"etcdKeyARN": before["etcdKeyARN"], "zoneDomain": before["zoneDomain"], "issuerBaseURL": before["issuerBaseURL"],
			}}}))
		case "recorded by an earlier version":
			require.Equal(t, created, clusterWith(t, after, trial.Options{Outputs: map[string]any{
				"kind": string(config.KindCluster), "externalDNSDomain": before["zoneDomain"], "iam": map[string]any{
					"kmsKeyARN": before["etcdKeyARN"], "infraID": "demo-x1",
					"issuerURL": fmt.Sprint(before["issuerBaseURL"], "/demo-x1"),
				},
			}}))
		case "interrupted after its HostedCluster was created":
			state := map[string]any{}
			for urn, inputs := range created {
				if token := string(resource.URN(urn).Type()); strings.HasSuffix(token, ":HostedCluster") {
					state[urn] = map[string]any{"type": token, "outputs": inputs}
				}
			}
			require.Len(t, state, 1)
			require.Equal(t, created, clusterWith(t, after, trial.Options{Resources: state}))
		default: // the comparison can fail: a new cluster takes other values
			if inherits(before) != inherits(after) {
				require.NotEqual(t, created, clusterWith(t, after, trial.Options{}))
			}
		}
	})
}

func TestAValueThatClustersUseIsWithdrawnByRemovingOrReplacingIt(t *testing.T) {
	t.Parallel()
	outputs := deployed(wholeManagement())
	clusterIn := func(account string) map[string]any {
		return map[string]any{
			"kind": string(config.KindCluster), "externalDNSDomain": outputs["zoneDomain"],
			"iam": map[string]any{
				"kmsKeyARN": outputs["etcdKeyARN"],
				"issuerURL": fmt.Sprint(outputs["issuerBaseURL"], "/demo-x1"),
			},
			"infra": map[string]any{"clusterAccountID": account},
		}
	}
	uses, own := clusterIn("210987654321"), clusterIn("123456789012")
	usesNone := map[string]any{
		"kind": string(config.KindCluster), "externalDNSDomain": "apps.example.com",
		"iam":   map[string]any{"kmsKeyARN": "", "issuerURL": "https://issuer.example.com/demo-x1"},
		"infra": map[string]any{"clusterAccountID": "210987654321"},
	}
	for name, test := range map[string]struct {
		edit func(*config.Management)
		// want are the keys that a cluster in the account of etcdKey.accounts uses, wantOwn those that one in the stack's
		// account uses.
		want, wantOwn []string
	}{
		"no edit":               {func(*config.Management) {}, nil, nil},
		"the key":               {func(m *config.Management) { m.EtcdKey = nil }, []string{"etcdKey"}, []string{"etcdKey"}},
		"an account of the key": {func(m *config.Management) { m.EtcdKey.Accounts = nil }, []string{"etcdKey.accounts"}, nil},
		"another account added": {func(m *config.Management) {
			m.EtcdKey.Accounts = input.Strings("1", "210987654321")
		}, nil, nil},
		"the zone": {func(m *config.Management) { m.Zone = nil }, []string{"zone"}, []string{"zone"}},
		"the zone's domain": {func(m *config.Management) {
			m.Zone.Domain = "other.example.com"
		}, []string{"zone"}, []string{"zone"}},
		"the OIDC bucket": {func(m *config.Management) {
			m.OIDCBucket.Name = "other"
		}, []string{"oidcBucket"}, []string{"oidcBucket"}},
		"the bucket's access": {
			func(m *config.Management) { m.OIDCBucket.Access = management.ThroughCloudFront }, []string{"oidcBucket"},
			[]string{"oidcBucket"},
		},
		"tags": {func(m *config.Management) { m.Tags = map[string]string{"team": "platform"} }, nil, nil},
	} {
		m := wholeManagement()
		test.edit(m)
		usedBy := func(cluster map[string]any) []string {
			var used []string
			for _, w := range withdrawals(outputs, m) {
				if w.UsedBy(cluster) {
					used = append(used, strings.TrimPrefix(w.Path, config.ManagementKey+"."))
				}
			}
			return used
		}
		require.Equal(t, test.want, usedBy(uses), name)
		require.Equal(t, test.wantOwn, usedBy(own), name)
		require.Empty(t, usedBy(usesNone), name)
	}
}

// A network keeps what its clusters use, and nothing else: a change that takes nothing from them is not one of these,
// and the guard has the subnets.
func TestANetworkKeepsWhatItsClustersUse(t *testing.T) {
	t.Parallel()
	outputs := map[string]any{
		"infraID": "own-x1", "clusters": []any{"green-x1", "red-x1"}, "endpointAccess": "PublicAndPrivate",
	}
	cluster := func(infraID, zone string) map[string]any {
		return map[string]any{"infraID": infraID, "publicZoneID": zone}
	}
	for name, test := range map[string]struct {
		file config.Network
		want []string
	}{
		"nothing": {config.Network{
			Clusters:       []string{"red-x1", "green-x1", "blue-x1"},
			EndpointAccess: "PublicAndPrivate",
		}, nil},
		"a cluster": {config.Network{Clusters: []string{"red-x1"}, EndpointAccess: "PublicAndPrivate"},
			[]string{"hypershift-aws:network.clusters green"}},
		"access": {config.Network{Clusters: []string{"red-x1", "green-x1"}, EndpointAccess: "Private"},
			[]string{"hypershift-aws:network.endpointAccess green"}},
		"the network itself": {config.Network{
			Cluster:        hypershift.Cluster{InfraID: "own-x2"},
			Clusters:       []string{"red-x1", "green-x1"},
			EndpointAccess: "PublicAndPrivate",
		}, []string{"hypershift-aws:network.infraID own"}},
	} {
		var got []string
		if test.file.InfraID == "" {
			test.file.InfraID = "own-x1"
		}
		for _, w := range networkWithdrawals(outputs, &test.file) {
			for user, cluster := range map[string]map[string]any{
				"green": cluster("green-x1", "Z1"), "red": cluster("red-x1", ""), "blue": cluster("blue-x1", "Z1"),
				"own": cluster("own-x1", "Z1"),
			} {
				if w.UsedBy(cluster) {
					got = append(got, w.Path+" "+user)
				}
			}
		}
		slices.Sort(got)
		require.Equal(t, test.want, got, name)
	}
}
