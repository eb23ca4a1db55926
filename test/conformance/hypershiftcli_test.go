package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/harness"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

var hyperShiftCLI = flag.String("hypershift-cli", "", "HyperShift's CLI, as tools/hypershift/build compiles it, with which `up` is compared")

// compared is the cluster that both tools create.
const compared = `config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    endpointAccess: PublicAndPrivate
    network: {zones: [us-east-1a, us-east-1b, us-east-1c], nat: PerZone}
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
`

// latency is AWS's in the comparison: what the commands wait for is the same for both tools.
func latency(changes bool) time.Duration {
	if changes {
		return 500 * time.Millisecond
	}
	return 200 * time.Millisecond
}

// measured is what a command took.
type measured struct {
	wall, processor, applicable time.Duration
	calls                       []moto.Timed
}

// add returns what two commands took, one after the other.
func (m measured) add(next measured) measured {
	return measured{
		wall: m.wall + next.wall, processor: m.processor + next.processor, applicable: m.wall + next.applicable,
		calls: append(m.calls, next.calls...),
	}
}

// row returns a line of the table.
func (m measured) row(what string) string {
	changes := 0
	for _, call := range m.calls {
		if call.Changes {
			changes++
		}
	}
	return fmt.Sprintf("| %s | %.1f s | %.1f s | %.1f s | %d | %d | %d | %d |", what, m.applicable.Seconds(), m.wall.Seconds(),
		m.processor.Seconds(), len(m.calls), len(m.calls)-changes, changes, moto.Rounds(moto.UntilFirstChange(m.calls)))
}

// measure runs a command. A HostedCluster can be applied when the last policy of a role is there, which needs the
// zones.
func measure(t *testing.T, calls *moto.Calls, command *exec.Cmd) measured {
	t.Helper()
	before, began := len(calls.Timed()), time.Now()
	output, err := command.CombinedOutput()
	m := measured{wall: time.Since(began)}
	require.NoError(t, err, "%s\n%s", strings.Join(command.Args, " "), output)
	m.processor = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	m.applicable, m.calls = m.wall, calls.Timed()[before:]
	for _, call := range m.calls {
		if call.Action == "iam:PutRolePolicy" {
			m.applicable = call.Ended.Sub(began)
		}
	}
	return m
}

// TestUpIsComparedWithHyperShiftsCLIThroughAWSsAPI prints a table: both tools create the same cluster in accounts of
// the same emulator, with the same latencies, in one run. It judges nothing, because times depend on the machine.
func TestUpIsComparedWithHyperShiftsCLIThroughAWSsAPI(t *testing.T) {
	if *hyperShiftCLI == "" {
		t.Skip("NOT MEASURED: HyperShift's CLI: make bench HYPERSHIFT=CHECKOUT AWS_PLUGIN=FOLDER")
	}
	table := []string{
		"| | until a HostedCluster can be applied | wall | processor | calls | reads | writes | rounds before the first write |",
		"|---|---|---|---|---|---|---|---|",
	}
	hyperShift := hyperShiftCreates(t)
	table = append(table, hyperShift.row("HyperShift's CLI: `create infra aws`, `create iam aws`"))
	if *awsPlugin == "" {
		t.Log("NOT MEASURED: up, which needs an AWS provider: make bench HYPERSHIFT=CHECKOUT AWS_PLUGIN=FOLDER")
	} else {
		c, _, calls, _ := realCLI(t, compared)
		calls.Delay(latency)
		for _, args := range [][]string{{"up", "--yes"}, {"preview"}, {"up", "--yes"}, {"drift"}, {"destroy", "--yes"}} {
			command := exec.Command(harness.Executable(t), append([]string{"-s", "demo"}, args...)...)
			command.Dir, command.Env = c.Dir, c.Environ()
			m := measure(t, calls, command)
			table = append(table, m.row("`"+strings.Join(args, " ")+"`"))
			if len(table) == 4 {
				t.Logf("up / HyperShift's CLI until a HostedCluster can be applied: %.2f",
					m.applicable.Seconds()/hyperShift.applicable.Seconds())
			}
		}
	}
	t.Logf("\n\n%s\n", strings.Join(table, "\n"))
}

// hyperShiftCreates measures the two commands of HyperShift's CLI.
func hyperShiftCreates(t *testing.T) measured {
	t.Helper()
	address := moto.Serve(t, "HyperShift's CLI")
	moto.NewAccount(t, moto.Config(address, "ec2", "route53", "iam", "sts")).Give(stackfile.SeedsFor(t, compared))
	proxy, calls := moto.WatchAs(t, moto.Provider, address) // as for up
	calls.Delay(latency)
	executable, err := filepath.Abs(*hyperShiftCLI)
	require.NoError(t, err)
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig") // it makes a client, and sends nothing
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`{"apiVersion": "v1", "kind": "Config", "current-context": "none",
"clusters": [{"name": "none", "cluster": {"server": "https://127.0.0.1:1"}}], "contexts": [{"name": "none", "context": {"cluster": "none"}}]}`), 0o600))
	create := func(what string, args ...string) measured {
		args = append([]string{"create", what, "aws", "--infra-id", "demo-x1", "--region", "us-east-1"}, args...)
		command := exec.Command(executable, args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+proxy, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
			"AWS_EC2_METADATA_DISABLED=true", "KUBECONFIG="+kubeconfig)
		return measure(t, calls, command)
	}
	infra := create("infra", "--name", "demo", "--base-domain", "example.com", "--zones", "us-east-1a,us-east-1b,us-east-1c",
		"--output-file", "infra.json")
	text, err := os.ReadFile(filepath.Join(dir, "infra.json"))
	require.NoError(t, err)
	var made struct{ PublicZoneID, PrivateZoneID, LocalZoneID string }
	require.NoError(t, json.Unmarshal(text, &made))
	return infra.add(create("iam", "--public-zone-id", made.PublicZoneID, "--private-zone-id", made.PrivateZoneID,
		"--local-zone-id", made.LocalZoneID, "--oidc-storage-provider-s3-bucket-name", "demo-oidc",
		"--oidc-storage-provider-s3-region", "us-east-1"))
}
