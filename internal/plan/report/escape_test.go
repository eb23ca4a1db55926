package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// harmful is a text as AWS may have it in a tag, and Kubernetes in the message of a condition.
const harmful = "a\x1b[2J\x1b[31mb\r\x1b[Ac\n::error::d\te\x7f\u0085\u009b1mf\u202eg"

func TestAValueOfOthersIsOneLineWithoutControlCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, `a\u001b[2J\u001b[31mb\u000d\u001b[Ac\n::error::d\te\u007f\u0085\u009b1mf\u202eg`, OneLine(harmful))
	require.Equal(t, `Größe 日本 "x" \ 👍`, OneLine(`Größe 日本 "x" \ 👍`))
	require.Equal(t, `VPC vpc-1 (a\nb): c`+"\n  d", Sentence("VPC %s (%s): %s", "vpc-1", "a\nb", errors.New("c\n  d")))
	require.Equal(t, "1 of  2: true", Sentence("%d of %2d: %t", 1, 2, true))
}

func TestATextKeepsItsLinesAndItsOwnColours(t *testing.T) {
	t.Parallel()
	coloured := Style{Colours: true}
	own := coloured.Paint(Red, "failed:") + " x\n  y\r\n\tz " + coloured.Paint(Bold, "w")
	require.Equal(t, own, coloured.Lines(own))
	require.Equal(t, `\u001b[31mfailed:\u001b[0m x`, Style{}.Lines(coloured.Paint(Red, "failed:")+" x"))
	require.Equal(t, `\u001b[2J \u001b[8m \u001b[1;31m \u001b]0;t\u0007 \u001b[A`, coloured.Lines("\x1b[2J \x1b[8m \x1b[1;31m \x1b]0;t\a \x1b[A"))
}

func TestNoLineOfATextIsACommandOfAPipeline(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x\n::error::y": "x\n\\u003a:error::y", "x\n  ::add-mask::y": "x\n  \\u003a:add-mask::y",
		"::group::x":   "\\u003a:group::x",
		"x ::error::y": "x ::error::y", "::/0": "::/0", "  ::1\n": "  ::1\n",
	} {
		require.Equal(t, want, Style{}.Lines(text))
	}
}

// TestALineOfJSONKeepsItsMeaning has what encoding/json leaves as it is.
func TestALineOfJSONKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(harmful)
	require.NoError(t, err)
	require.Contains(t, string(text), "\u009b")
	escaped := Style{}.Lines(string(text))
	require.False(t, bytes.ContainsFunc([]byte(escaped), isControl), escaped)
	var read string
	require.NoError(t, json.Unmarshal([]byte(escaped), &read))
	require.Equal(t, harmful, read)
}
