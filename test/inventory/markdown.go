package inventory

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// title is a stage's heading.
func (s Stage) title() string {
	return map[Stage]string{
		ManagementPrerequisites: "Made here, in the management account, before HyperShift's operator is installed",
		ClusterPrerequisites:    "Made here, in the hosted cluster's account, before the hosted cluster",
		HyperShiftInManagement:  "Made by HyperShift in the management account",
		HyperShiftInCluster:     "Made by HyperShift in the hosted cluster's account",
		KubernetesInCluster:     "Made by the hosted cluster in its account",
	}[s]
}

// Markdown is the inventory as a document.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Who makes what

Written from test/inventory by its test; change it there. What this project makes is checked against the
graphs of its stacks, and so is what it has ready for those who make the rest: the permission of the role
that they take, the tag by which they find where a thing belongs. The quota is the limit of the account and
region that it counts against, which is to be high enough beforehand.

An option is a key of the config in the namespace hypershift-aws, or a key with its value. What is left out with
one is not made, or one of it less: it is given instead, or there is no use for it. Accounts are those of a VPC that is
not shared and of one that is; where the private zones of a shared VPC are in either account, privateZonesIn says which.
`)
	for _, stage := range Stages() {
		fmt.Fprintf(&b, "\n## %d. %s\n\n", stage, stage.title())
		if stage.Ours() {
			b.WriteString("| | how many | account | Public | PublicAndPrivate | Private | only with | left out with |\n|---|---|---|---|---|---|---|---|\n")
		} else {
			b.WriteString("| | account | Public | PublicAndPrivate | Private | only with | by the permission | finds its place by | counts against |\n|---|---|---|---|---|---|---|---|---|\n")
		}
		for _, item := range Items() {
			if item.Stage == stage {
				b.WriteString(item.row())
			}
		}
	}
	return b.String()
}

func (i Item) row() string {
	var modes []string
	for _, mode := range []hypershift.EndpointAccess{hypershift.Public, hypershift.PublicAndPrivate, hypershift.Private} {
		modes = append(modes, map[bool]string{true: "yes", false: "no"}[i.IsIn(mode)])
	}
	in := i.accounts() + " | " + strings.Join(modes, " | ") + " | " + code(i.Option)
	if i.Stage.Ours() {
		number := map[bool]string{true: "one per zone", false: "one"}[i.PerZone]
		return fmt.Sprintf("| %s | %s | %s | %s |\n", i.What, number, in, codes(i.Without))
	}
	permission := "the management cluster's own"
	if i.Ready.Role != "" {
		permission = fmt.Sprintf("%s of `%s`", code(i.Ready.Action), i.Ready.Role)
	}
	quota := i.Ready.Quota.Name
	if quota != "" {
		quota += " (" + i.Ready.Quota.Code + ")"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", i.What, in, permission, code(i.Ready.Tag), quota)
}

// accounts says whose account the item is in, and whose where the VPC is shared.
func (i Item) accounts() string {
	own, shared := i.Account(false), i.Account(true)
	switch {
	case own == shared:
		return string(own)
	case strings.HasPrefix(i.Option, sharedVPC):
		return string(shared)
	}
	return fmt.Sprintf("%s; shared: %s", own, shared)
}

func codes(texts []string) string {
	var marked []string
	for _, text := range texts {
		marked = append(marked, code(text))
	}
	return strings.Join(marked, ", ")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
