package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks"
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

// TestTheProgramInTheReadmeIsAnExample: the example is run, and its resources are compared.
func TestTheProgramInTheReadmeIsAnExample(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?s)```go\n.*?pulumi.Run(\\(func.*?)\n}\n```").FindStringSubmatch(readme(t))
	require.NotNil(t, block)
	example, err := os.ReadFile(filepath.Join("..", "components", "network", "example_test.go"))
	require.NoError(t, err)
	indent := regexp.MustCompile(`(?m)^\t+`)
	require.Contains(t, indent.ReplaceAllString(string(example), ""), "exampletest.Preview"+indent.ReplaceAllString(block[1], ""))
}

func TestEveryConfigKeyInTheReadmeExists(t *testing.T) {
	t.Parallel()
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:cluster|management)[.a-zA-Z]*)`").FindAllStringSubmatch(readme(t), -1) {
		require.Contains(t, stacks.Kinds().Keys(), row[1])
	}
}
