package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Operators configure HyperShift's operators in an offline cluster. The operators run whenever a provider or a caller reads or writes the
// cluster's objects. The zero value works immediately and retries for ever.
type Operators struct {
	// Scale multiplies the operators' durations and the kubernetes provider's timeouts: 1 is as slow as HyperShift, 0.1 ten times as fast.
	// Default 0: they do immediately whatever can be done, and a provider waits one second.
	Scale float64 `json:"scale" yaml:"scale"`
	// Killed operators do nothing: objects are stored and never become ready, and objects that are being deleted stay because of their
	// finalizers. If the finalizers are removed, what the operators created in AWS remains there.
	Killed bool `json:"killed" yaml:"killed"`
	// Unreachable is whether the cluster's API server does not answer: reads and changes fail, and previews show a plan without asking it.
	Unreachable bool `json:"unreachable,omitempty" yaml:"unreachable"`
	// Patience is how many seconds the operators retry a deletion that AWS refuses before they leave the resource behind and release the
	// object. Default 0: for ever, so that a wrong order is noticed. HyperShift itself leaves it behind at once if the cluster's identity
	// provider is broken, and an endpoint after 600 seconds. It is scaled.
	Patience float64 `json:"patience" yaml:"patience"`
	// Leave are the kinds of things in AWS that they leave behind when a HostedCluster goes: see Leavable. Volumes, snapshots, classic load
	// balancers and network interfaces are what runs in the cluster would have made; one of each is there then. Default none.
	Leave []string `json:"leave,omitempty" yaml:"leave"`
}

// The kinds of things that operators can leave behind.
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

// Leavable returns the kinds of things that operators can leave behind.
func Leavable() []string {
	return []string{
		LeaveBuckets, LeaveClassicLoadBalancers, LeaveEndpointServices, LeaveEndpoints, LeaveInstances, LeaveLoadBalancers,
		LeaveNetworkInterfaces, LeaveRecords, LeaveSecurityGroups, LeaveSnapshots, LeaveVolumes,
	}
}

// Leaves reports whether operators leave a kind behind.
func (o Operators) Leaves(kind string) bool { return slices.Contains(o.Leave, kind) }

// Scaled returns the duration here of a number of the operators' seconds.
func (o Operators) Scaled(seconds float64) time.Duration {
	return time.Duration(seconds * o.Scale * float64(time.Second))
}

// Validate refuses negative numbers and unknown kinds.
func (o Operators) Validate() error {
	if o.Scale < 0 || o.Patience < 0 {
		return errors.New("operators: scale and patience cannot be negative")
	}
	for _, kind := range o.Leave {
		if !slices.Contains(Leavable(), kind) {
			return fmt.Errorf("operators: leave: %q is none of %s", kind, strings.Join(Leavable(), ", "))
		}
	}
	return nil
}
