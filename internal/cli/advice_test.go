package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// deletion matches text that tells users to delete something: an imperative at the beginning, after punctuation or
// after a conjunction, or a command that deletes.
var deletion = regexp.MustCompile("(^|[:;,.(`] *|\\b(?:or|and|then|and/or|please|first) +)(delete|destroy|remove|terminate|drop|release) " +
	`(?:it|its|them|that|those|this|these|each|all|every|the|a|an|manually|what|\w+s)\b|kubectl delete|aws \w+ delete-`)

// deletionAllowed are texts that may tell users to delete something, with the reason: nothing that is alive can be
// meant.
var deletionAllowed = map[string]string{
	"forget the resource":                             "a file of the offline account",
	"delete the file, or the pool remains":            "a file that render wrote",
	"; delete the file":                               "the record of past durations",
	"remove the config keys that set these":           "keys of a stack's file",
	"must delete its policies":                        "AWS's own words, in the offline account",
	"they may exist in AWS but not in the state":      "creations that were interrupted: nothing uses them, and the engine deletes none",
	"find it in AWS and delete it":                    "a creation that was interrupted: nothing uses it",
	"its secret is lost: if it exists, delete it":     "an access key without its secret: nobody can use it",
	"its name is unique in CloudFront":                "a creation that was interrupted: nothing uses it",
	"and delete them with the cluster":                "what operators do",
	"remove the tag from":                             "a tag, not what carries it",
	"remove its rules and use a separate group":       "rules of the default security group, and only after they are elsewhere",
	"delete the hosted clusters of the stacks":        "the description of a flag",
	"drop resources whose creation was interrupted":   "the description of a flag",
	"delete the resources that pass every gate":       "the description of a flag",
	"allow the plan to replace or delete the guarded": "the description of a flag",
	"does not replace or delete a guarded resource":   "it says what a plan does",
	"remove it, and run the command without --resume": "the journal of a fleet's run",
	"and remove it from the file":                     "a key of a stack's file",
	"unused waiver of rule":                           "a key of a stack's file",
	"it was created twice, because an answer":         "a second resource of an update: no state has it",
	"it was probably created twice":                   "a second resource of an update: no state has it",
	"destroy a stack when its object is deleted":      "the description of a flag",
	"Allows updates of the components to replace":     "the description of a key",
	"aws ec2 delete-route --route-table-id":           "a route that others added to the stack's table; the user is to ask who added it",
	"aws iam delete-role-policy --role-name":          "a policy that others added to the stack's role; the user is to ask who added it",
	"aws iam delete-access-key --user-name":           "a second access key of the stack's user; the user is to ask who added it",
}

// TestNoMessageTellsUsersToDeleteWhatMayBeAlive searches the strings of the code for advice to delete: what exists
// under a name may be part of a cluster that runs, so the advice is to adopt it, or to use another name.
func TestNoMessageTellsUsersToDeleteWhatMayBeAlive(t *testing.T) {
	t.Parallel()
	var found []string
	used := map[string]bool{}
	files := token.NewFileSet()
	for _, root := range []string{"../../internal", "../../components", "../../stacks", "../../cmd", "../../plugin"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				expression, isExpression := node.(ast.Expr)
				text, isText := textOf(expression)
				if !isExpression || !isText {
					return true
				}
				allowed := false
				for part := range deletionAllowed {
					if strings.Contains(text, part) {
						allowed, used[part] = true, true
					}
				}
				if advice := deletion.FindString(text); advice != "" && !allowed {
					found = append(found, fmt.Sprintf("%s: %q in %q", files.Position(node.Pos()), advice, text))
				}
				return false
			})
			return nil
		}))
	}
	require.Empty(t, found, "advise to adopt it or to use another name, or name the reason in deletionAllowed")
	for part := range deletionAllowed {
		require.True(t, used[part], "no message has %q any more", part)
	}
}

// textOf returns the text of a string literal or of a sum of literals, with other operands left out.
func textOf(expression ast.Expr) (string, bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, isText := textOf(e.X)
		right, both := textOf(e.Y)
		return left + right, e.Op == token.ADD && (isText || both)
	}
	return "", false
}
