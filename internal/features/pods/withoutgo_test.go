package pods_test

import (
	"archive/tar"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
)

var distArchive = flag.String("dist", "", "the `archive` of make dist whose CLI TestTheCLIRunsWithoutGo runs; by default the test's own")

// unpack copies the CLI of a release's archive to bin.
func (p *pod) unpack(archive string) {
	p.t.Helper()
	packed, err := os.Open(archive)
	require.NoError(p.t, err)
	defer func() { _ = packed.Close() }()
	unzipped, err := gzip.NewReader(packed)
	require.NoError(p.t, err)
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		require.NoError(p.t, err, "%s has no hypershift-aws", archive)
		if filepath.Base(header.Name) == "hypershift-aws" && header.Typeflag == tar.TypeReg {
			p.write(files, "bin/hypershift-aws")
			return
		}
	}
}

// `make dist` runs this with the archive for its machine.
func TestTheCLIRunsWithoutGo(t *testing.T) {
	t.Parallel()
	p := newPod(t)
	if *distArchive != "" {
		p.unpack(*distArchive)
	} else {
		p.copyProgram(harness.Executable(t), "bin/hypershift-aws")
	}
	p.handOver(".")
	run := func(args ...string) string {
		output, err := p.command("hypershift-aws", args...).CombinedOutput()
		require.NoError(t, err, "hypershift-aws %s:\n%s", strings.Join(args, " "), output)
		return string(output)
	}
	run("new", "-s", "dev", "--name", "demo", "--base-domain", "example.com", "--region", "us-east-1", "--oidc-bucket",
		"demo-oidc",
		"--zones", "us-east-1a,us-east-1b")
	require.Contains(t, run("--offline", "up", "--yes"), "created VPC network-vpc")
	require.Contains(t, run("--offline", "paths"), "NAT gateway")
	run("--offline", "destroy", "--yes")
}
