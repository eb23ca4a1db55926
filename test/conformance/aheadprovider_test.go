package conformance

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// ownProviders has each engine start the provider itself: what the variable asks of plugins is nothing.
const ownProviders = "PULUMI_OPTION_LOGFLOW=false"

// countedCLI is realCLI with a provider whose starts are counted.
func countedCLI(t *testing.T, config string) (*harness.CLI, *moto.Calls, *moto.Account, func() (int, int)) {
	t.Helper()
	c, provider, calls, account := realCLI(t, config)
	dir := t.TempDir()
	log := filepath.Join(dir, "starts")
	// The engine gives its plugins its address.
	script := fmt.Sprintf("#!/bin/sh\necho \"start $#\" >> '%s'\nexec '%s' \"$@\"\n", log,
		filepath.Join(provider.Plugin, "pulumi-resource-aws"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pulumi-resource-aws"), []byte(script), 0o700))
	for _, entry := range c.Environ() {
		if path, is := strings.CutPrefix(entry, "PATH="); is {
			c = c.With("PATH=" + dir + string(os.PathListSeparator) + path)
		}
	}
	return c, calls, account, func() (ahead, byEngine int) {
		t.Helper()
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		require.NoError(t, os.Remove(log))
		return bytes.Count(text, []byte("start 0\n")), bytes.Count(text, []byte("start 1\n"))
	}
}

// TestEnginesAttachToAnAWSProviderThatWasStartedAhead: each engine of a stack with one provider, whose configuration
// does not change. A provider that is configured twice would fail where the test has a bundle of certificates.
func TestEnginesAttachToAProviderThatStartedAheadWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	c, _, account, starts := countedCLI(t, repairable())
	expect := func(c *harness.CLI, ahead, byEngine int, args ...string) {
		t.Helper()
		c.Run(append([]string{"-s", "demo"}, args...)...)
		first, second := starts()
		assert.Equal(t, []int{ahead, byEngine}, []int{first, second}, args)
	}
	expect(c, 1, 0, "preview")
	expect(c, 2, 0, "up", "--yes")
	expect(c, 2, 0, "up", "--yes")
	expect(c, 1, 0, "drift")
	expect(c, 1, 0, "refresh", "--yes")
	expect(c.With(ownProviders), 0, 2, "up", "--yes")
	expect(c.With("PULUMI_DEBUG_PROVIDERS=other:1"), 1, 0, "preview", "--expect-no-changes")

	// The provider of the state and that of the file have different configurations.
	file := filepath.Join(c.Dir, "Pulumi.demo.yaml")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "config:\n",
		"config:\n  aws:maxRetries: 3\n", 1)), 0o600))
	c.Run("-s", "demo", "up", "--yes")
	ahead, byEngine := starts()
	assert.Zero(t, ahead)
	assert.NotZero(t, byEngine)
	expect(c, 1, 0, "preview", "--expect-no-changes")
	c.Run("-s", "demo", "destroy", "--yes", "--cluster", "demo")
	require.Empty(t, owned(t, account))
}

// TestAKilledProcessLeavesNothingWithAnAWSProvider: the CLI, the engine or the provider is killed while a resource is
// created. The others end, and the next run continues.
func TestAKilledProcessLeavesNothingWithAnAWSProvider(t *testing.T) {
	t.Parallel()
	for killed, at := range map[string]string{
		"hypershift-aws": "ec2:CreateNatGateway", "pulumi": "ec2:CreateVpc", "pulumi-resource-aws": "ec2:CreateVpc",
	} {
		t.Run(killed, func(t *testing.T) {
			t.Parallel()
			c, provider, calls, account := realCLI(t, repairable())
			done := make(chan struct{})
			calls.Stop(at, func([]string) bool { return true }, func() (int, string) {
				defer close(done)
				for id, name := range processesOf(t, provider.Endpoint) {
					if name == killed {
						require.NoError(t, syscall.Kill(id, syscall.SIGKILL))
					}
				}
				return http.StatusServiceUnavailable, "killed"
			})
			_, _, code := c.Exit("-s", "demo", "up", "--yes")
			require.NotZero(t, code)
			<-done
			require.Eventually(t, func() bool { return len(processesOf(t, provider.Endpoint)) == 0 }, time.Minute,
				100*time.Millisecond, "a process is left")
			c.Run("-s", "demo", "up", "--yes")
			c.Run("-s", "demo", "preview", "--expect-no-changes")
			c.Run("-s", "demo", "drift")
			c.Run("-s", "demo", "destroy", "--yes", "--cluster", "demo")
			require.Empty(t, owned(t, account))
			require.Empty(t, processesOf(t, provider.Endpoint))
		})
	}
}

// processesOf returns the names of the processes that know the address of AWS's API, by their IDs.
func processesOf(t *testing.T, endpoint string) map[int]string {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	found := map[int]string{}
	for _, process := range processes {
		environ, err := os.ReadFile(process)
		if err != nil || !bytes.Contains(environ, []byte("AWS_ENDPOINT_URL="+endpoint+"\x00")) {
			continue // it has ended, or belongs to somebody else
		}
		id, err := strconv.Atoi(strings.Split(process, "/")[2])
		require.NoError(t, err)
		if path, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(id), "exe")); err == nil {
			found[id] = filepath.Base(path)
		}
	}
	return found
}

// TestAProviderThatWasStartedAheadIsMeasuredThroughAWSsAPI prints a table: commands whose engines attach to a provider,
// and start it themselves, in alternating rounds in one account. It judges nothing, because times depend on the
// machine.
func TestAProviderThatWasStartedAheadIsMeasuredThroughAWSsAPI(t *testing.T) {
	if *awsPlugin == "" || os.Getenv("ROUNDS") == "" {
		t.Skip("NOT MEASURED: a provider that was started ahead: make bench AWS_PLUGIN=FOLDER")
	}
	rounds, err := strconv.Atoi(os.Getenv("ROUNDS"))
	require.NoError(t, err)
	type figures struct{ wall, processor []time.Duration }
	measuredBy := map[string]*figures{}
	c, _, calls, _ := realCLI(t, repairable())
	calls.Delay(latency)
	run := func(how, what string, c *harness.CLI, args ...string) {
		command := exec.Command(harness.Executable(t), append([]string{"-s", "demo"}, args...)...)
		command.Dir, command.Env = c.Dir, c.Environ()
		m := measure(t, calls, command)
		key := what + " " + how
		if measuredBy[key] == nil {
			measuredBy[key] = &figures{}
		}
		measuredBy[key].wall = append(measuredBy[key].wall, m.wall)
		measuredBy[key].processor = append(measuredBy[key].processor, m.processor)
	}
	ways := map[string]*harness.CLI{"own": c.With(ownProviders), "ahead": c}
	for range rounds {
		for _, first := range []string{"own", "ahead"} {
			run(first, "first preview", ways[first], "preview")
			run(first, "first up", ways[first], "up", "--yes")
			for _, how := range []string{"own", "ahead"} {
				run(how, "preview", ways[how], "preview")
				run(how, "up without changes", ways[how], "up", "--yes")
				run(how, "drift", ways[how], "drift")
			}
			run(first, "destroy", ways[first], "destroy", "--yes", "--cluster", "demo")
		}
	}
	median := func(list []time.Duration) float64 {
		slices.Sort(list)
		return list[len(list)/2].Seconds()
	}
	table := []string{"| | started by the engine | ahead | ratio | processor time | ahead | ratio |",
		"|---|---|---|---|---|---|---|"}
	for _, what := range []string{"first preview", "first up", "preview", "up without changes", "drift", "destroy"} {
		own, ahead := measuredBy[what+" own"], measuredBy[what+" ahead"]
		if own == nil || ahead == nil {
			continue
		}
		table = append(table, fmt.Sprintf("| %s | %.2f s | %.2f s | %.2f | %.2f s | %.2f s | %.2f |", what, median(own.wall),
			median(ahead.wall), median(ahead.wall)/median(own.wall), median(own.processor), median(ahead.processor),
			median(ahead.processor)/median(own.processor)))
	}
	t.Logf("\n\n%s\n", strings.Join(table, "\n"))
}
