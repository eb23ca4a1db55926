// Command cmd is the CLI as tests start it. Under other names, and with variables that only tests set, it is what the
// tests run beside the CLI.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/quietstart"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pulumishim"
	"github.com/hypershift-aws/hypershift-aws/internal/features/policies/pack"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/automationtest"
	"github.com/hypershift-aws/hypershift-aws/test/cloudstate"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
	tests "github.com/hypershift-aws/hypershift-aws/test/program"
)

func main() {
	quietstart.End()
	os.Exit(run(filepath.Base(os.Args[0]), os.Args[1:]))
}

// run does what the program is under a name, and returns its exit code.
func run(name string, args []string) int {
	switch {
	case os.Getenv(countedEngine) != "" && name == "pulumi":
		return failed(runCounted())
	case languagehost.Wanted(name):
		return languagehost.Run(podProgram(), args, os.Stdout, os.Stderr)
	case pack.Wanted(name):
		return pack.Run(os.Stderr)
	case pulumishim.Wanted(name):
		return podstack.RunFront()
	case os.Getenv(podstack.InAgent) != "":
		return podstack.RunAgent(os.Getenv(podstack.InAgent))
	case os.Getenv(cloudstate.Operation) != "":
		return cloudstate.Run(os.Getenv(cloudstate.Operation))
	}
	switch name {
	case tests.Kubectl:
		return failed(kubectl(args))
	case "world":
		return failed(serveWorld(os.Getenv("WORLD")))
	case "hypershift-aws-program":
		return runListed(args)
	case "hypershift-aws-toy":
		stacks.Register(toyKind())
		return recordSuggestions(invocation.System(), args, runAll)
	case "hypershift-aws-no-passphrase":
		streams := invocation.System()
		streams.Environ = streams.Environ.Without(func(name string) bool { return name == "PULUMI_CONFIG_PASSPHRASE" })
		return recordSuggestions(streams, args, runAll)
	default:
		return recordSuggestions(system(), args, runAll)
	}
}

// failed writes an error, if any, and returns the exit code of a process that ends with it.
func failed(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// podProgram returns the program of stacks, in a pod of a test with the accounts of that test.
func podProgram() pulumi.RunFunc {
	if account := os.Getenv(podstack.PodAccount); account != "" {
		return podstack.ProgramInPod(account, "")
	}
	return program.Run
}

// system is the system's streams. The engine writes the state after each step, as it does for users, if the rehearsal
// kills a process.
func system() invocation.Streams {
	streams := invocation.System()
	streams.Project = automationtest.WithGates(streams.Project,
		automationtest.GatesBut(strings.Fields(os.Getenv(tests.WithoutGates))...))
	if os.Getenv(tests.StateAtEnd) == "true" && !strings.Contains(os.Getenv("HYPERSHIFT_AWS_OFFLINE_FAULTS"), "kill: ") {
		streams.Project = automationtest.WithEngineEnviron(streams.Project, "PULUMI_SKIP_CHECKPOINTS=true")
	}
	return streams
}

// runAll runs a command line with all features.
func runAll(streams invocation.Streams, args []string) int {
	return cli.Run(streams, features.All(), args)
}
