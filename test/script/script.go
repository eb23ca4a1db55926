// Package script runs testscripts with the program of tests: sessions of the CLI, beside the feature or the command
// that they are about.
package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/test/program"
	"github.com/hypershift-aws/hypershift-aws/test/race"
	"github.com/hypershift-aws/hypershift-aws/test/repo"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// Run runs the scripts of a folder, which need no engine.
func Run(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, func(env *testscript.Env) error {
		env.Setenv("HOME", env.WorkDir)
		return nil
	})
}

// RunWithEngine runs the scripts of a folder with the real engine, which is behind the program on PATH: beside the
// engine there may be a hypershift-aws of another day.
//
// At their full size, the processes of the scripts also run what their messages advise, in the situation that prints
// it: the test fails if that doesn't help, see commandline.CheckFollowed. Each kind of message is followed where it is
// printed first, which differs between runs.
func RunWithEngine(t *testing.T, dir string) {
	t.Helper()
	engines := filepath.Dir(FindEngine(t))
	run(t, dir, func(env *testscript.Env) error {
		env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+engines)
		env.Setenv("EXAMPLES", repo.Path("examples"))
		// Less work for short-lived processes: see test/bench. The second is false where a rehearsal kills a process;
		// sessions that send signals set it to false.
		env.Setenv("GOGC", "400")
		env.Setenv(program.StateAtEnd, "true")
		env.Setenv("PULUMI_PARALLEL", "16") // estimates depend on it, by default on the processors
		home := filepath.Join(env.WorkDir, ".pulumi")
		env.Setenv("PULUMI_HOME", home)
		env.Setenv("PULUMI_CONFIG_PASSPHRASE", "correct horse")
		env.Setenv("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true")
		world := filepath.Join(env.WorkDir, "world")
		env.Setenv("WORLD", world)
		if sizes.All() {
			env.Setenv(program.Follow, "true")
		}
		return errors.Join(engine.HomeWithoutLogs(home), os.MkdirAll(world, 0o755))
	})
}

// run runs the scripts of a folder, and checks what their processes recorded after the last one.
func run(t *testing.T, dir string, setup func(*testscript.Env) error) {
	t.Helper()
	programs, err := program.Dir()
	require.NoError(t, err)
	records := t.TempDir()
	t.Cleanup(func() { checkRecords(t, records) })
	testscript.Run(t, testscript.Params{
		Dir: dir, Cmds: commands(), Condition: condition,
		Setup: func(env *testscript.Env) error {
			env.Setenv(program.Records, records)
			env.Setenv("PATH", programs+string(os.PathListSeparator)+env.Getenv("PATH"))
			return setup(env)
		},
	})
}

// checkRecords checks the JSON of processes, and fails for the commands that they suggested in vain.
func checkRecords(t *testing.T, folder string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, file := range files {
		path := filepath.Join(folder, file.Name())
		if strings.HasSuffix(path, program.JSONRecord) {
			checkJSON(t, path)
			continue
		}
		switch filepath.Ext(path) {
		case program.LockRecord:
			continue
		case program.FollowedRecord:
			recordFollowed(t, path)
			continue
		}
		faults, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Empty(t, string(faults))
	}
}

// condition is true for "all" if tests run at their full size: a script ends with `[!all] stop` where its variations
// begin.
func condition(name string) (bool, error) {
	if name != "all" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return sizes.All(), nil
}

// FindEngine finds the engine as the command line does.
func FindEngine(t *testing.T) string {
	t.Helper()
	race.SkipEngine(t)
	found, err := engine.Find(t.Context(), engine.Search{Environ: os.Environ(), Dirs: []string{repo.Path()}})
	if err != nil {
		t.Fatalf("run `make engine` first: %v", err)
	}
	return found.Path
}

// recordFollowed adds a message whose advice was followed to the file in the environment, if any: see
// commandline.TestEachRemedyIsFollowed.
func recordFollowed(t *testing.T, path string) {
	t.Helper()
	list := os.Getenv(program.FollowedList)
	if list == "" {
		return
	}
	message, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	_, err = file.Write(message)
	require.NoError(t, errors.Join(err, file.Close()))
}
