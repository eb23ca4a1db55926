package project

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// supplied are the contents that are read in place of stacks' files, by the stacks' names.
type supplied struct {
	mu    sync.Mutex
	files map[string]suppliedFile
}

// suppliedFile is the text of a file, with the secrets that parts of it represent. The secrets stay in memory.
type suppliedFile struct {
	text    []byte
	secrets config.Secrets
	// proposed is true if the project has the file, and it is to have this text.
	proposed bool
}

// of returns what is read in place of a stack's file, without a text for none.
func (s *supplied) of(stack string) suppliedFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[stack]
}

// set sets what is read in place of a stack's file.
func (s *supplied) set(stack string, file suppliedFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[stack] = file
}

// Supply gives a stack the content of a file that the project does not have, for as long as this Project lives. It
// returns the faults of the content, without a file and lines.
func (p *Project) Supply(stack string, text []byte, secrets config.Secrets) error {
	if _, err := p.SelectStack(stack); err != nil {
		return err
	}
	file := suppliedFile{text: text, secrets: secrets}
	if _, err := parseSupplied(p.StackFile(stack), stack, "", file); err != nil {
		return err
	}
	p.supplied.set(stack, file)
	return nil
}

// Supplied returns the content that Supply gave a stack, nil for none.
func (p *Project) Supplied(stack string) []byte {
	if file := p.supplied.of(stack); !file.proposed {
		return file.text
	}
	return nil
}

// SuppliedSecrets returns the secrets of the content that Supply gave a stack, nil for none.
func (p *Project) SuppliedSecrets(stack string) config.Secrets { return p.supplied.of(stack).secrets }

// Propose lets this Project's operations on a stack read its file as if it had that text; nil ends this. Nothing is
// written: see WriteProposed.
func (p *Project) Propose(stack string, text []byte) {
	p.supplied.set(stack, suppliedFile{text: text, proposed: text != nil})
}

// WriteProposed writes the proposed text of a stack's file. It fails if the file no longer has the text for which the
// change was made.
func (p *Project) WriteProposed(stack string, before []byte) error {
	path := p.StackFile(stack)
	now, err := atomicfile.ReadInput(path)
	if err != nil {
		return fmt.Errorf("reading the stack's file: %w", err)
	}
	if !bytes.Equal(now, before) {
		return &failure.Error{
			Reason:  failure.Conflict,
			Problem: path + " was changed by something else meanwhile; nothing was changed",
			Remedy:  "run the command again",
		}
	}
	if err := atomicfile.Write(path, p.supplied.of(stack).text); err != nil {
		return fmt.Errorf("writing the stack's file: %w", err)
	}
	return nil
}

// ReadStackFile returns the content of a stack's file, or what was supplied or proposed in its place.
func (p *Project) ReadStackFile(stack string) ([]byte, error) {
	if text := p.supplied.of(stack).text; text != nil {
		return text, nil
	}
	return atomicfile.ReadInput(p.StackFile(stack))
}

// readConfig reads and checks the config of a stack.
func (p *Project) readConfig(stack, issuerURL string) (*config.File, error) {
	if file := p.supplied.of(stack); file.text != nil {
		return parseSupplied(p.StackFile(stack), stack, issuerURL, file)
	}
	return stacks.Kinds().LoadFileIssuedBy(p.StackDir(), stack, issuerURL)
}

// parseSupplied reads a content in place of a file. If there is no such file, its faults have neither a file nor a
// line.
func parseSupplied(path, stack, issuerURL string, file suppliedFile) (*config.File, error) {
	read, err := stacks.Kinds().ParseContent(path, stack, issuerURL, file.text, file.secrets)
	if file.proposed {
		return read, err
	}
	if read != nil {
		read.Supplied = true
	}
	var faults fault.Faults
	for _, found := range fault.In(err) {
		bare := *found
		bare.File, bare.Line, bare.Column = "", 0, 0
		faults = append(faults, &bare)
	}
	if faults != nil {
		err = faults.Err()
	}
	return read, err
}
