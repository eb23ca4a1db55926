package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	return string(text)
}

func TestTheProgramInTheReadmeBuilds(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(readme(t))
	require.NotNil(t, block)
	program := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(program, []byte(block[1]), 0o600))
	output, err := exec.Command("go", "vet", program).CombinedOutput()
	require.NoError(t, err, string(output))
}

func TestEveryConfigKeyInTheReadmeExists(t *testing.T) {
	t.Parallel()
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:cluster|management)[.a-zA-Z]*)`").FindAllStringSubmatch(readme(t), -1) {
		require.Contains(t, config.Keys(), row[1])
	}
}
