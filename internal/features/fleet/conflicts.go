package fleet

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
)

// Conflicts refuses stacks that cannot exist at the same time: two of one project and name, two clusters with one infra
// ID in one account, whose roles would have the same names, and two with the same infra ID and the same location of
// OIDC documents. It is an error if at least one of the two is selected. all are the stacks of the folders.
func Conflicts(selected, all []fleetrun.Member) error {
	chosen := map[string]bool{}
	for _, m := range selected {
		chosen[m.ID] = true
	}
	seen := map[string]fleetrun.Member{}
	var problems []string
	check := func(key string, m fleetrun.Member, problem func(other fleetrun.Member) string) {
		other, taken := seen[key]
		if !taken {
			seen[key] = m
			return
		}
		if chosen[m.ID] || chosen[other.ID] {
			problems = append(problems, problem(other))
		}
	}
	for _, m := range all {
		if m.InfraID == "" {
			continue
		}
		inAccount := false
		check("account "+m.Account+" "+m.InfraID, m, func(other fleetrun.Member) string {
			inAccount = true
			return fmt.Sprintf("stacks %s and %s both have infra ID %s in account %s: their roles and tags would be the same", other.ID, m.ID, m.InfraID, m.Account)
		})
		if m.Issuer == "" || inAccount {
			continue
		}
		check("issuer "+m.Issuer+" "+m.InfraID, m, func(other fleetrun.Member) string {
			return fmt.Sprintf("stacks %s and %s both have infra ID %s and keep OIDC documents in %s: they would overwrite each other's documents", other.ID, m.ID, m.InfraID, m.Issuer)
		})
	}
	if len(problems) == 0 {
		return nil
	}
	return &failure.Error{
		Reason:  failure.Refused,
		Problem: strings.Join(problems, "\n"),
		Remedy:  "use a different infraID for each; nothing was started",
	}
}

// Overlaps returns a sentence for each account in which VPCs have overlapping CIDRs, if one of them belongs to a
// selected stack. It is only a warning, because VPCs that are never connected may overlap.
func Overlaps(selected, all []fleetrun.Member) []string {
	type block struct {
		prefix netip.Prefix
		m      *fleetrun.Member
	}
	chosen := map[string]bool{}
	for _, m := range selected {
		chosen[m.ID] = true
	}
	byAccount := map[string][]block{}
	for i := range all {
		m := &all[i]
		for _, cidr := range m.CIDRs {
			if prefix, err := netip.ParsePrefix(cidr); err == nil {
				byAccount[m.VPCAccount] = append(byAccount[m.VPCAccount], block{prefix.Masked(), m})
			}
		}
	}
	var sentences []string
	for account, blocks := range byAccount {
		slices.SortStableFunc(blocks, func(a, b block) int { return a.prefix.Addr().Compare(b.prefix.Addr()) })
		overlap := make([]bool, len(blocks))
		first := ""
		for i, a := range blocks {
			// Blocks are sorted by their first address: those that overlap a follow it, up to one that begins after its end.
			for j, b := range blocks[i+1:] {
				if !a.prefix.Overlaps(b.prefix) {
					break
				}
				if a.m.ID == b.m.ID || !chosen[a.m.ID] && !chosen[b.m.ID] {
					continue
				}
				if first == "" {
					first = fmt.Sprintf("%s of %s and %s of %s", a.prefix, a.m.ID, b.prefix, b.m.ID)
				}
				overlap[i], overlap[i+1+j] = true, true
			}
		}
		ids := map[string]bool{}
		for i, overlaps := range overlap {
			if overlaps {
				ids[blocks[i].m.ID] = true
			}
		}
		if len(ids) > 0 {
			sentences = append(sentences, fmt.Sprintf("the VPCs of %d stacks in account %s overlap, such as %s: they cannot be connected by peering or a transit gateway; to connect them, set a different vpcCIDR for each",
				len(ids), account, first))
		}
	}
	slices.Sort(sentences)
	return sentences
}
