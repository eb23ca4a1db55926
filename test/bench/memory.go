package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memoryWatch samples the private memory of this process's descendants, in /proc.
type memoryWatch struct {
	stop chan struct{}
	most chan float64
}

func watchMemory() memoryWatch {
	w := memoryWatch{make(chan struct{}), make(chan float64)}
	go func() {
		most := 0.0
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, descendantsMemory())
			case <-w.stop:
				w.most <- most
				return
			}
		}
	}()
	return w
}

// peak ends the sampling and returns the maximum, in megabytes.
func (w memoryWatch) peak() float64 {
	close(w.stop)
	return <-w.most
}

// running is a process and its private memory, in megabytes.
type running struct {
	parent  int
	private float64
}

// processes returns the machine's processes by ID.
func processes() map[int]running {
	found := map[int]running{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		var p running
		// After the name in brackets: state, parent, …
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 1 {
			p.parent, _ = strconv.Atoi(fields[1])
		}
		if statm, err := os.ReadFile(filepath.Join(filepath.Dir(path), "statm")); err == nil {
			// In pages: size, resident, shared, …
			pages := strings.Fields(string(statm))
			resident, _ := strconv.ParseFloat(pages[1], 64)
			shared, _ := strconv.ParseFloat(pages[2], 64)
			p.private = (resident - shared) * float64(os.Getpagesize()) / (1 << 20)
		}
		found[id] = p
	}
	return found
}

func descendantsMemory() float64 {
	all := processes()
	sum := 0.0
	for _, p := range all {
		for ancestor := p.parent; ancestor > 1; ancestor = all[ancestor].parent {
			if ancestor == os.Getpid() {
				sum += p.private
				break
			}
		}
	}
	return sum
}
