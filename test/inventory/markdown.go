package inventory

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// title returns a stage's heading.
func (s Stage) title() string {
	return map[Stage]string{
		ManagementPrerequisites: "Created by this project in the management account, before HyperShift's operator is installed",
		ClusterPrerequisites:    "Created by this project in the hosted cluster's account, before the hosted cluster",
		HyperShiftInManagement:  "Created by HyperShift in the management account",
		HyperShiftInCluster:     "Created by HyperShift in the hosted cluster's account",
		KubernetesInCluster:     "Created by the hosted cluster in its account",
	}[s]
}

// Markdown returns the inventory as a document.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Who creates which AWS resource

For those who ask where an AWS resource comes from, and for those who request quotas.

Generated from test/inventory by its test; change it there. The test checks this project's resources against the
graphs of its stacks. For resources that others create, it checks the permission of the role that they assume, and the
tag by which they find the resource's place. The quota is the limit of the account and region that the resource counts
against; it must be sufficient beforehand.

An option is a config key in the namespace hypershift-aws, or a key with its value. A resource is not created with an
option in the column "left out with" (or one fewer is created): an existing one is used instead, or none is needed. The
account depends on whether the VPC is shared; for the private zones of a shared VPC, privateZonesIn determines the account.
`)
	for _, stage := range stages() {
		fmt.Fprintf(&b, "\n## %d. %s\n\n", stage, stage.title())
		if stage.Ours() {
			b.WriteString("| | how many | account | Public | PublicAndPrivate | Private | only with | left out with |\n|---|---|---|---|---|---|---|---|\n")
		} else {
			b.WriteString("| | account | Public | PublicAndPrivate | Private | only with | permission | place found by | counts against |\n|---|---|---|---|---|---|---|---|---|\n")
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

// accounts returns the item's account, and the account if the VPC is shared.
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
