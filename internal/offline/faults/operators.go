package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Operators configure HyperShift's operators in an offline cluster. The operators run whenever a provider or a caller
// reads or writes the cluster's objects. The zero value works immediately and retries forever.
type Operators struct {
	// Scale multiplies the operators' durations and the kubernetes provider's timeouts: 1 is as slow as HyperShift, 0.1
	// ten times as fast. Default 0: they work immediately, and a provider waits one second.
	Scale float64 `json:"scale" yaml:"scale"`
	// Killed operators do nothing: objects are stored and never become ready, and objects that are being deleted stay
	// because of their finalizers. If the finalizers are removed, what the operators created in AWS remains there.
	Killed bool `json:"killed" yaml:"killed"`
	// Unreachable is true if the cluster's API server does not answer: reads and changes fail, and previews show a plan
	// without a request to it.
	Unreachable bool `json:"unreachable,omitempty" yaml:"unreachable"`
	// Failure is how a connection to an unreachable API server fails: "timeout", "dns", "certificate", or "page" for an
	// HTML page with status 200. Default: the connection is refused.
	Failure string `json:"failure,omitempty" yaml:"failure"`
	// Status is the HTTP status of all answers of the cluster's API server, such as 503. Default 0: it works.
	Status int `json:"status,omitempty" yaml:"status"`
	// Restricted is true if the caller may not read namespaces, as with a Role in the namespace of the hosted clusters
	// alone.
	Restricted bool `json:"restricted,omitempty" yaml:"restricted"`
	// ReadOnly is true if the caller may read objects, and create, change or delete none.
	ReadOnly bool `json:"readOnly,omitempty" yaml:"readOnly"`
	// Patience is how many seconds the operators retry a deletion that AWS refuses before they leave the resource and
	// release the object. Default 0: forever, so that a wrong order is noticed. HyperShift itself leaves it immediately if
	// the cluster's identity provider is broken, and an endpoint after 600 seconds. It is scaled.
	Patience float64 `json:"patience" yaml:"patience"`
	// Leave are the kinds of AWS resources that they leave when a HostedCluster is deleted: see Leavable. Volumes,
	// snapshots, classic load balancers and network interfaces represent resources of the cluster's workloads; one of each
	// is created. Default none.
	Leave []string `json:"leave,omitempty" yaml:"leave"`
	// Quotas are the rehearsal's, which apply to operators too.
	Quotas map[string]int `json:"quotas,omitempty" yaml:"-"`
}

// The failures of a connection to an API server.
const (
	FailureTimeout     = "timeout"
	FailureDNS         = "dns"
	FailureCertificate = "certificate"
	FailurePage        = "page"
)

// The kinds of resources that operators can leave.
const (
	LeaveBuckets              = "buckets"
	LeaveClassicLoadBalancers = "classicLoadBalancers"
	LeaveEndpointServices     = "endpointServices"
	LeaveEndpoints            = "endpoints"
	LeaveInstances            = "instances"
	LeaveLoadBalancers        = "loadBalancers"
	LeaveNetworkInterfaces    = "networkInterfaces"
	LeaveRecords              = "records"
	LeaveSecurityGroups       = "securityGroups"
	LeaveSnapshots            = "snapshots"
	LeaveVolumes              = "volumes"
)

// Leavable returns the kinds of resources that operators can leave.
func Leavable() []string {
	return []string{
		LeaveBuckets, LeaveClassicLoadBalancers, LeaveEndpointServices, LeaveEndpoints, LeaveInstances, LeaveLoadBalancers,
		LeaveNetworkInterfaces, LeaveRecords, LeaveSecurityGroups, LeaveSnapshots, LeaveVolumes,
	}
}

// Leaves reports whether operators leave resources of a kind.
func (o Operators) Leaves(kind string) bool { return slices.Contains(o.Leave, kind) }

// Scaled converts a number of the operators' seconds to a duration in this rehearsal.
func (o Operators) Scaled(seconds float64) time.Duration {
	return time.Duration(seconds * o.Scale * float64(time.Second))
}

// Validate refuses negative numbers and unknown kinds.
func (o Operators) Validate() error {
	if o.Scale < 0 || o.Patience < 0 {
		return errors.New("operators: scale and patience cannot be negative")
	}
	if !slices.Contains([]string{"", FailureTimeout, FailureDNS, FailureCertificate, FailurePage}, o.Failure) {
		return fmt.Errorf("operators: failure: %q is none of %s, %s, %s, %s", o.Failure, FailureTimeout, FailureDNS,
			FailureCertificate, FailurePage)
	}
	for _, kind := range o.Leave {
		if !slices.Contains(Leavable(), kind) {
			return fmt.Errorf("operators: leave: %q is none of %s", kind, strings.Join(Leavable(), ", "))
		}
	}
	return nil
}
