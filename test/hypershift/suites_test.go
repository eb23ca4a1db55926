package hypershift

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
)

// suiteCase is a case of HyperShift's test suites of its definitions: an object that is created, and perhaps updated.
type suiteCase struct {
	// Suite is the suite's file, without what all names have: "hostedclusters/stable.dns".
	Suite string `json:"suite"`
	// Gates are the feature gates of the definition that the suite tests.
	Gates   []string `json:"gates,omitempty"`
	Name    string   `json:"name"`
	Initial string   `json:"initial"`
	Updated string   `json:"updated,omitempty"`
	// Loosened is true if the object was created by a definition that lacked a rule.
	Loosened bool `json:"loosened,omitempty"`
	// Expected has the object's defaults. Error is part of the API server's refusal, "" if it accepts; of StatusError,
	// only the status is refused, which no stack writes.
	Expected    string `json:"expected,omitempty"`
	Error       string `json:"error,omitempty"`
	StatusError string `json:"statusError,omitempty"`
}

// String names the case.
func (c suiteCase) String() string { return c.Suite + ": " + c.Name }

// suitesPath is the folder of HyperShift's suites in its repository.
const suitesPath = "cmd/install/assets/crds/hypershift-operator/tests"

// recordedSuites has the cases of HyperShift's suites, compressed.
const recordedSuites = "testdata/suites.json.gz"

// suitesIn reads the cases of HostedClusters and NodePools from a checkout.
func suitesIn(t *testing.T, checkout string) (cases []suiteCase) {
	t.Helper()
	for _, plural := range []string{"hostedclusters", "nodepools"} {
		files, err := filepath.Glob(filepath.Join(checkout, suitesPath, plural+".hypershift.openshift.io", "*.testsuite.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, files, plural)
		for _, path := range files {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			type test struct {
				Name, Initial, Updated, Expected   string
				InitialCRDPatches                  []any
				ExpectedError, ExpectedStatusError string
			}
			var suite struct {
				FeatureGates []string
				Tests        struct{ OnCreate, OnUpdate []test }
			}
			require.NoError(t, yaml.Unmarshal(text, &suite), path)
			name := strings.TrimSuffix(filepath.Base(path), ".testsuite.yaml")
			for _, c := range slices.Concat(suite.Tests.OnCreate, suite.Tests.OnUpdate) {
				cases = append(cases, suiteCase{
					Suite: plural + "/" + strings.Replace(name, "."+plural, "", 1), Gates: suite.FeatureGates, Name: c.Name,
					Initial: c.Initial, Updated: c.Updated, Loosened: len(c.InitialCRDPatches) > 0,
					Expected: c.Expected, Error: c.ExpectedError, StatusError: c.ExpectedStatusError,
				})
			}
		}
	}
	return cases
}

// suites returns the recorded cases, which are those of the checkout if there is one.
func suites(t *testing.T) (cases []suiteCase) {
	t.Helper()
	var current []suiteCase
	if *checkout != "" {
		current = suitesIn(t, *checkout)
	}
	if current != nil && golden.Updates() {
		var compressed bytes.Buffer
		w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
		require.NoError(t, err)
		require.NoError(t, json.NewEncoder(w).Encode(current))
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(recordedSuites, compressed.Bytes(), 0o644))
	}
	file, err := os.Open(recordedSuites)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	text, err := gzip.NewReader(file)
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(text).Decode(&cases))
	if current != nil {
		require.Equal(t, cases, current, "the checkout has other cases than those recorded; record them with -update")
	}
	return cases
}

// objectOf reads an object of a case, and names it as HyperShift's runner does.
func objectOf(t *testing.T, text string) map[string]any {
	t.Helper()
	document, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, kubejson.Unmarshal(document, &object))
	metadata := props.Map(object).Object("metadata")
	if metadata == nil {
		metadata = props.Map{}
	}
	metadata["name"] = cmp.Or(metadata.String("name"), "case")
	metadata["namespace"] = cmp.Or(metadata.String("namespace"), "default")
	object["metadata"] = map[string]any(metadata)
	delete(object, "status") // a creation and an update of the object ignore it
	return object
}

// difference returns in what the verdict of this project differs from that of HyperShift's suite, "" if in nothing.
func (c suiteCase) difference(t *testing.T) string {
	t.Helper()
	api := hostedcluster.EmbeddedAPI()
	object := objectOf(t, c.Initial)
	err, errs := api.Validate(object), crd.Set.Check(object, nil)
	if c.Updated != "" {
		if err != nil && !c.Loosened {
			return "the first object is refused: " + errs.ToAggregate().Error()
		}
		former := object
		object = objectOf(t, c.Updated)
		err, errs = api.ValidateUpdate(object, former), crd.Set.Check(object, former)
	}
	require.Equal(t, err != nil, len(errs) > 0, "%s: one judge", c)
	switch {
	case c.Error == "" && err != nil:
		return "refused: " + errs.ToAggregate().Error()
	case c.Error != "" && err == nil:
		return "accepted"
	case c.Error != "" && !strings.Contains(listed(errs), c.Error):
		return "refused in other words: " + listed(errs)
	case c.Error == "" && c.Expected != "":
		expected := objectOf(t, c.Expected)
		require.NoError(t, crd.Set.Default(object))
		if path := lacks(expected["spec"], object["spec"], "spec"); path != "" {
			return "has another default: " + path
		}
	}
	return ""
}

// listed returns errors as the answer of an API server lists them.
func listed(errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

// lacks returns the path of a value that another one does not have, "" if it has all.
func lacks(want, got any, path string) string {
	switch w := want.(type) {
	case map[string]any:
		g, is := got.(map[string]any)
		if !is {
			return path
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if missing := lacks(w[key], g[key], path+"."+key); missing != "" {
				return missing
			}
		}
	case []any:
		g, is := got.([]any)
		if !is || len(g) != len(w) {
			return path
		}
		for i := range w {
			if missing := lacks(w[i], g[i], fmt.Sprintf("%s[%d]", path, i)); missing != "" {
				return missing
			}
		}
	default:
		if fmt.Sprint(want) != fmt.Sprint(got) {
			return path
		}
	}
	return ""
}

// differencesPath has the cases in which the verdicts differ, below the reason.
const differencesPath = "testdata/suites.txt"

// suiteDifferences reads the cases that may differ, with what differs: the reasons are lines without indentation.
func suiteDifferences(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(differencesPath)
	require.NoError(t, err)
	known, reason := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		one, indented := strings.CutPrefix(line, "  ")
		switch {
		case line == "":
		case !indented:
			reason = line
		default:
			require.NotEmpty(t, reason, line)
			name, verdict, found := cutLast(one, " => ")
			require.True(t, found, line)
			require.NotContains(t, known, name)
			known[name] = verdict
		}
	}
	return known
}

// TestHyperShiftsTestSuitesOfItsDefinitionsAreJudgedAsByAnAPIServer gives the cases of HyperShift's own suites to the
// judge of objects: by it previews accept and refuse what no management cluster has judged. They are recorded; with a
// checkout, its cases must be the recorded ones. Cases that differ are in testdata/suites.txt with the reason, and
// those there that no longer differ fail.
func TestHyperShiftsTestSuitesOfItsDefinitionsAreJudgedAsByAnAPIServer(t *testing.T) {
	t.Parallel()
	known := suiteDifferences(t)
	cases := suites(t)
	seen := map[string]bool{}
	for _, c := range cases {
		name := c.String()
		require.False(t, seen[name], "two cases are named %s", name)
		seen[name] = true
		found := c.difference(t)
		verdict, _, _ := strings.Cut(found, ": ")
		switch want, listed := known[name]; {
		case found != "" && !listed:
			t.Errorf("%s\n  HyperShift: %s\n  this project: %s", name, cmp.Or(c.Error, "accepted"), found)
		case found == "" && listed:
			t.Errorf("%s: does not differ; strike it from %s", name, differencesPath)
		case listed && want != verdict:
			t.Errorf("%s: %s has %q, and it is %q", name, differencesPath, want, found)
		}
	}
	for name := range known {
		require.True(t, seen[name], "%s: there is no such case", name)
	}
	require.Greater(t, len(cases), 200)
	t.Logf("%d cases, %d of which differ", len(cases), len(known))
}
