package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// againstTheCriticalPath measures an up, its preview included, under AWS's own times.
func (b *bench) againstTheCriticalPath() error {
	p, err := b.project("path", 1)
	if err != nil {
		return err
	}
	up, err := p.cli(0, fmt.Sprintf("HYPERSHIFT_AWS_OFFLINE_FAULTS={scale: %g}", b.scale), "up", "--yes")
	if err != nil {
		return err
	}
	resources, err := p.resources()
	if err != nil {
		return err
	}
	path, sum := times(resources, b.scale)
	b.add("up / the longest path of its graph", seconds(up.wall), seconds(path), ratio(up.wall, path), 1.10)
	b.add("the same calls one after another / up", seconds(sum), seconds(up.wall), ratio(sum, up.wall), 0)
	return nil
}

// times returns the minimum time for creating the resources: along the longest path of dependencies, and one after
// another.
func times(resources []apitype.ResourceV3, scale float64) (path, sum time.Duration) {
	rehearsal := offline.Rehearsal{Scale: scale}
	ends := map[string]time.Duration{}
	// The state lists what is depended on first.
	for _, r := range resources {
		var begins, takes time.Duration
		for _, dependency := range r.Dependencies {
			begins = max(begins, ends[string(dependency)])
		}
		for _, list := range r.PropertyDependencies {
			for _, dependency := range list {
				begins = max(begins, ends[string(dependency)])
			}
		}
		if r.Custom && len(r.Type) > 4 && r.Type[:4] == "aws:" {
			takes = time.Duration(rehearsal.CreationSeconds(string(r.Type)) * float64(time.Second))
		}
		ends[string(r.URN)] = begins + takes
		path, sum = max(path, begins+takes), sum+takes
	}
	return path, sum
}

// againstTheBareEngine measures the CLI against the shortest program that does the same.
func (b *bench) againstTheBareEngine() error {
	for _, pair := range []struct {
		what, operation string
		fresh           bool
		target          float64
	}{
		{"first preview", "preview", true, 0},
		{"first up", "up", true, 0},
		{"preview without changes", "preview", false, 1.15},
		{"up without changes", "up", false, 0},
	} {
		var ours, bare spent
		for round := range b.rounds {
			// One after the other in turn, so that what else the machine does falls on both.
			for _, measure := range []struct {
				best *spent
				run  func(*project) (spent, error)
			}{
				{&ours, func(p *project) (spent, error) { return p.cli(0, "", withYes(pair.operation)...) }},
				{&bare, func(p *project) (spent, error) { return p.bare(pair.operation) }},
			} {
				p, err := b.project("bare", 1)
				if err != nil {
					return err
				}
				if pair.fresh {
					_ = os.RemoveAll(filepath.Join(p.dir, ".hypershift-aws"))
					// Both start with an existing, empty stack.
					if _, err := p.cli(0, "", "preview"); err != nil {
						return err
					}
				} else if round == 0 {
					if _, err := p.cli(0, "", "up", "--yes"); err != nil {
						return err
					}
				}
				took, err := measure.run(p)
				if err != nil {
					return err
				}
				if round == 0 || took.less(*measure.best) {
					*measure.best = took
				}
			}
		}
		b.add(pair.what+": ours / the bare engine", seconds(ours.wall), seconds(bare.wall), ratio(ours.wall, bare.wall), pair.target)
	}
	return nil
}

func withYes(operation string) []string {
	if operation == "up" {
		return []string{"up", "--yes"}
	}
	return []string{operation}
}

// manyAtOnce measures the cost of a stack when others run at the same time: its share of the time, processor time and
// memory. More processes than processors cost processor time by themselves, which the program can do nothing about.
func (b *bench) manyAtOnce() error {
	var one, oneShare, oneMemory float64
	for _, n := range []int{1, 10, b.most} {
		p, err := b.project(fmt.Sprintf("many-%d", n), n)
		if err != nil {
			return err
		}
		watch := watchMemory()
		began := time.Now()
		sum, err := p.atOnce(n, "up", "--yes")
		share := time.Since(began).Seconds() / float64(n)
		memory := watch.peak() / float64(n)
		if err != nil {
			return err
		}
		each := sum.Seconds() / float64(n)
		if n == 1 {
			one, oneShare, oneMemory = each, share, memory
			continue
		}
		target := 0.0
		if n == b.most {
			target = 1.15
		}
		b.add(fmt.Sprintf("time of an up: %d at once, a stack / one", n), fmt.Sprintf("%.2f s", share),
			fmt.Sprintf("%.2f s", oneShare), share/oneShare, target)
		b.add(fmt.Sprintf("processor time of an up: each of %d at once / one", n), fmt.Sprintf("%.2f s", each),
			fmt.Sprintf("%.2f s", one), each/one, target)
		b.add(fmt.Sprintf("memory of an up: each of %d at once / one", n), fmt.Sprintf("%.0f MB", memory),
			fmt.Sprintf("%.0f MB", oneMemory), memory/oneMemory, target)
	}
	return nil
}

// start compares the time that the CLI and the engine take to print their versions.
func (b *bench) start() error {
	p, err := b.project("start", 1)
	if err != nil {
		return err
	}
	var ours, engine spent
	for round := range 2 * b.rounds {
		o, err := p.command("", filepath.Join(b.root, "bin", "hypershift-aws"), "--help")
		if err != nil {
			return err
		}
		e, err := p.command("PULUMI_SKIP_UPDATE_CHECK=true", filepath.Join(b.root, "bin", "pulumi"), "--help")
		if err != nil {
			return err
		}
		if round == 0 || o.less(ours) {
			ours = o
		}
		if round == 0 || e.less(engine) {
			engine = e
		}
	}
	b.add("start of the CLI / of the engine", seconds(ours.wall), seconds(engine.wall), ratio(ours.wall, engine.wall), 0)
	return nil
}

// allocations counts those of the layout and of reading config.
func (b *bench) allocations() error {
	layout := testing.AllocsPerRun(100, func() { _, _ = layout.New("10.0.0.0/16", layout.HostedReserved()) })
	one := testing.AllocsPerRun(100, func() { _ = fmt.Errorf("%s", "x") })
	b.add("allocations of a layout / of one error", fmt.Sprintf("%.0f", layout), fmt.Sprintf("%.0f", one), layout/one, 0)

	p, err := b.project("config", 1)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(p.dir, "Pulumi."+stackName(0)+".yaml"))
	if err != nil {
		return err
	}
	ours := testing.AllocsPerRun(100, func() { _, err = stacks.LoadFile(p.dir, stackName(0)) })
	if err != nil {
		return err
	}
	parse := testing.AllocsPerRun(100, func() {
		var node yaml.Node
		_ = yaml.Unmarshal(text, &node)
	})
	b.add("allocations of loading config / of parsing its YAML", fmt.Sprintf("%.0f", ours), fmt.Sprintf("%.0f", parse),
		ours/parse, 0)
	return nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }
