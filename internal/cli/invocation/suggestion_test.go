package invocation

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

func TestASuggestedCommandHasTheCallersFlags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		caller       *selection
		before, want string
	}{
		"none": {&selection{}, "run `hypershift-aws up -s dev`", "run `hypershift-aws up -s dev`"},
		"offline": {&selection{Offline: true}, "run `hypershift-aws up -s dev` again",
			"run `hypershift-aws --offline up -s dev` again"},
		"set already": {&selection{
			Offline: true,
			Stack:   "b",
			Dirs:    []string{"p"},
		}, "`hypershift-aws --offline up -s a -C q`", "`hypershift-aws --offline up -s a -C q`"},
		"the caller's stack": {&selection{Stack: "dev"}, "`hypershift-aws refresh --forget-pending`",
			"`hypershift-aws refresh --forget-pending -s dev`"},
		"this folder": {&selection{Dirs: []string{"."}}, "`hypershift-aws up`", "`hypershift-aws up`"},
		"a folder": {&selection{Dirs: []string{"it's here"}}, "`hypershift-aws up`",
			"`hypershift-aws up -C 'it'\\''s here'`"},
		"a backend": {&selection{backend: "s3://b?region=r"}, "`hypershift-aws up`",
			"`hypershift-aws up --backend 's3://b?region=r'`"},
		"an empty account": {&selection{
			Offline:      true,
			emptyAccount: true,
		}, "`hypershift-aws up`", "`hypershift-aws --offline --offline-empty up`"},
		"many folders": {&selection{
			Dirs:  []string{"a", "b/*"},
			Stack: "x",
		}, "`hypershift-aws fleet up --resume`", "`hypershift-aws fleet up --resume -C a -C 'b/*'`"},
		"one of many": {&selection{Dirs: []string{"a", "b"}}, "`hypershift-aws up -s x`", "`hypershift-aws up -s x`"},
		"no stack needed": {&selection{Offline: true, Stack: "x"}, "`hypershift-aws prices update --region r`",
			"`hypershift-aws prices update --region r`"},
		"two commands": {&selection{Offline: true}, "`hypershift-aws up` or `hypershift-aws drift`",
			"`hypershift-aws --offline up` or `hypershift-aws --offline drift`"},
		"not a command": {&selection{Offline: true}, "runtime: `hypershift-aws`, and hypershift-aws up",
			"runtime: `hypershift-aws`, and hypershift-aws up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := c.caller.WithFlags(c.before)
			require.Equal(t, c.want, got)
			require.Equal(t, got, c.caller.WithFlags(got), "the flags are added once")
		})
	}
}

func TestErrorsAndEventsHaveTheCallersFlags(t *testing.T) {
	t.Parallel()
	var out, text bytes.Buffer
	c := New(Streams{Out: &out, Err: &text}, nil)
	c.Dirs, c.output = []string{`a "b"`}, "json"
	require.NoError(t, c.Begin("up"))
	require.Equal(t, failure.Refused.ExitCode(), c.End(Refuse("run `hypershift-aws up`")))
	require.Contains(t, text.String(), "`hypershift-aws up -C 'a \"b\"'`")
	var object map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &object))
	require.Equal(t, "run `hypershift-aws up -C 'a \"b\"'`", object["problem"])
}
