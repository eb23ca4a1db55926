package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// project is a folder with stacks of one three-zone PublicAndPrivate cluster each, in separate accounts.
type project struct {
	b   *bench
	dir string
}

func (b *bench) project(name string, stacks int) (*project, error) {
	p := &project{b, filepath.Join(b.dir, name)}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return nil, err
	}
	for i := range stacks {
		text := fmt.Sprintf(`config:
  aws:region: us-east-1
  aws:allowedAccountIds: ["%012d"]
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x%d
    baseDomain: example.com
    endpointAccess: PublicAndPrivate
    network: {zones: [us-east-1a, us-east-1b, us-east-1c]}
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
`, 100000000000+i, i)
		if err := os.WriteFile(filepath.Join(p.dir, "Pulumi."+stackName(i)+".yaml"), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func stackName(i int) string { return fmt.Sprintf("s%d", i) }

// spent is what a command took: wall time and, with what it started, processor time.
type spent struct{ wall, processor time.Duration }

func (s spent) less(other spent) bool { return s.wall < other.wall }

// cli runs the CLI offline on a stack.
func (p *project) cli(stack int, environment string, args ...string) (spent, error) {
	args = append([]string{"--offline", "-s", stackName(stack)}, args...)
	return p.command(environment, filepath.Join(p.b.root, "bin", "hypershift-aws"), args...)
}

// bare runs the same program on the same stack by nothing but the Automation API.
func (p *project) bare(operation string) (spent, error) {
	own, err := os.Executable()
	if err != nil {
		return spent{}, err
	}
	return p.command("", own, "bare", p.b.root, p.dir, stackName(0), operation)
}

func (p *project) command(environment, program string, args ...string) (spent, error) {
	_, took, err := p.output(environment, program, args...)
	return took, err
}

// output runs a program, and returns its output.
func (p *project) output(environment, program string, args ...string) (string, spent, error) {
	command := exec.Command(program, args...)
	command.Dir = p.dir
	command.Env = p.environ(environment)
	began := time.Now()
	output, err := command.CombinedOutput()
	if err != nil {
		return "", spent{}, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, output)
	}
	state := command.ProcessState
	return string(output), spent{time.Since(began), state.UserTime() + state.SystemTime()}, nil
}

// environ returns this process's environment with the engine on PATH, and a variable.
func (p *project) environ(variable string) []string {
	return append(os.Environ(), "PATH="+filepath.Join(p.b.root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		variable)
}

// atOnce runs the CLI on the first n stacks at the same time, and sums the processor time.
func (p *project) atOnce(n int, args ...string) (time.Duration, error) {
	var wait sync.WaitGroup
	times, errs := make([]time.Duration, n), make([]error, n)
	for i := range n {
		wait.Go(func() {
			var s spent
			s, errs[i] = p.cli(i, "", args...)
			times[i] = s.processor
		})
	}
	wait.Wait()
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	return sum, errors.Join(errs...)
}

// resources returns the resources in the state of the first stack.
func (p *project) resources() ([]apitype.ResourceV3, error) {
	path := filepath.Join(p.dir, ".hypershift-aws", "offline", "state", ".pulumi", "stacks", "hypershift-aws",
		stackName(0)+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Checkpoint struct {
			Latest struct{ Resources []apitype.ResourceV3 }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	return file.Checkpoint.Latest.Resources, nil
}
