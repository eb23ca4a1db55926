package harness

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
)

// The IDs that AWS generates, and the addresses that it assigns.
var (
	randomID      = regexp.MustCompile(`\b([a-z]+(?:-svc)?)-0[0-9a-f]{16}(-[0-9a-f]{8})?`)
	randomZone    = regexp.MustCompile(`\bZ[0-9A-Z]{20}`)
	publicAddress = regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+\n`)
)

// WithoutIDs replaces the IDs that AWS generates.
func WithoutIDs(text string) string {
	text = randomZone.ReplaceAllString(randomID.ReplaceAllString(text, "$1-…"), "Z…")
	return publicAddress.ReplaceAllString(text, "…\n")
}

// MadeIn returns the resources of the offline accounts in dir that were not there to begin with.
func MadeIn(t *testing.T, dir string) []offline.Resource {
	t.Helper()
	accounts, err := offline.Accounts(dir)
	require.NoError(t, err)
	require.NotEmpty(t, accounts, "no account was used")
	var made []offline.Resource
	for _, account := range accounts {
		for _, resource := range account.Resources() {
			if !resource.Seed {
				made = append(made, resource)
			}
		}
	}
	return made
}

// Described returns resources with their properties as sorted JSON, in which an ID is the name of its resource or,
// without one, its type.
func Described(t *testing.T, resources []offline.Resource) []string {
	t.Helper()
	names := map[string]string{}
	for _, r := range resources {
		if tags, ok := r.Properties["tags"].(map[string]any); ok && tags["Name"] != nil {
			names[r.ID] = fmt.Sprintf("<%v>", tags["Name"])
		}
	}
	id := regexp.MustCompile(`\b[a-z]+(-[a-z]+)*-[0-9a-f]{17}\b|\bZ[0-9A-Z]{10,}\b|\bAROA[0-9A-Z]+|\bAIPA[0-9A-Z]+|\b\d{4}-\d\d-\d\dT[0-9:.]+Z\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	address := regexp.MustCompile(`\b(\d{1,3}[.-]){3}\d{1,3}\b`)
	var list []string
	for _, r := range resources {
		text, err := json.Marshal(r.Properties)
		require.NoError(t, err)
		plain := id.ReplaceAllStringFunc(string(text), func(id string) string {
			if name, known := names[id]; known {
				return name
			}
			if strings.Trim(id, "0123456789abcdef-") == "" {
				return "<id>"
			}
			return "<" + regexp.MustCompile(`[^a-z].*`).ReplaceAllString(id, "") + ">"
		})
		if r.Type == "aws:ec2/eip:Eip" || r.Type == "aws:ec2/natGateway:NatGateway" {
			plain = address.ReplaceAllString(plain, "<address>")
		}
		list = append(list, r.Type+" "+plain)
	}
	slices.Sort(list)
	return list
}

// MadeIDs returns the resources of an account, by type and ID.
func MadeIDs(t *testing.T, dir string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for _, r := range MadeIn(t, dir) {
		ids[r.Type+" "+r.ID] = true
	}
	return ids
}
