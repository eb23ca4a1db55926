package binding

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/rights"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// commandOf returns the command whose documented rights an operation needs, "" if none are documented. A backup goes on
// without none of them.
func commandOf(operation gates.Operation) rights.Command {
	if operation == gates.Access {
		return "kubeconfig"
	}
	if command := rights.Command(operation); operation != gates.Backup && slices.Contains(rights.Commands(), command) {
		return command
	}
	return ""
}

// unreadable returns a warning of what the user of the kubeconfig may not read in the management cluster, of what the
// operation reads there: it goes on without what may be left out, and each check that it leaves out is known before
// anything changes. What a plan changes is asked by its gate.
func (c *Connection) unreadable(ctx context.Context, operation gates.Operation) []string {
	command, k := commandOf(operation), c.Kubeconfig()
	if command == "" || k == nil || c.Stack.File == nil || c.readsAsked {
		return nil
	}
	c.readsAsked = true
	var denied []string
	_, err := Ask(ctx, c, *k, func(ctx context.Context, api workspace.Cluster) (any, error) {
		for _, read := range rights.For(c.Stack.File.Section, command).Reads() {
			needed := clusterstatus.Permission{
				Verb: read.Verb, Kind: read.Kind.Kind, Namespace: read.Namespace, Name: read.Name,
			}
			text := needed.String()
			if read.Name != "" && read.Namespace == "" {
				text = read.Verb + " " + read.Kind.Kind + " " + read.Name
			}
			if slices.Contains(denied, text) {
				continue
			}
			if allowed, err := api.Allowed(ctx, needed); err == nil && !allowed {
				denied = append(denied, text)
			}
		}
		return nil, nil
	})
	if err != nil || len(denied) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the user of %s may not %s in the management cluster; what these would show is not "+
		"checked; `hypershift-aws permissions -s %s --kubernetes --command %s` prints the roles", KubeconfigKey(c.Stack),
		strings.Join(denied, ", "), c.Stack.Name, command)}
}
