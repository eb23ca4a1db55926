package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestColoursFollowTheUsualConventions(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		terminal, want bool
		environ        map[string]string
	}{
		{true, true, nil},
		{false, false, nil},
		{true, false, map[string]string{"NO_COLOR": "1"}},
		{true, true, map[string]string{"NO_COLOR": ""}},
		{true, false, map[string]string{"CLICOLOR": "0"}},
		{true, false, map[string]string{"TERM": "dumb"}},
		{false, true, map[string]string{"CLICOLOR_FORCE": "1"}},
		{false, false, map[string]string{"CLICOLOR_FORCE": "0"}},
		{false, false, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}},
	} {
		style := NewStyle(row.terminal, func(name string) string { return row.environ[name] })
		assert.Equal(t, row.want, style.Colours, "%+v", row)
	}
	assert.Equal(t, "\x1b[31mx\x1b[0m", Style{Colours: true}.Paint(Red, "x"))
}

func TestAListThatDoesNotFitEndsWithItsRest(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a, b, c", List([]string{"a", "b", "c"}, 7))
	assert.Equal(t, "aaa and 2 more", List([]string{"aaa", "bbbbbbb", "ccccccc"}, 15))
	assert.Equal(t, "a in x, y; b", List([]string{"a in x, y", "b"}, 0))
	assert.Equal(t, "aaaa…", List([]string{"aaaaaaaa"}, 5))
}
