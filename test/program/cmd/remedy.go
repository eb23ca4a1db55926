package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/test/commandline"
	"github.com/hypershift-aws/hypershift-aws/test/program"
)

// situation is the folder of a session with what its last command left. Each process of the session locks it, so that
// nothing else runs there while a remedy does.
type situation struct {
	work, records string
	lock          *os.File
}

// enter waits until no remedy runs in the folder of the session.
func enter(records string) (*situation, error) {
	work := os.Getenv("WORK")
	path := filepath.Join(records, fmt.Sprintf("%x", sha256.Sum256([]byte(work)))+program.LockRecord)
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &situation{work, records, lock}, syscall.Flock(int(lock.Fd()), syscall.LOCK_SH)
}

// varying matches what differs between two messages of the same kind.
var varying = regexp.MustCompile(`\S*[\d/]\S*| -s \S+|"[^"]*"`)

// followAll runs the commands that messages advise, in the situation that printed them, and restores the folder. It
// returns what is wrong with them. A message of one kind is followed once per package, and not while another process of
// the session runs, such as one that holds its accounts in memory.
func (s *situation) followAll(messages string) (faults []string) {
	if _, err := os.Stat(filepath.Join(os.Getenv("WORLD"), "port")); err == nil || os.Getenv(program.Follow) == "" {
		return nil
	}
	for line := range strings.Lines(messages) {
		commands := invocation.Suggestion.FindAllString(line, -1)
		if len(commands) == 0 || strings.HasPrefix(line, "{") || commandline.NotFollowed(line) ||
			syscall.Flock(int(s.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
			continue
		}
		kind := fmt.Sprintf("%x", sha256.Sum256([]byte(varying.ReplaceAllString(line, "")))) + program.FollowedRecord
		claim, err := os.OpenFile(filepath.Join(s.records, kind), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		for i := range commands {
			commands[i] = placeholder.ReplaceAllString(commands[i], " "+candidate.FindString(messages))
		}
		if err == nil {
			_, err = claim.WriteString(strings.TrimSuffix(line, "\n") + "\n")
			err = errors.Join(err, claim.Close(), s.follow(line, commands, os.Environ()))
		}
		if err != nil && os.Getenv(faultsVariable) != "" { // the remedy is for after the fault
			err = s.follow(line, commands, append(os.Environ(), faultsVariable+"="))
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%q: %v", strings.TrimSpace(line), err))
		}
	}
	return faults
}

// placeholder is the word of a command in whose place people write one of the IDs that are shown, such as candidate
// matches. Other words, such as FILE and NAME, are good names as they are.
var (
	placeholder = regexp.MustCompile(` ID\b`)
	candidate   = regexp.MustCompile(`\b[a-z]+-[0-9a-f]{8,17}\b`)
)

const faultsVariable = "HYPERSHIFT_AWS_OFFLINE_FAULTS"

// follow runs the commands of a message one after the other, and restores the folder.
func (s *situation) follow(line string, commands, environ []string) error {
	saved, err := os.MkdirTemp(s.records, "situation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(saved) //nolint:errcheck // the folder of a test
	if err := shell(`cp -a "$0/." "$1"`, s.work, saved); err != nil {
		return err
	}
	var wrong error
	for _, command := range commands {
		text, err := advised(commandline.ShellWords(strings.Trim(command, "`"))[1:], environ)
		if wrong = commandline.CheckFollowed(line, command, text, err); wrong != nil {
			break
		}
	}
	return errors.Join(wrong, shell(restore, s.work, saved))
}

// restore makes a folder as its copy. Folders stay the same: one may be the working directory of a script.
const restore = `set -e
find "$0" -mindepth 1 ! -type d -delete
cd "$0"
find . -mindepth 1 -depth -type d | while read -r folder; do test -d "$1/$folder" || rmdir "$folder"; done
cp -a "$1/." .`

func shell(script string, args ...string) error {
	if text, err := exec.Command("sh", append([]string{"-c", script}, args...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// advised runs a command that a message advises, as one who answers what it asks with yes. It returns its output.
func advised(words, environ []string) (string, error) {
	parsed, err := commandline.Parse(cli.Command(features.All()), words)
	if err != nil {
		return "", err
	}
	if yes := parsed.Command.Flag("yes"); yes != nil && !yes.Changed {
		at := slices.Index(words, "--")
		if at < 0 {
			at = len(words)
		}
		words = slices.Insert(words, at, "--yes")
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, self, words...)
	command.Env = slices.Concat(environ, []string{program.Records + "="})
	text, err := command.CombinedOutput()
	return string(text), errors.Join(err, ctx.Err())
}
