// Command dist builds the release: for each platform an archive with the CLI and its manual pages, and an SBOM; then their checksums.
// Equal sources and Go versions give equal files: paths are trimmed, and every time is SOURCE_DATE_EPOCH, by default that of the commit.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", filepath.Join("bin", "dist"), "the `folder` to write, which is emptied first")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "`os/arch`, separated by commas")
	flag.Parse()
	if err := verified(options{*out, strings.Split(*platforms, ",")}); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// options are what a release is built with: the folder to write, and the platforms, such as "linux/amd64".
type options struct {
	out       string
	platforms []string
}

// verified calls dist, and builds the first platform's archive a second time: the checksums must be equal.
func verified(o options) error {
	if err := dist(o); err != nil {
		return err
	}
	again, err := os.MkdirTemp("", "dist")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(again) }()
	if err := dist(options{again, o.platforms[:1]}); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(o.out, checksums))
	if err != nil {
		return err
	}
	want, err := os.ReadFile(filepath.Join(again, checksums))
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(sums, want) {
		return fmt.Errorf("%s: a second build differs: its checksums are\n%sand not among\n%s", o.platforms[0], want, sums)
	}
	return nil
}

// checksums is the file with the SHA-256 of every other.
const checksums = "SHA256SUMS"

func dist(o options) error {
	epoch, err := sourceTime()
	if err != nil {
		return err
	}
	version, err := output("git", "describe", "--tags", "--always", "--dirty")
	if err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil {
		return err
	}
	man := filepath.Join(o.out, "man")
	if err := run([]string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(epoch.Unix(), 10)}, "go", "run", "./internal/cli/manpages", man); err != nil {
		return err
	}
	files, err := shared(man)
	if err != nil {
		return err
	}
	sums := &bytes.Buffer{}
	for _, platform := range o.platforms {
		if err := o.release(version, platform, files, epoch, sums); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	if err := os.RemoveAll(man); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.out, checksums), sums.Bytes(), 0o644)
}

// shared returns the files that the archives of all platforms have.
func shared(man string) ([]file, error) {
	pages, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil {
		return nil, err
	}
	var files []file
	for _, path := range append([]string{"LICENSE", "README.md"}, pages...) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(path)
		if filepath.Dir(path) == filepath.Clean(man) {
			name = "man/man1/" + name
		}
		files = append(files, file{name, 0o644, text})
	}
	return files, nil
}

// release builds the CLI for a platform and writes its archive and SBOM, and their checksums to sums.
func (o options) release(version, platform string, files []file, epoch time.Time, sums *bytes.Buffer) error {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("expected os/arch")
	}
	name := strings.Join([]string{"hypershift-aws", version, system, arch}, "_")
	binary := filepath.Join(o.out, name)
	environ := []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0", "GOFLAGS="}
	if err := run(environ, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", binary, "./cmd/hypershift-aws"); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	packed, err := archive(name, append([]file{{"hypershift-aws", 0o755, content}}, files...), epoch)
	if err != nil {
		return err
	}
	listed, err := sbom(info, epoch)
	if err != nil {
		return err
	}
	for _, f := range []file{{name + ".tar.gz", 0o644, packed}, {name + ".cdx.json", 0o644, listed}} {
		if err := os.WriteFile(filepath.Join(o.out, f.name), f.content, f.mode); err != nil {
			return err
		}
		fmt.Fprintf(sums, "%x  %s\n", sha256.Sum256(f.content), f.name)
	}
	return os.Remove(binary)
}

// sourceTime returns SOURCE_DATE_EPOCH, or else the time of the commit.
func sourceTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		committed, err := output("git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, err
		}
		text = committed
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH %q: expected seconds since 1970", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func run(environ []string, name string, args ...string) error {
	command := exec.Command(name, args...)
	command.Env = append(os.Environ(), environ...)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

func output(name string, args ...string) (string, error) {
	text, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
