package pulumishim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyCommandsThatChangeOrPreviewAStackAreTaken(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]change{
		"up --yes --skip-preview --exec-kind=auto.local --event-log tcp://localhost:1 --stack dev --non-interactive": changeUp,
		"--non-interactive -C dir up -s dev":      changeUp,
		"--color always update --stack=dev":       changeUp,
		"up -ysdev":                               changeUp,
		"up -fys dev -m other":                    changeUp,
		"up -s=dev -mys":                          changeUp,
		"-Cdir destroy -ys=dev":                   changeDestroy,
		"stack select -cs dev":                    changeSelect,
		"refresh --yes --stack dev":               changeRefresh,
		"destroy --yes --run-program --stack dev": changeDestroy,
		"dn": changeDestroy,
		"stack select --stack dev --non-interactive": changeSelect,
		"stack select dev":                           changeSelect,
		"up --help":                                  "",
		"refresh --preview-only":                     "",
		"preview --diff --event-log log --stack dev": changePreview,
		"pre":                 changePreview,
		"stack rm --yes dev":  "",
		"stack output --json": "",
		"config set key up":   "",
		"version":             "",
		"":                    "",
		"plugin install resource aws v6.83.4 -- up up": "",
	} {
		c := parse(strings.Fields(line))
		require.Equal(t, want, c.changes(), line)
		if strings.Contains(line, "dev") && want != "" {
			require.Equal(t, "dev", c.stack, line)
		}
	}
	require.Equal(t, "dir", parse([]string{"-C", "dir", "up"}).dir)
	require.Equal(t, "dir", parse([]string{"-Cdir", "up"}).dir)
	for line, partial := range map[string]bool{
		"destroy --target=urn": true, "destroy -yt urn": true, "destroy -xurn": true, "destroy --exclude urn": true,
		"destroy -y --target-dependents": false,
	} {
		require.Equal(t, partial, parse(strings.Fields(line)).partial, line)
	}
	for line, refresh := range map[string]bool{
		"up --refresh": true, "up --refresh=true": true, "up -yrs dev": true, "up -r=true": true,
		"up --refresh=false": false, "up -r=false": false, "up -m refresh": false, "up -mr": false, "up --no-color": false,
	} {
		c := parse(strings.Fields(line))
		require.Equal(t, refresh, c.refresh, line)
		require.Contains(t, []string{"", "dev"}, c.stack, line)
	}
	for line, replaces := range map[string]bool{
		"up --replace urn": true, "up --replace=urn": true, "up --target-replace urn": true, "up -t urn": false,
	} {
		require.Equal(t, replaces, parse(strings.Fields(line)).replaces, line)
	}
	require.Empty(t, parse([]string{"up", "-cs", "-t", "urn", "-psdev"}).stack, "the values of -c and -p")
}

func TestTheEngineSendsItsEventsToThisProgram(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"up --yes --event-log tcp://localhost:1 --stack dev": "up --event-log tcp://here --yes --stack dev",
		"--event-log=log up --yes":                           "up --event-log tcp://here --yes",
		"--event-log log --non-interactive up":               "--non-interactive up --event-log tcp://here",
		"destroy --run-program -- --event-log x":             "destroy --event-log tcp://here --run-program -- --event-log x",
	} {
		require.Equal(t, want, strings.Join(parse(strings.Fields(line)).withEventLog("tcp://here"), " "), line)
	}
	require.Equal(t, []string{"destroy", "--yes"},
		parse([]string{"destroy", "--run-program=true", "--yes"}).without("--run-program", false))
}
