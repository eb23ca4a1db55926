// Package fleetrun describes the run of one operation on many stacks: the stacks as their files describe them, their
// order, and the result of each. Times are time.Duration, and zero if a stack was not started.
package fleetrun

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/event"
)

// Member is a stack of a fleet, as its file describes it or, without one, as far as its state does.
type Member struct {
	// ID names the stack in the fleet: its name, with its folder as a prefix if the fleet has several.
	ID string
	// Dir is the absolute path of the project's folder, Project the project's name and Stack the stack's name.
	Dir, Project, Stack string
	// Path is the stack's file, and Digest the SHA-256 of its content in hexadecimal; "" for a stack without a file.
	Path, Digest string
	// Kind is the stack's kind, "cluster", and Region its region.
	Kind, Region string
	// Account is the account that the stack's resources are in: twelve digits, or "profile NAME" or "default credentials"
	// if the file does not contain the number. VPCAccount is the account of its VPC, which differs if the VPC is shared.
	Account, VPCAccount string
	// InfraID is the infra ID of a cluster, "" for stacks of other kinds.
	InfraID string
	// Issuer is the location of a cluster's OIDC documents: its bucket, its issuer's URL or its management stack.
	Issuer string
	// CIDRs are the CIDRs of the VPC that the stack creates; none if it uses an existing one.
	CIDRs []string
	// Management is the management stack that the file names, "" for none.
	Management string
	// Parts are the stacks of the cluster's network and roles that the file names.
	Parts []string
	// HostedCluster is the name of the HostedCluster that is part of the stack, or that its node pools are of; "" for
	// none.
	HostedCluster string
	// Hosts identifies the HostedCluster that the stack applies, by management cluster, namespace, and name. PoolsOf
	// identifies the HostedCluster that a stack of kind nodePools adds pools to. Both are "" for none.
	Hosts, PoolsOf string
	// Kubernetes is true if the stack has objects in a Kubernetes cluster.
	Kubernetes bool
	// Tags are the tags of the stack's resources, from aws:defaultTags and from its section; nil if they are not known,
	// because the stack's kind has none or it has no file.
	Tags map[string]string
}

// Job is the operation on one stack of a fleet.
type Job struct {
	Member
	// Wave is the wave that the job belongs to, from 1.
	Wave int
	// After are the jobs that must have succeeded before. Needed is true if another stack of the fleet names this one.
	After  []*Job
	Needed bool
}

// Status is the status of the operation on a stack.
type Status string

// The statuses of a stack.
const (
	Waiting Status = "waiting"
	Running Status = "running"
	// Succeeded is a stack whose operation succeeded; Changed is one that also found changes although none were expected.
	Succeeded Status = "succeeded"
	Changed   Status = "changed"
	Failed    Status = "failed"
	// Locked is a stack that another update has locked.
	Locked Status = "locked"
	// Stopped is a stack whose operation was ended by a signal.
	Stopped Status = "stopped"
	// Skipped is a stack whose operation was not started.
	Skipped Status = "not started"
)

// Outcome is how the operation on a stack ended.
type Outcome struct {
	// Status is how it ended.
	Status Status `json:"status"`
	// Code is the exit code of the stack's process: see the exit codes of the CLI.
	Code int `json:"code"`
	// Problem is what went wrong, "" if nothing did.
	Problem string `json:"problem,omitempty"`
	// Backend is true if the state's backend could not be used: no other stack is started then.
	Backend bool `json:"backend,omitempty"`
	// Open is true if the update has begun a change that a further one continues, such as another key of etcd.
	Open bool `json:"open,omitempty"`
	// Counts is how many resources were, or would be, changed.
	event.Counts
	// Took is how long it took.
	Took time.Duration `json:"-"`
	// Log is the file with the output of the stack's process.
	Log string `json:"log,omitempty"`
}

// Limits bound a run.
type Limits struct {
	// Parallel is how many stacks are in progress at once, PerAccount how many of one account. Both must be at least 1.
	Parallel, PerAccount int
	// MaxFailures is how many stacks may fail before no more are started; 0 for no limit.
	MaxFailures int
	// MaxOpen is how many stacks may have a change that a further update continues, such as another key of etcd, before no
	// more are started; each stack in progress counts. 0 for no limit.
	MaxOpen int
	// LockWait is how long stacks that another update has locked are tried again, after the others of their wave have
	// ended; 0 is one attempt.
	LockWait time.Duration
}
