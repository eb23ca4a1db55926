package invocation

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

func TestALineWiderThanTheTerminalIsBrokenBetweenWords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"a sentence":       {"error: one two three four five\n", "error: one two three\n  four five\n"},
		"an indented line": {"    one two three four five six\n", "    one two three\n      four five six\n"},
		"columns": {"  holds   subnet is there and here\n",
			"  holds   subnet is\n          there and\n          here\n"},
		"a word that is wider": {"see arn:aws:iam::123456789012:role/x now\n",
			"see\n  arn:aws:iam::123456789012:role/x\n  now\n"},
		"a command": {"and then run `up -s dev`, again\n", "and then run\n  `up -s dev`, again\n"},
		"a command to copy": {"run `hypershift-aws up -s dev --yes`, and look\n",
			"run\n  `hypershift-aws up -s dev --yes`,\n  and look\n"},
		"a command in a column": {"warns  a  `hypershift-aws --offline refresh -s development` accepts it\n",
			"warns  a\n       `hypershift-aws --offline refresh -s development`\n       accepts it\n"},
		"a command on a line": {"  `hypershift-aws up -s dev --allow a,b`\n", "  `hypershift-aws up -s dev --allow a,b`\n"},
		"a question":          {"Carry out all of this plan? [y/N] ", "Carry out all of\n  this plan? [y/N] "},
		"a colour": {"\x1b[31merror:\x1b[0m one two three four\n",
			"\x1b[31merror:\x1b[0m one two three\n  four\n"},
		"what fits": {"  a  b\n\n c \n", "  a  b\n\n c \n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, wrap(test.text, 20))
		})
	}
}

func TestACommandToCopyIsWholeOnALineOfItsOwnAtAnyWidth(t *testing.T) {
	t.Parallel()
	const refresh, up = "`hypershift-aws --offline refresh -s development -C /home/me/clusters`",
		"`hypershift-aws --offline up -s development --allow network-private-us-east-1a,network-public-us-east-1a`"
	text := "error: AWS differs from the state of stack development: 1 missing\n  " + refresh + " accepts it; " + up +
		" then restores the configuration of the file\n"
	for width := 30; width <= 130; width++ {
		for _, command := range []string{refresh, up} {
			require.Regexp(t, `(?m)^ +`+regexp.QuoteMeta(command)+`$`, wrap(text, width), "%d columns", width)
		}
	}
	require.Equal(t, text, wrap(text, 400), "what fits is not broken")

	const aws, file = "`aws ec2 create-route-table --vpc-id vpc-0123456789abcdef0`", "    - {name: hosted-cluster-demo-us-east-1c, id: clusters/demo@640d7812}\n"
	for width := 30; width <= 130; width++ {
		require.Contains(t, wrap("error: it has no route table\n  create one with "+aws+"\n", width), aws, "another program's, at %d columns", width)
		require.Equal(t, file, wrap(file, width), "a line of a stack's file, at %d columns", width)
	}
}

func TestTextIsAsWideAsItsTerminalAndOtherwiseUnchanged(t *testing.T) {
	t.Parallel()
	text := "error: " + strings.Repeat("word network-private-us-east-1a ", 40)
	for _, width := range []int{30, 80, 100, 0} {
		var out, errors bytes.Buffer
		streams := Streams{Out: &out, Err: &errors}
		if width > 0 {
			streams.Width = func() int { return width }
			streams.OutWidth = streams.Width
		}
		c := New(streams, nil)
		c.output = "text"
		require.NoError(t, c.Begin("up"))
		c.Print(text + "\n")
		c.SayText(text)
		c.End(nil)
		if width == 0 {
			assert.Equal(t, strings.TrimSpace(text)+"\n", strings.TrimRight(out.String(), " \n")+"\n")
			assert.NotContains(t, errors.String(), "\x1b")
			continue
		}
		for _, written := range []string{out.String(), errors.String()} {
			assert.Contains(t, written, "\x1b[31merror:")
			for line := range strings.Lines(written) {
				assert.LessOrEqual(t, ansi.StringWidth(strings.TrimRight(line, "\n")), width)
			}
			assert.Equal(t, 40, strings.Count(written, "network-private-us-east-1a"), "no word is broken")
		}
	}
}

func TestADocumentOnATerminalIsNotChanged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := New(Streams{Out: &out, OutWidth: func() int { return 20 }}, nil)
	c.Document()
	text := "error: a document of more than twenty columns\n"
	_, err := c.Streams.Out.Write([]byte(text))
	require.NoError(t, err)
	require.Equal(t, text, out.String())
}

// closedPipe is a pipe whose reader has ended, as head does.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
}

func TestAReaderThatHasEndedIsNoError(t *testing.T) {
	t.Parallel()
	var errors bytes.Buffer
	c := New(Streams{Out: closedPipe{}, Err: &errors}, nil)
	err := Table(c, "NAME", []string{"a"}, func(name string) []any { return []any{name} })
	require.Zero(t, c.End(err))
	require.Empty(t, errors.String())
}

func TestVerdictsHaveAColour(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"up would refuse this plan: x": "\x1b[31mup would refuse this plan:\x1b[0m x",
		"warning: x":                   "\x1b[33mwarning:\x1b[0m x",
		"  holds   subnet x":           "  \x1b[32mholds\x1b[0m   subnet x",
		"   3 breaks  a -> b":          "   3 \x1b[31mbreaks\x1b[0m  a -> b",
		"dev: ready":                   "dev: \x1b[32mready\x1b[0m",
		"dev  locked  -":               "dev  \x1b[33mlocked\x1b[0m  -",
		"offline":                      "\x1b[2moffline\x1b[0m",
		"what failed is shown":         "what failed is shown",
		"  VPC a (vpc-1) was deleted":  "  VPC a (vpc-1) \x1b[31mwas deleted\x1b[0m",
		"  VPC a (vpc-1) was changed":  "  VPC a (vpc-1) \x1b[33mwas changed\x1b[0m",
		"an error: of the management":  "an error: of the management",
	} {
		require.Equal(t, want, paintVerdicts(text, report.Style{Colours: true}))
		require.Equal(t, text, paintVerdicts(text, report.Style{}))
	}
}
func TestHelpKeepsACommandWhole(t *testing.T) {
	t.Parallel()
	const command = "`hypershift-aws sweep -s STACK --delete --min-age 0s --running`"
	assert.Equal(t, "those that\n"+command+"\ndeletes\n", Wrap("those that "+command+" deletes", 66))
	assert.Equal(t, "a\n"+command+"\n", Wrap("a "+command, 30), "no line is too short for it")
}
