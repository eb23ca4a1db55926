package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheListHasFortyFaults(t *testing.T) {
	t.Parallel()
	faults, err := parse(list)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(faults), 40)
	for _, f := range faults {
		require.NotContains(t, []string{f.Fault, f.File, f.Old, f.Package, f.Test}, "", f.Fault)
		require.NotEqual(t, f.Old, f.New, f.Fault)
		text, err := os.ReadFile(filepath.Join("..", "..", f.File))
		require.NoError(t, err, f.Fault)
		_, err = f.apply(string(text))
		require.NoError(t, err, "%s: %s", f.File, f.Fault)
	}
	f := fault{File: "f.go", Old: "a > b", New: "a < b"}
	text, err := f.apply("if a > b {")
	require.NoError(t, err)
	require.Equal(t, "if a < b {", text)
	_, err = f.apply("if a > b || a > b {")
	require.Error(t, err, "which of the two")
	require.Equal(t, "^TestA$/^b$", pattern("TestA/b"))
}
