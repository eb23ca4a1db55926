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

// supplied are the contents of the files of stacks that have none in the project, by the stacks' names.
type supplied struct {
	mu    sync.Mutex
	files map[string]suppliedFile
	// proposed are the texts that stacks' files are to have.
	proposed map[string][]byte
}

// suppliedFile is the text of a file, with the secrets that parts of it represent. The secrets stay in memory.
type suppliedFile struct {
	text    []byte
	secrets config.Secrets
}

// Supply gives a stack the content of a file that the project does not have, for as long as this Project lives. It
// returns the faults of the content, without a file and lines.
func (p *Project) Supply(stack string, text []byte, secrets config.Secrets) error {
	if _, err := p.ResolveStack(stack); err != nil {
		return err
	}
	if _, err := parseSupplied(p.StackFile(stack), stack, "", suppliedFile{text, secrets}); err != nil {
		return err
	}
	p.supplied.mu.Lock()
	defer p.supplied.mu.Unlock()
	p.supplied.files[stack] = suppliedFile{text, secrets}
	return nil
}

// Supplied returns the content that Give gave a stack, nil for none.
func (p *Project) Supplied(stack string) []byte {
	p.supplied.mu.Lock()
	defer p.supplied.mu.Unlock()
	return p.supplied.files[stack].text
}

// SuppliedSecrets returns the secrets of the content that Give gave a stack, nil for none.
func (p *Project) SuppliedSecrets(stack string) config.Secrets {
	p.supplied.mu.Lock()
	defer p.supplied.mu.Unlock()
	return p.supplied.files[stack].secrets
}

// Propose lets this Project's operations on a stack read its file as if it had that text; nil ends this. Nothing is
// written: see WriteProposed.
func (p *Project) Propose(stack string, text []byte) {
	p.supplied.mu.Lock()
	defer p.supplied.mu.Unlock()
	if text == nil {
		delete(p.supplied.proposed, stack)
		return
	}
	p.supplied.proposed[stack] = text
}

// proposed returns the text that a stack's file is to have, nil for none.
func (p *Project) proposed(stack string) []byte {
	p.supplied.mu.Lock()
	defer p.supplied.mu.Unlock()
	return p.supplied.proposed[stack]
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
	if err := atomicfile.Write(path, p.proposed(stack)); err != nil {
		return fmt.Errorf("writing the stack's file: %w", err)
	}
	return nil
}

// ReadStackFile returns the content of a stack's file, or what was given or proposed in its place.
func (p *Project) ReadStackFile(stack string) ([]byte, error) {
	if text := p.Supplied(stack); text != nil {
		return text, nil
	}
	if text := p.proposed(stack); text != nil {
		return text, nil
	}
	return atomicfile.ReadInput(p.StackFile(stack))
}

// readConfig reads and checks the config of a stack.
func (p *Project) readConfig(stack, issuerURL string) (*config.File, error) {
	if text := p.Supplied(stack); text != nil {
		return parseSupplied(p.StackFile(stack), stack, issuerURL, suppliedFile{text, p.SuppliedSecrets(stack)})
	}
	if text := p.proposed(stack); text != nil {
		return stacks.Kinds().ParseContent(p.StackFile(stack), stack, issuerURL, text, nil)
	}
	return stacks.Kinds().LoadFileIssuedBy(p.StackDir(), stack, issuerURL)
}

// parseSupplied reads a content that is in no file: its faults have neither a file nor a line.
func parseSupplied(path, stack, issuerURL string, file suppliedFile) (*config.File, error) {
	read, err := stacks.Kinds().ParseContent(path, stack, issuerURL, file.text, file.secrets)
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
