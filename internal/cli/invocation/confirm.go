package invocation

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// CanConfirm refuses a command that needs a confirmation if there is no terminal, before it does anything.
func (c *Invocation) CanConfirm(command string) error {
	if c.Yes || c.Streams.Asks {
		return nil
	}
	return Refuse("%s prompts for confirmation, and there is no terminal: use --yes", command)
}

// Decide answers the questions of an operation: by the user or, with --yes, with yes unless a name must be entered.
func (c *Invocation) Decide(ctx context.Context, q automation.Question) (bool, error) {
	if q.Name != "" {
		answer, err := c.Ask(q.Text, "")
		if c.details != nil && answer != q.Name && answer == "details" {
			c.SayText(strings.TrimSuffix(c.details(), "\n"))
			return c.Decide(ctx, q)
		}
		return answer == q.Name, err
	}
	if c.Yes {
		return true, nil
	}
	choices := " [y/N] "
	if c.details != nil {
		choices = " [y/N/details] "
	}
	answer, err := c.Ask(q.Text+choices, "")
	answer = strings.ToLower(answer)
	if c.details != nil && slices.Contains([]string{"d", "details"}, answer) {
		c.SayText(strings.TrimSuffix(c.details(), "\n"))
		return c.Decide(ctx, q)
	}
	return slices.Contains([]string{"y", "yes"}, answer), err
}

// Ask writes a question and returns the answer, or the default for an empty one. A signal ends the wait.
func (c *Invocation) Ask(question, defaultAnswer string) (string, error) {
	fmt.Fprint(c.Streams.Err, question)
	type line struct {
		text string
		err  error
	}
	answered := make(chan line, 1)
	if c.answers == nil {
		c.answers = bufio.NewReader(c.Streams.In)
	}
	go func() {
		text, err := c.answers.ReadString('\n')
		answered <- line{text, err}
	}()
	select {
	case <-c.Interrupts.First():
		return "", &failure.Error{Reason: failure.Interrupted, Problem: "interrupted; nothing was changed"}
	case l := <-answered:
		if l.err != nil && (!errors.Is(l.err, io.EOF) || l.text == "") {
			return "", fmt.Errorf("reading the answer: %w", l.err)
		}
		if answer := strings.TrimSpace(l.text); answer != "" {
			return answer, nil
		}
		return defaultAnswer, nil
	}
}

// ReadDocuments reads the documents of HyperShift's CLI in the files of --infra-json and --iam-json; they are nil
// without the flags.
func ReadDocuments(infraFile, iamFile string) (*documents.Infra, *documents.IAM, error) {
	if infraFile == "" && iamFile == "" {
		return nil, nil, nil
	}
	if infraFile == "" || iamFile == "" {
		return nil, nil, Refuse("--infra-json and --iam-json must be used together")
	}
	infraText, err := atomicfile.ReadInput(infraFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading --infra-json: %w", err)
	}
	iamText, err := atomicfile.ReadInput(iamFile)
	if err != nil {
		return nil, nil, fmt.Errorf("reading --iam-json: %w", err)
	}
	infra, iam, err := documents.Read(infraText, iamText)
	if err != nil {
		return nil, nil, err
	}
	return &infra, &iam, nil
}
