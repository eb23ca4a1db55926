// Package regions lists AWS's regions, for the config, which refuses an unknown one, and for the account in memory,
// which has none.
package regions

import (
	"slices"
	"strings"

	"github.com/hashicorp/aws-sdk-go-base/v2/endpoints"
)

// All lists the known regions of all partitions, by name.
func All() []string {
	names := []string{"ap-southeast-6"} // newer than the list
	for _, p := range endpoints.DefaultPartitions() {
		for name := range p.Regions() {
			if !strings.HasSuffix(name, "-global") { // of services that have no region
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Known reports whether a region is known. AWS may have opened other regions since this version.
func Known(name string) bool { return slices.Contains(All(), name) }
