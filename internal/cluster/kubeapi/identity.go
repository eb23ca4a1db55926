package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// IdentityWithin is how long a management cluster may take to answer which one it is, once it was asked.
const IdentityWithin = 5 * time.Second

// ClusterUID returns the UID of namespace kube-system, which a cluster keeps for its whole life, whatever its address,
// CA or name; "" if the caller may not read that namespace. Every Kubernetes cluster has it: a server without it is
// something else.
func (c *Cluster) ClusterUID(ctx context.Context) (string, error) {
	object, err := c.get(ctx, "Namespace", "", "kube-system")
	switch {
	case isForbiddenTo(err, "namespaces"):
		return "", nil
	case err != nil:
		return "", err
	case object == nil || object.GetUID() == "":
		return "", fmt.Errorf("%w: it has no namespace kube-system", errNoServer)
	}
	return string(object.GetUID()), nil
}

// isForbiddenTo reports whether an API server forbids its user a request for a resource. With the same status it
// forbids to act as someone whom a kubeconfig impersonates, for the resource "users".
func isForbiddenTo(err error, resource string) bool {
	var status apierrors.APIStatus
	return apierrors.IsForbidden(err) && errors.As(err, &status) &&
		(status.Status().Details == nil || status.Status().Details.Kind == resource)
}

// NoAnswer reports whether the error of a read shows that nothing is at the address of an API server: the address
// itself refuses the connection, has no name or no route, or the dial times out. Every status, certificate, page or
// document is an answer of something that is there; so is an accepted connection, however long it is silent, and a
// proxy, whose errors say nothing about the API server. A resolver that fails does not know the name.
func NoAnswer(err error) bool {
	var status apierrors.APIStatus
	var broken *brokenError
	if err == nil || errors.As(err, &status) || errors.As(err, &broken) {
		return false
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return name.IsNotFound && !name.IsTemporary && !name.IsTimeout
	}
	var dial *net.OpError // the outermost: that of a proxy is "proxyconnect" or "socks connect"
	if !errors.As(err, &dial) || dial.Op != "dial" {
		return false
	}
	return dial.Timeout() || errors.Is(dial, syscall.ECONNREFUSED) || errors.Is(dial, syscall.EHOSTUNREACH)
}

// Address identifies the API server: its URL and the CA that it is trusted by.
func (c *Cluster) Address() string { return c.address }
