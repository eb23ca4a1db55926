package test

import (
	"os"
	"strings"
	"testing"

	hypershiftaws "github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	runtimehost "github.com/hypershift-aws/hypershift-aws/internal/features/pods/languagehost"
	"github.com/hypershift-aws/hypershift-aws/internal/features/pods/pulumishim"
	"github.com/hypershift-aws/hypershift-aws/internal/features/policies/pack"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/kubelet"
	"github.com/hypershift-aws/hypershift-aws/test/podstack"
)

func TestMain(m *testing.M) {
	kubelet.Main()
	if runtimehost.Wanted(os.Args[0]) {
		run := program.Run
		if account := os.Getenv(podstack.PodAccount); account != "" {
			run = podstack.ProgramInPod(account, "")
		}
		os.Exit(runtimehost.Run(run, os.Args[1:], os.Stdout, os.Stderr))
	}
	if pack.Wanted(os.Args[0]) {
		os.Exit(runPack())
	}
	if pulumishim.Wanted(os.Args[0]) {
		os.Exit(podstack.RunFront())
	}
	if operation := os.Getenv(podstack.InAgent); operation != "" {
		os.Exit(podstack.RunAgent(operation))
	}
	if name := os.Getenv(inBucket); name != "" {
		os.Exit(runInBucket(name))
	}
	if os.Getenv(harness.AsCLI) != "" {
		streams := invocation.System()
		streams.WithoutGates = strings.Fields(os.Getenv(harness.WithoutGates))
		os.Exit(hypershiftaws.Run(streams, os.Args[1:]))
	}
	os.Exit(harness.Main(m))
}
