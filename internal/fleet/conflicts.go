package fleet

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/failure"
)

// Conflicts refuses stacks that cannot exist beside each other: two of one project and name, two clusters with one infra ID in one
// account, whose roles would have the same names, and two with one infra ID and one place of OIDC documents. Where at least one of the two
// is selected, it is refused. all are the stacks of the folders.
func Conflicts(selected, all []Member) error {
	chosen := map[string]bool{}
	for _, m := range selected {
		chosen[m.ID] = true
	}
	seen := map[string]Member{}
	var problems []string
	check := func(key string, m Member, problem func(other Member) string) {
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
		check("account "+m.Account+" "+m.InfraID, m, func(other Member) string {
			inAccount = true
			return fmt.Sprintf("stacks %s and %s both have infra ID %s in account %s: their roles and tags would be the same", other.ID, m.ID, m.InfraID, m.Account)
		})
		if m.Issuer == "" || inAccount {
			continue
		}
		check("issuer "+m.Issuer+" "+m.InfraID, m, func(other Member) string {
			return fmt.Sprintf("stacks %s and %s both have infra ID %s and the OIDC documents in one place (%s): they would overwrite each other's", other.ID, m.ID, m.InfraID, m.Issuer)
		})
	}
	if len(problems) == 0 {
		return nil
	}
	return &failure.Error{Reason: failure.Refused, Problem: strings.Join(problems, "\n"), Remedy: "use a different infraID for each; nothing was started"}
}

// Overlaps returns which VPCs of an account have overlapping CIDRs, one sentence per account, where a selected stack is among them. It is
// a warning: VPCs that are never connected may overlap, and whether they will be, no file says.
func Overlaps(selected, all []Member) []string {
	type block struct {
		prefix netip.Prefix
		m      Member
	}
	chosen := map[string]bool{}
	for _, m := range selected {
		chosen[m.ID] = true
	}
	byAccount := map[string][]block{}
	for _, m := range all {
		for _, cidr := range m.CIDRs {
			if prefix, err := netip.ParsePrefix(cidr); err == nil {
				byAccount[m.VPCAccount] = append(byAccount[m.VPCAccount], block{prefix.Masked(), m})
			}
		}
	}
	var sentences []string
	for account, blocks := range byAccount {
		slices.SortStableFunc(blocks, func(a, b block) int { return a.prefix.Addr().Compare(b.prefix.Addr()) })
		var ids []string
		first := ""
		for i, a := range blocks {
			// Blocks are sorted by their first address: those that overlap with a follow it until one begins behind its end.
			for _, b := range blocks[i+1:] {
				if !a.prefix.Overlaps(b.prefix) {
					break
				}
				if a.m.ID == b.m.ID || !chosen[a.m.ID] && !chosen[b.m.ID] {
					continue
				}
				if first == "" {
					first = fmt.Sprintf("%s of %s and %s of %s", a.prefix, a.m.ID, b.prefix, b.m.ID)
				}
				ids = append(ids, a.m.ID, b.m.ID)
			}
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		if len(ids) > 0 {
			sentences = append(sentences, fmt.Sprintf("the VPCs of %d stacks in account %s overlap, such as %s: they cannot be connected by peering or a transit gateway; set a different vpcCIDR for each if they will be",
				len(ids), account, first))
		}
	}
	slices.Sort(sentences)
	return sentences
}
