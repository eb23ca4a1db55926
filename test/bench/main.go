// Command bench prints one table of ratios, each of two things measured in this run, and adds it to
// test/ledgers/bench.md. It needs the CLI and the engine in bin.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "bare" {
		exitOn(bare(os.Args[2:]))
		return
	}
	var b bench
	flag.StringVar(&b.history, "history", "test/ledgers/bench.md", "the `file` that the table is added to; none for \"\"")
	flag.IntVar(&b.rounds, "rounds", 5, "how often each pair is measured; the fastest counts")
	flag.IntVar(&b.most, "stacks", 50, "how many stacks at most run at once")
	flag.IntVar(&b.fleetStacks, "fleet", 100, "how many stacks the fleet has")
	flag.StringVar(&b.only, "only", "", "the one `measure` to make: path, estimate, bare, many, fleet, list, start, allocations or pages")
	flag.Float64Var(&b.scale, "scale", 1, "what AWS's times are multiplied with")
	flag.Parse()
	exitOn(b.run())
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench measures.
type bench struct {
	history      string
	only         string
	rounds, most int
	fleetStacks  int
	scale        float64
	root, dir    string
	rows         []row
}

// row is one line of the table: two things, and the ratio of the first to the second.
type row struct {
	what, first, second string
	ratio               float64
	// target is what the ratio should not exceed, 0 for none.
	target float64
}

func (b *bench) add(what, first, second string, ratio, target float64) {
	b.rows = append(b.rows, row{what, first, second, ratio, target})
	fmt.Fprintf(os.Stderr, "%-60s %.2f\n", what, ratio)
}

func (b *bench) run() error {
	var err error
	if b.root, err = os.Getwd(); err != nil {
		return err
	}
	for _, name := range []string{"pulumi", "hypershift-aws"} {
		if _, err := os.Stat(filepath.Join(b.root, "bin", name)); err != nil {
			return fmt.Errorf("there is no bin/%s: run `make bench` in the repository", name)
		}
	}
	if b.dir, err = os.MkdirTemp("", "hypershift-aws-bench-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	for _, measure := range []struct {
		name string
		run  func() error
	}{
		{"path", b.againstTheCriticalPath}, {"estimate", b.againstTheEstimates}, {"bare", b.againstTheBareEngine},
		{"many", b.manyAtOnce}, {"fleet", b.fleet}, {"list", b.list},
		{"start", b.start},
		{"allocations", b.allocations}, {"pages", b.pages},
	} {
		if b.only != "" && b.only != measure.name {
			continue
		}
		if err := measure.run(); err != nil {
			return err
		}
	}
	table := b.table()
	fmt.Print(table)
	if b.history == "" {
		return nil
	}
	file, err := os.OpenFile(b.history, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(table); err != nil {
		return err
	}
	return file.Close()
}

// table returns the rows in Markdown.
func (b *bench) table() string {
	var t strings.Builder
	fmt.Fprintf(&t, "\n## %s\n\n", time.Now().UTC().Format("2006-01-02 15:04"))
	t.WriteString("| | first | second | ratio | at most |\n|---|---|---|---|---|\n")
	for _, r := range b.rows {
		target := ""
		if r.target > 0 {
			target = fmt.Sprintf("%.2f", r.target)
			if r.ratio > r.target {
				target += " (missed)"
			}
		}
		fmt.Fprintf(&t, "| %s | %s | %s | %.2f | %s |\n", r.what, r.first, r.second, r.ratio, target)
	}
	return t.String()
}
