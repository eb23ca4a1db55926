package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The limits of a fleet: the memory of its process and of each stack in progress, in megabytes, and the time of a list.
const (
	fleetMegabytes = 100
	stackMegabytes = 40
	listSeconds    = 2
	listedStacks   = 1000
)

// fleet measures many stacks deployed by one command, two at a time.
func (b *bench) fleet() error {
	var one spent
	for round := range b.rounds {
		p, err := b.project(fmt.Sprintf("alone-%d", round), 1)
		if err != nil {
			return err
		}
		took, err := p.cli(0, "", "up", "--yes")
		if err != nil {
			return err
		}
		if round == 0 || took.less(one) {
			one = took
		}
	}
	p, err := b.project("fleet", b.fleetStacks)
	if err != nil {
		return err
	}
	took, own, stack, err := p.fleetUp()
	if err != nil {
		return err
	}
	each := took / time.Duration(b.fleetStacks)
	b.add(fmt.Sprintf("a stack of a fleet of %d, two at once / one stack alone", b.fleetStacks), seconds(each), seconds(one.wall), ratio(each, one.wall), 1.10)
	megabytes := func(n float64) string { return fmt.Sprintf("%.0f MB", n) }
	b.add("memory of the fleet's process / its limit", megabytes(own), megabytes(fleetMegabytes), own/fleetMegabytes, 1)
	b.add("memory of a stack in progress, without the engine / its limit", megabytes(stack), megabytes(stackMegabytes),
		stack/stackMegabytes, 1)
	return nil
}

// fleetUp brings all stacks up by one command, and returns how long it took and the most memory, in megabytes, that its
// process and any of the stacks' processes had of their own. The offline account is part of a stack's process.
func (p *project) fleetUp() (took time.Duration, own, stack float64, err error) {
	command := exec.Command(filepath.Join(p.b.root, "bin", "hypershift-aws"), "--offline", "fleet", "up", "--yes",
		"--parallel", "2")
	command.Dir, command.Env = p.dir, p.environ("")
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	began := time.Now()
	if err := command.Start(); err != nil {
		return 0, 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("fleet up: %w\n%s", err, output.String())
			}
			return time.Since(began), own, stack, err
		case <-tick.C:
			all := processes()
			own = max(own, all[command.Process.Pid].private)
			for _, child := range all {
				if child.parent == command.Process.Pid {
					stack = max(stack, child.private)
				}
			}
		}
	}
}

// list measures a list of many stacks, whose states are copies of one.
func (b *bench) list() error {
	p, err := b.project("list", listedStacks)
	if err != nil {
		return err
	}
	if _, err := p.cli(0, "", "up", "--yes"); err != nil {
		return err
	}
	states := filepath.Join(p.dir, ".hypershift-aws", "offline", "state", ".pulumi", "stacks", "hypershift-aws")
	state, err := os.ReadFile(filepath.Join(states, stackName(0)+".json"))
	if err != nil {
		return err
	}
	for i := 1; i < listedStacks; i++ {
		text := strings.NewReplacer("/"+stackName(0)+`"`, "/"+stackName(i)+`"`, ":"+stackName(0)+":", ":"+stackName(i)+":").Replace(string(state))
		if err := os.WriteFile(filepath.Join(states, stackName(i)+".json"), []byte(text), 0o600); err != nil {
			return err
		}
	}
	var best spent
	for round := range b.rounds {
		took, err := p.command("", filepath.Join(b.root, "bin", "hypershift-aws"), "--offline", "stacks")
		if err != nil {
			return err
		}
		if round == 0 || took.less(best) {
			best = took
		}
	}
	b.add(fmt.Sprintf("a list of %d stacks / its limit", listedStacks), seconds(best.wall), seconds(listSeconds*time.Second), best.wall.Seconds()/listSeconds, 1)
	return nil
}
