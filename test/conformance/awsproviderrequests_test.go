package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// baseLife is the life whose requests are stored in full. Of the others the file has what they send in addition, and
// what they leave out.
const baseLife = "no NAT"

// clusterTags are the tags of each resource of the cluster of most lives.
const clusterTags = `"hypershift.openshift.io/cluster-name":"demo","hypershift.openshift.io/infra-id":"demo-x1","kubernetes.io/cluster/demo-x1":"owned"`

// emulator matches the address of AWS's API in these lives.
var emulator = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// endpointName matches what follows the ID in the DNS name of an endpoint.
var endpointName = regexp.MustCompile(`>-[0-9a-f]{8}\.com\b`)

// requireRequests compares the requests of lives with testdata/awsrequests, so that a fault of the emulator hides no
// difference in what the provider sends.
func requireRequests(t *testing.T, lives map[string]lived) {
	t.Helper()
	base, ran := lives[baseLife]
	requests := base.requests
	if !ran {
		requests = readRequests(t, requestsPath(baseLife))
	}
	for _, name := range slices.Sorted(maps.Keys(lives)) {
		against := requests
		if name == baseLife {
			against = nil
		}
		golden.Require(t, requestsPath(name), differencesOf(lives[name].requests, against))
	}
}

func requestsPath(life string) string {
	return filepath.Join("testdata", "awsrequests", strings.NewReplacer(" ", "-", ",", "").Replace(life)+".txt")
}

// differencesOf writes, by section, the lines with "+" that the base does not have, and with "-" those that only the
// base has.
func differencesOf(requests, base map[string][]string) string {
	text := &strings.Builder{}
	for _, section := range slices.Sorted(maps.Keys(requests)) {
		fmt.Fprintf(text, "# %s\n", section)
		for _, line := range requests[section] {
			if !slices.Contains(base[section], line) {
				fmt.Fprintf(text, "+ %s\n", line)
			}
		}
		for _, line := range base[section] {
			if !slices.Contains(requests[section], line) {
				fmt.Fprintf(text, "- %s\n", line)
			}
		}
	}
	return text.String()
}

// readRequests reads a file that has all requests of a life.
func readRequests(t *testing.T, path string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	requests, section := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if name, is := strings.CutPrefix(line, "# "); is {
			section = name
		} else {
			requests[section] = append(requests[section], strings.TrimPrefix(line, "+ "))
		}
	}
	return requests
}

// linesOf writes requests in alphabetical order, each once: the action and its parameters, with names in place of IDs.
// What does not depend on each other is sent in any order.
func linesOf(t *testing.T, requests []moto.Request, ids map[string]string) []string {
	t.Helper()
	var pairs []string
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		pairs = append(pairs, id, ids[id])
	}
	names, lines := strings.NewReplacer(pairs...), []string{}
	named := func(text string) string {
		text = endpointName.ReplaceAllString(names.Replace(text), ">-<ID>.com")
		return emulator.ReplaceAllString(awsID.ReplaceAllString(text, "<ID>"), "<AWS>")
	}
	for _, r := range requests {
		line := r.Action
		if r.Path != "" {
			line += " " + named(r.Path)
		}
		if r.Query != "" {
			line += "?" + named(r.Query)
		}
		if r.Parameters != nil {
			text, err := json.Marshal(r.Parameters)
			require.NoError(t, err)
			var parameters any
			require.NoError(t, json.Unmarshal([]byte(named(string(text))), &parameters))
			text, err = json.Marshal(shortened(t, parameters))
			require.NoError(t, err)
			line += " " + strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", clusterTags, `"<tags of the cluster>"`).Replace(string(text))
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// shortened returns parameters with sorted lists, with tags as one object, and with a checksum in place of a document:
// those of the stacks are stored elsewhere.
func shortened(t *testing.T, value any) any {
	t.Helper()
	switch value := value.(type) {
	case string:
		if document, is := sorted(value).(map[string]any); is {
			text, err := json.Marshal(document)
			require.NoError(t, err)
			return fmt.Sprintf("document %x", sha256.Sum256(text))[:21]
		}
	case []any:
		tags := map[string]any{}
		for _, one := range value {
			if tag, is := one.(map[string]any); is && len(tag) == 2 && tag["Key"] != nil && tag["Value"] != nil {
				tags[fmt.Sprint(tag["Key"])] = tag["Value"]
			}
		}
		if len(tags) > 0 && len(tags) == len(value) {
			return tags
		}
		list := make([]any, len(value))
		for i, one := range value {
			list[i] = shortened(t, one)
		}
		return sorted(list)
	case map[string]any:
		object := map[string]any{}
		for key, one := range value {
			object[key] = shortened(t, one)
		}
		return object
	}
	return value
}
