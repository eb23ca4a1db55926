package commandline_test

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/test/commandline"
)

func TestASuggestionThatCannotWorkIsFound(t *testing.T) {
	t.Parallel()
	for command, ok := range map[string]bool{
		"hypershift-aws up -s dev --offline -C 'my folder'":                true,
		"hypershift-aws sweep -s dev --offline -C 'my folder'":             true,
		"hypershift-aws prices update --region us-east-1":                  true,
		"hypershift-aws up -s dev -C 'my folder'":                          false,
		"hypershift-aws up -s dev --offline":                               false,
		"hypershift-aws up -s dev --offline -C other":                      false,
		"hypershift-aws ascend -s dev --offline -C 'my folder'":            false,
		"hypershift-aws up -s dev --quietly --offline -C 'my folder'":      false,
		"hypershift-aws up dev -s dev --offline -C 'my folder'":            false,
		"hypershift-aws refresh --forget-pending --offline -C 'my folder'": false,
	} {
		err := commandline.CheckSuggestion(func() *cobra.Command {
			return cli.Command(features.All())
		}, []string{"-C", "my folder", "--offline", "-s", "dev", "preview"}, command)
		assert.Equal(t, ok, err == nil, "%s: %v", command, err)
	}
}
