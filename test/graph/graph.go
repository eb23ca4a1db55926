// Package graph writes the resources of a program for a person to read, as golden graphs have them, and runs programs
// without the engine.
package graph

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
)

// Of writes the components of the given names in a state, with their children: by parent, with type, name, provider and
// inputs. An input that another resource gave is written as <that resource>, and tags that are common to all are left
// out. No names are those of all components.
func Of(t *testing.T, resources []apitype.ResourceV3, common map[string]string, components ...string) string {
	t.Helper()
	names := replacer(resources)
	var lines []string
	for _, r := range resources {
		if r.Parent == "" || len(components) > 0 && !slices.Contains(components, r.URN.Name()) && !slices.Contains(components, r.Parent.Name()) {
			continue
		}
		line := fmt.Sprintf("%s / %s %s", r.Parent.Name(), short(string(r.Type)), r.URN.Name())
		if r.Custom {
			line += fmt.Sprintf(" (provider %s)", providerName(r.Provider))
		}
		for _, key := range sortedKeys(r.Inputs) {
			line += "\n    " + key + ": " + inline(t, without(r.Inputs[key], common), names)
		}
		lines = append(lines, line)
	}
	sort.Strings(lines)
	text := nameServer.ReplaceAllStringFunc(strings.Join(lines, "\n"), func(server string) string {
		if server == "ns-1536.awsdns-00.co.uk" { // which every private zone has
			return server
		}
		return "<a name server>"
	})
	text = share.ReplaceAllString(text, "resource-share/<a UUID>")
	text = endpointHash.ReplaceAllString(text, ">-…")
	return looked.ReplaceAllString(text, "<a zone that was there>") + "\n"
}

// nameServer matches a public zone's name servers, which are drawn by lot.
var nameServer = regexp.MustCompile(`ns-\d+\.awsdns-\d\d\.(com|net|org|co\.uk)`)

// share matches the end of a resource share's ARN.
var share = regexp.MustCompile(`resource-share/[0-9a-f-]{36}`)

// endpointHash matches the suffix that AWS adds to an endpoint's ID in its DNS names.
var endpointHash = regexp.MustCompile(`>-[0-9a-f]{8}\b`)

// looked matches what is left of zones' IDs when those of the stack have their names: zones looked up.
var looked = regexp.MustCompile(`\bZ[0-9A-Z]{20}\b`)

// without leaves the common tags out of a map that has them all.
func without(value any, common map[string]string) any {
	tags, ok := value.(map[string]any)
	if !ok {
		return value
	}
	own := map[string]any{}
	found := 0
	for key, text := range tags {
		if want, shared := common[key]; shared && want == text {
			found++
			continue
		}
		own[key] = text
	}
	if found < len(common) || found == 0 {
		return value
	}
	own["…"] = "the cluster's"
	return own
}

// replacer writes the name of a resource for each of its IDs.
func replacer(resources []apitype.ResourceV3) *strings.Replacer {
	var pairs []string
	seen := map[string]bool{}
	add := func(id any, name string) {
		if text, ok := id.(string); ok && len(text) > 8 && !seen[text] {
			seen[text] = true
			pairs = append(pairs, text, "<"+name+">")
		}
	}
	for _, r := range resources {
		if r.Custom && strings.HasPrefix(string(r.Type), "aws:") {
			// ARNs and names can be read as they are.
			if !strings.HasPrefix(string(r.ID), "arn:") && r.Inputs["name"] != string(r.ID) &&
				r.Inputs["keyName"] != string(r.ID) {
				add(string(r.ID), r.URN.Name())
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

func inline(t *testing.T, value any, names *strings.Replacer) string {
	t.Helper()
	if object, ok := value.(map[string]any); ok && object[resource.SigKey] == resource.SecretSig {
		return "<secret>"
	}
	if text, ok := value.(string); ok {
		var document any
		if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &document) == nil {
			pretty, err := json.MarshalIndent(document, "      ", "  ")
			require.NoError(t, err)
			return names.Replace(string(pretty))
		}
	}
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return names.Replace(string(text))
}

// short returns the part of a type token that a person needs: "ec2.Subnet", "network.GuestNetwork".
func short(token string) string {
	parts := strings.Split(token, ":")
	module, _, _ := strings.Cut(parts[1], "/")
	return module + "." + parts[2]
}

// providerName returns the name in a provider reference, "<urn>::<id>".
func providerName(reference string) string {
	parts := strings.Split(reference, "::")
	if len(parts) < 2 {
		return ""
	}
	name := parts[len(parts)-2]
	if strings.HasPrefix(name, "default") {
		return "default"
	}
	return name
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		if !strings.HasPrefix(key, "__") && key != "tagsAll" { // tags, and what the provider adds to each
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys
}
