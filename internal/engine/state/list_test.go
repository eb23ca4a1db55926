package state

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// folder returns a folder with states of a project, by file name.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	dir := filepath.Join(folder, ".pulumi", "stacks", "p")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, ".pulumi", "meta.yaml"), []byte("version: 1\n"), 0o600))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return folder
}

const whole = `{"version": 3, "checkpoint": {"stack": "organization/p/a", "latest": {
  "manifest": {"time": "2026-11-22T01:08:42.230628866Z", "magic": "x\"]}{\\"},
  "resources": [{"urn": "a", "type": "pulumi:pulumi:Stack", "outputs": {"kind": "cluster"}, "inputs": {"resources": [1, 2, 3]}}, {"urn": "}\\\"]"}]
}}}`

func TestStatesOfAFolderAreListedWithoutTheEngine(t *testing.T) {
	t.Parallel()
	list, known, err := List(folder(t, map[string]string{
		"a.json": whole, "a.json.bak": "{", "a.json.attrs": "{", "new.json": `{"version":0,"checkpoint":{"stack":"organization/p/new"}}`,
		"empty.json": `{"version":3,"checkpoint":{"latest":{"manifest":{"time":"0001-01-01T00:00:00Z"},"resources":[]}}}`,
		"open.json":  strings.Replace(whole, `"resources": [{`, `"pending_operations": [{}], "resources": [{`, 1),
		"first.json": strings.Replace(whole, `"outputs": {"kind": "cluster"}`, `"outputs": {}`, 1),
		"none.json":  `{"version":3,"checkpoint":{"latest":{"manifest":{"time":"0001-01-01T00:00:00Z"}}}}`,
	}), "p")
	require.NoError(t, err)
	require.True(t, known)
	updated := time.Date(2026, 11, 22, 1, 8, 42, 230_000_000, time.UTC)
	assert.ElementsMatch(t, []Summary{
		{Name: "a", Resources: 2, Updated: updated}, {Name: "new"}, {Name: "empty"}, {Name: "none"},
		{Name: "open", Resources: 2, Updated: updated, Incomplete: true},
		{Name: "first", Resources: 2, Updated: updated, Incomplete: true},
	}, list)
	list, known, err = List(t.TempDir(), "p")
	require.NoError(t, err)
	assert.True(t, known)
	assert.Empty(t, list)
}

func TestAStateInAnotherFormatIsListedByTheEngine(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"of an unknown form": {"a.json.lz4": ""},
		"twice":              {"a.json": whole, "a.json.zst": whole},
		"another version":    {"a.json": `{"version":9,"checkpoint":{}}`},
		"no version":         {"a.json": `{"version":0,"checkpoint":{"latest":{"manifest":{"time":"2026-08-01T12:00:00Z"}}}}`},
	} {
		_, known, err := List(folder(t, files), "p")
		require.NoError(t, err)
		assert.False(t, known, name)
	}
	_, known, err := List("", "p")
	require.NoError(t, err)
	assert.False(t, known)
}

func TestAnIncompleteStateIsListedWithWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut off": whole[:len(whole)-12], "cut off in a text": whole[:len(whole)-25], "no JSON": "x", "nothing": "",
	} {
		list, known, err := List(folder(t, map[string]string{"a.json": text, "b.json": whole}), "p")
		require.NoError(t, err)
		assert.True(t, known, name)
		require.Len(t, list, 2)
		for _, s := range list {
			if s.Name == "b" {
				require.NoError(t, s.Err)
				assert.Equal(t, 2, s.Resources)
			} else {
				require.ErrorContains(t, s.Err, "a.json is incomplete")
			}
		}
	}
}

func TestTheManagedResourcesAreThoseThatAPlanCounts(t *testing.T) {
	t.Parallel()
	list, known, err := List(folder(t, map[string]string{"a.json": `{"version":3,"checkpoint":{"latest":{
		"manifest":{"time":"2026-08-01T12:00:00Z"},"resources":[
		{"type":"pulumi:pulumi:Stack","outputs":{"a":1}}, {"type":"hypershift-aws:network:GuestNetwork"},
		{"type":"pulumi:providers:aws","custom":true}, {"type":"pulumi:index:Stash","custom":true},
		{"type":"aws:ec2/vpc:Vpc","custom":true,"inputs":{"custom":false}},
		{"type":"aws:ec2/vpc:Vpc","custom":true,"delete":true}]}}}`}), "p")
	require.NoError(t, err)
	require.True(t, known)
	assert.Equal(t, 6, list[0].Resources)
	assert.Equal(t, 1, list[0].Managed)
}

// TestResourcesAreCountedAsJSONHasThem draws any text in a state, and cuts the state off anywhere.
func TestResourcesAreCountedAsJSONHasThem(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	count := func(t *rapid.T, text []byte) (int, bool) {
		require.NoError(t, os.WriteFile(path, text, 0o600))
		s, known := summarize(path)
		return s.Resources, known && s.Err == nil
	}
	rapid.Check(t, func(t *rapid.T) {
		resources := rapid.SliceOfN(rapid.MapOf(rapid.String(), rapid.String()), 0, 5).Draw(t, "resources")
		latest := map[string]any{
			"before": rapid.String().Draw(t, "before"), "resources": resources, "z": rapid.SliceOf(rapid.Float64()).Draw(t, "z"),
			"manifest": map[string]any{"time": "2026-11-22T01:08:42Z"},
		}
		indent := rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent")
		text, err := json.MarshalIndent(map[string]any{
			"version":    3,
			"checkpoint": map[string]any{"latest": latest},
		}, "", indent)
		require.NoError(t, err)
		n, known := count(t, text)
		require.True(t, known, "%s", text)
		require.Equal(t, len(resources), n, "%s", text)
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if n, known := count(t, text[:cut]); known {
			require.Equal(t, len(resources), n, "%s", text[:cut])
		}
	})
}
