package kubeapi

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// IdentityWithin is how long a management cluster may take to answer which one it is.
const IdentityWithin = 5 * time.Second

// ClusterUID returns the UID of namespace kube-system, which a cluster keeps for its whole life, whatever its address, CA or name; "" if the
// caller may not read that namespace. Every Kubernetes cluster has it: a server without it is something else.
func (c *Cluster) ClusterUID(ctx context.Context) (string, error) {
	object, err := c.get(ctx, "Namespace", "", "kube-system")
	switch {
	case apierrors.IsForbidden(err):
		return "", nil
	case err != nil:
		return "", err
	case object == nil || object.GetUID() == "":
		return "", errors.New("what answers at the address has no namespace kube-system, so it is not a Kubernetes API server")
	}
	return string(object.GetUID()), nil
}

// NoAnswer reports whether the error of a read shows that nothing answers at the address of an API server: the connection is refused, the host has no
// name or no route, or the time is up. Every status, certificate, page or document is an answer of something that is there.
func NoAnswer(err error) bool {
	var status apierrors.APIStatus
	var broken *brokenError
	if err == nil || errors.As(err, &status) || errors.As(err, &broken) {
		return false
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return true
	}
	for _, silent := range []error{syscall.ECONNREFUSED, syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ETIMEDOUT, context.DeadlineExceeded} {
		if errors.Is(err, silent) {
			return true
		}
	}
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// Address identifies the API server: its URL and the CA that it is trusted by.
func (c *Cluster) Address() string { return c.address }
