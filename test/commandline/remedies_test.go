package commandline_test

import (
	"cmp"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/program"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
)

var update = flag.Bool("update", false, "write testdata/remedies.txt")

// variable stands for what a program puts into a text.
const variable = "…"

var (
	verb    = regexp.MustCompile(`%(\[\d+\])?[sdqvw]`)
	command = regexp.MustCompile("`hypershift-aws [a-z-][^`\n]*`")
)

// remedies returns the texts in the sources that advise a command of this program, and where they are. Help is no
// message: its examples are run with the documents.
func remedies(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	read := func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if pair, ok := node.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok && slices.Contains([]string{"Long", "Example"}, key.Name) {
					return false
				}
			}
			text, ok := literal(node)
			if ok && command.MatchString(text) {
				found[text], _ = filepath.Rel(repo.Path(), path)
			}
			return !ok
		})
		return nil
	}
	for _, folder := range []string{"api", "automation", "components", "internal", "plugin", "program", "stacks"} {
		require.NoError(t, filepath.WalkDir(repo.Path(folder), read))
	}
	return found
}

// literal returns the text of an expression of string literals, with variable for all else.
func literal(node ast.Node) (string, bool) {
	switch x := node.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return verb.ReplaceAllString(text, variable), x.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, first := literal(x.X)
		right, second := literal(x.Y)
		if !first {
			left = variable
		}
		if !second {
			right = variable
		}
		return left + right, x.Op == token.ADD && (first || second)
	}
	return "", false
}

// argument matches an argument of a flag, and flags the flags that a command has from the command line that prints it.
const (
	argument = "(?:'[^']*'|[^ `]+)"
	flags    = "(?: (?:-C|-s|--backend) " + argument + ")*"
)

// printed matches a message with the line of a text that has the command.
func printed(text string) *regexp.Regexp {
	for line := range strings.Lines(text) {
		if command.MatchString(line) {
			text = strings.TrimSpace(line)
			break
		}
	}
	text = regexp.QuoteMeta(text)
	text = command.ReplaceAllStringFunc(text, func(advised string) string {
		advised = regexp.MustCompile(`(-[\w-]+) `+variable).ReplaceAllString(advised, "${1} "+argument)
		advised = strings.ReplaceAll(advised, variable, "[^`]*")
		advised = strings.Replace(advised, "`hypershift-aws ", "`hypershift-aws (?:--offline(?:-empty)? )*", 1)
		return strings.TrimSuffix(advised, "`") + flags + "`"
	})
	return regexp.MustCompile(strings.ReplaceAll(text, variable, ".*"))
}

func TestARemedyIsFoundInTheMessageThatPrintsIt(t *testing.T) {
	t.Parallel()
	pattern := printed("run `hypershift-aws up -s " + variable + "` again")
	assert.Regexp(t, pattern, "error: x\n  run `hypershift-aws --offline up -s dev -C 'my folder'` again")
	assert.NotRegexp(t, pattern, "run `hypershift-aws --offline up -s dev --wait` again")
	assert.NotRegexp(t, pattern, "run `hypershift-aws up -s dev`")
}

// What testdata/remedies.txt says of a text: a session follows it where it is printed, or the session IN does what the
// message asks first and then what it advises, or none can, for a reason.
const followed = "followed"

var (
	inSession = regexp.MustCompile(`^in (\S+\.txtar)$`)
	noSession = regexp.MustCompile(`^not \((.{10,})\)$`)
	verbs     = regexp.MustCompile("`hypershift-aws ([a-z-]+)")
)

// TestEachRemedyIsFollowed compares the texts that advise a command with testdata/remedies.txt. A new text needs a
// session that prints it: run the sessions at their full size with the variable program.FollowedList, and then this
// test with it and -update. What no session can print gets its reason there by hand.
func TestEachRemedyIsFollowed(t *testing.T) {
	t.Parallel()
	path, known := filepath.Join("testdata", "remedies.txt"), map[string]string{}
	if text, err := os.ReadFile(path); err == nil {
		for line := range strings.Lines(string(text)) {
			state, quoted, _ := strings.Cut(strings.TrimSpace(line), ": \"")
			remedy, err := strconv.Unquote(`"` + quoted)
			require.NoError(t, err)
			known[remedy] = state
		}
	}
	all := remedies(t)
	if *update {
		messages, err := os.ReadFile(os.Getenv(program.FollowedList))
		require.NoError(t, err, program.FollowedList)
		var lines []string
		for _, remedy := range slices.Sorted(maps.Keys(all)) {
			state := cmp.Or(known[remedy], "not yet")
			if printed(remedy).Match(messages) {
				state = followed
			}
			lines = append(lines, state+": "+strconv.Quote(remedy)+"\n")
		}
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644))
		return
	}
	for remedy, source := range all {
		assert.Contains(t, known, remedy, "%s: no session is known to follow this remedy", source)
	}
	for remedy, state := range known {
		assert.Contains(t, all, remedy, "no source has this remedy")
		if session := inSession.FindStringSubmatch(state); session != nil {
			script, err := os.ReadFile(repo.Path(session[1]))
			require.NoError(t, err)
			for _, verb := range verbs.FindAllStringSubmatch(remedy, -1) {
				assert.Regexp(t, `(?m)^(exec|exits \d) hypershift-aws(-program)? .*\b`+verb[1]+`\b`, string(script),
					"%s does not follow %q", session[1], remedy)
			}
			continue
		}
		assert.True(t, state == followed || noSession.MatchString(state), "no session follows %q: %s", remedy, state)
	}
}
