package kubernetes

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Operators returns the cluster's settings of operators, as last set by any process.
func (c *Cluster) Operators() (faults.Operators, error) {
	var o faults.Operators
	text, err := os.ReadFile(c.operatorsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return o, fmt.Errorf("reading how the operators of offline cluster %s behave: %w", c.Name(), err)
	}
	return o, nil
}

// SetOperators sets the settings of the cluster's operators, for all processes.
func (c *Cluster) SetOperators(o faults.Operators) error {
	if err := o.Validate(); err != nil {
		return err
	}
	return store.WriteJSON(c.operatorsFile(), o)
}

// Answers fails where the cluster's API server does not answer.
func (c *Cluster) Answers() error {
	how, err := c.Operators()
	if err == nil && how.Unreachable {
		err = fmt.Errorf("connecting to the API server of cluster %s: %w", c.Name(), connectionError(how.Failure))
	}
	if err == nil && how.Status != 0 {
		err = apierrors.NewGenericServerResponse(how.Status, "get", schema.GroupResource{}, "", "rehearsed", 1, true)
	}
	return err
}

// connectionError returns the error of a connection that fails.
func connectionError(failure string) error {
	switch failure {
	case faults.FailureTimeout:
		return &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
	case faults.FailureDNS:
		return &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true}
	case faults.FailureCertificate:
		return x509.UnknownAuthorityError{}
	case faults.FailurePage:
		return errors.New("couldn't get version/kind; json parse error: invalid character '<' looking for beginning of value")
	}
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

func (c *Cluster) operatorsFile() string { return filepath.Join(c.folder.Dir, "operators.json") }

// rounds limits how often settle iterates over all objects: a change of one can make another change possible.
const rounds = 6

// settle runs the cluster's operators until nothing changes.
func (c *Cluster) settle() error {
	operators, err := c.Operators()
	if err != nil || operators.Killed {
		return err
	}
	return c.folder.Transact(func(t *store.Tx) error {
		for range rounds {
			if err := c.controller.Reconcile(t, operators, time.Now()); err != nil {
				return err
			}
			if len(t.Changes) == 0 {
				return nil
			}
			if err := t.Commit(); err != nil {
				return err
			}
		}
		return nil
	})
}
