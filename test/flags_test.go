package test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// flagRow is a row of docs/flags.md.
type flagRow struct{ flag, here string }

// flagTables returns the tables of docs/flags.md by the commands that they are about.
func flagTables(t *testing.T) map[string][]flagRow {
	t.Helper()
	text, err := os.ReadFile("../docs/flags.md")
	require.NoError(t, err)
	tables, command := map[string][]flagRow{}, ""
	heading, row := regexp.MustCompile("^## `(.*)`$"), regexp.MustCompile("^\\| `--([a-z0-9-]+)` \\| (.+) \\|$")
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if match := heading.FindStringSubmatch(line); match != nil {
			command = match[1]
		}
		if match := row.FindStringSubmatch(line); match != nil {
			tables[command] = append(tables[command], flagRow{match[1], match[2]})
		}
	}
	return tables
}

func TestTheDocsHaveEveryFlagOfHyperShiftsCommands(t *testing.T) {
	t.Parallel()
	tables := flagTables(t)
	lists, err := filepath.Glob(filepath.Join("testdata", "flags", "*.txt"))
	require.NoError(t, err)
	require.Len(t, lists, len(tables))
	for command, rows := range tables {
		list, err := os.ReadFile(filepath.Join("testdata", "flags", strings.ReplaceAll(command, " ", "-")+".txt"))
		require.NoError(t, err)
		var flags []string
		for _, row := range rows {
			flags = append(flags, row.flag)
		}
		require.Equal(t, strings.Fields(string(list)), flags, command)
	}
}

// providerKeys returns the keys of the aws: config.
func providerKeys() []string {
	args := aws.ProviderArgs{}.ElementType()
	keys := make([]string, args.NumField())
	for i := range keys {
		keys[i] = "aws:" + args.Field(i).Tag.Get("pulumi")
	}
	return keys
}

func TestTheCounterpartOfEachFlagExists(t *testing.T) {
	t.Parallel()
	keys := stacks.Kinds().Keys()
	named := regexp.MustCompile("`([^`]+)`")
	for command, rows := range flagTables(t) {
		for _, row := range rows {
			if strings.HasPrefix(row.here, "not here, because ") {
				continue
			}
			match := named.FindStringSubmatch(row.here)
			require.NotNil(t, match, "%s --%s says neither where nor why not", command, row.flag)
			for _, match := range named.FindAllStringSubmatch(row.here, -1) {
				name := match[1]
				switch {
				case strings.HasPrefix(name, "cluster.") || strings.HasPrefix(name, "management."):
					require.Contains(t, keys, name, "%s --%s: that is no key of the config", command, row.flag)
				case strings.HasPrefix(name, "aws:"):
					require.Contains(t, providerKeys(), name, "%s --%s: that is no key of the AWS provider", command, row.flag)
				case strings.HasPrefix(name, "hypershift-aws "):
					words := strings.Fields(name)
					help := newCLI(t, t.TempDir()).run(append(words[1:], "--help")...)
					require.Contains(t, help, words[len(words)-1], "%s --%s", command, row.flag)
				}
			}
		}
	}
}
