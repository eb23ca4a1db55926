package fleet

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
)

// BenchmarkAPlanOfAFleet puts stacks into order, of which each names its own network, and all one management stack, and
// whose VPCs have the same CIDR in one account.
func BenchmarkAPlanOfAFleet(b *testing.B) {
	for _, stacks := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("%d stacks", stacks), func(b *testing.B) {
			all := []fleetrun.Member{managementStack("m")}
			for i := range stacks / 2 {
				one, part := cluster(fmt.Sprintf("c%d", i), "m"), cluster(fmt.Sprintf("n%d", i), "")
				one.Parts, part.CIDRs, part.VPCAccount = []string{part.Stack}, []string{"10.0.0.0/16"}, "123456789012"
				all = append(all, one, part)
			}
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, Conflicts(all, all))
				require.Len(b, Overlaps(all, all), 1)
				jobs, err := Plan(all, all, []Wave{{}}, false, nil)
				require.NoError(b, err)
				require.Len(b, jobs, len(all))
			}
		})
	}
}

// BenchmarkAJournalOfAFleet notes that each stack has begun and ended.
func BenchmarkAJournalOfAFleet(b *testing.B) {
	for _, stacks := range []int{100, 1000} {
		b.Run(fmt.Sprintf("%d stacks", stacks), func(b *testing.B) {
			var all []*fleetrun.Job
			for i := range stacks {
				all = append(all, &fleetrun.Job{Member: cluster(fmt.Sprintf("c%d", i), "")})
			}
			b.ReportAllocs()
			for b.Loop() {
				journal, err := OpenJournal(b.TempDir())
				require.NoError(b, err)
				require.NoError(b, journal.Begin("up", true, all))
				for _, job := range all {
					require.NoError(b, journal.Note(job, fleetrun.Outcome{Status: fleetrun.Running}))
					require.NoError(b, journal.Note(job, fleetrun.Outcome{Status: fleetrun.Succeeded}))
				}
				journal.Close()
			}
		})
	}
}
