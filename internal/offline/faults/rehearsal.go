// Package faults simulates AWS's latency and failures: slow calls, throttling, refused calls, and killed processes.
package faults

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Rehearsal configures latency, throttling and faults of the accounts. The zero value answers every call immediately
// and without a fault.
type Rehearsal struct {
	// Scale multiplies AWS's latencies: 1 is as slow as AWS, 0.1 ten times as fast. Default 0: no latency.
	Scale float64 `yaml:"scale"`
	// Seconds override the latencies of creations, by type: "aws:ec2/natGateway:NatGateway": 106. They are scaled.
	Seconds map[string]float64 `yaml:"seconds"`
	// Throttle limits the calls of a service, by its name in errors: "EC2", "IAM", "Route 53". Default: no limits.
	Throttle map[string]Bucket `yaml:"throttle"`
	// Settle is how many seconds a new role, profile or EC2 resource stays invisible to calls that refer to it. These
	// calls are retried as the provider does. Default 0. It is scaled.
	Settle float64 `yaml:"settle"`
	// LateTags is how many searches by tags, per type and run of the server, return nothing: AWS's lists of tags are
	// eventually consistent. Default 0.
	LateTags int `yaml:"lateTags"`
	// LateReferences is how often each tag, VPC endpoint and endpoint service fails because it refers to a resource that
	// was created in this run of the server: the provider does not wait until AWS returns the resource. Default 0.
	LateReferences int `yaml:"lateReferences"`
	// LateReads is how many creations of NAT gateways and of instance profiles, per type and run of the server, fail
	// because the provider does not find the new resource. Default 0.
	LateReads int `yaml:"lateReads"`
	// Quotas override AWS's quotas, by the quota's name: see quotas.go. Default: AWS's defaults.
	Quotas map[string]int `yaml:"quotas"`
	// RoleLacks are actions that the roles which a config refers to lack when the account gets them: "ec2:CreateTags".
	// Default none.
	RoleLacks []string `yaml:"roleLacks"`
	// Policies is a file with the IAM policies of the user who runs the stack, as the command permissions prints them: a
	// request of the provider that they do not allow is refused. Default "": every request is allowed.
	Policies string `yaml:"policies"`
	// Documents are the policies in that file.
	Documents []policy.Document `yaml:"-"`
	// Faults are the faults, with the calls at which they happen.
	Faults []Fault `yaml:"faults"`
	// Deleted are resources, each by its ID or its tag Name, that are deleted out of band before this run.
	Deleted []string `yaml:"deleted"`
	// Operators configure HyperShift's operators in the clusters that are used, from then on. Default nil: unchanged.
	Operators *Operators `yaml:"operators"`
	// Lost are management clusters that no longer exist, by their contexts: the names of their API servers are not found,
	// from then on. Default none.
	Lost []string `yaml:"lost"`
	// Restored are management clusters that get the objects of another one, once, as a backup restores them, both by their
	// contexts: {west: east}. They keep the objects from then on. A cluster with a HostedCluster is unchanged. Default
	// none.
	Restored map[string]string `yaml:"restored"`
}

// Bucket is a token bucket, AWS's way of throttling: its capacity is Burst calls, and it is refilled with PerSecond
// calls.
type Bucket struct {
	Burst     float64 `yaml:"burst"`
	PerSecond float64 `yaml:"perSecond"`
}

// Fault is a fault at one call, or from one call on. Calls are counted from 1 per run of the server, including reads
// and refused calls, without those of previews.
type Fault struct {
	// Call is the number of the one call, From that of the first of many, Creates the type at whose first creation in a
	// run the fault happens, "aws:ec2/natGateway:NatGateway", Lists the type whose lists are refused, except to the
	// provider. One of them is required.
	Call    int    `yaml:"call"`
	From    int    `yaml:"from"`
	Creates string `yaml:"creates"`
	Lists   string `yaml:"lists"`
	// Requests is after how many requests of that creation the process is killed, or AWS refuses the next one with Code,
	// counted from 1: the resource lacks what the provider's further requests set. Requires Creates, and Kill to be the
	// engine or both. Default: after all, and before any with Code.
	Requests int `yaml:"requests"`
	// Code and Message are the error that AWS returns for the call: "UnauthorizedOperation".
	Code    string `yaml:"code"`
	Message string `yaml:"message"`
	// Kill is the process that is killed, "" for none. When defaults to After, and Signal to SignalKill.
	Kill   Process `yaml:"kill"`
	When   Moment  `yaml:"when"`
	Signal Signal  `yaml:"signal"`
}

// unknownKey matches the YAML library's message about a key that no field of a Go type has.
var unknownKey = regexp.MustCompile(`field (\S+) not found in type \S+`)

// Read reads settings: YAML text in braces, or the path of a YAML or JSON file. Empty settings are the zero value.
// quotas are the names of the quotas. It reports all errors in the settings at once.
func Read(setting string, quotas []string) (Rehearsal, error) {
	var r Rehearsal
	setting = strings.TrimSpace(setting)
	if setting == "" {
		return r, nil
	}
	text, from := []byte(setting), "the rehearsal's settings"
	if !strings.HasPrefix(setting, "{") {
		var err error
		if text, err = atomicfile.ReadInput(setting); err != nil {
			return r, fmt.Errorf("reading the rehearsal's settings: %w; use the path of a file, or YAML in braces", err)
		}
		from += " in " + setting
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&r); err != nil && !errors.Is(err, io.EOF) {
		return r, fmt.Errorf("%s: %s; docs/appendix/sandbox.md has every key", from,
			unknownKey.ReplaceAllString(strings.Join(strings.Fields(
				strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:")), " "), "$1 is not a key"))
	}
	if err := r.validate(quotas); err != nil {
		return r, fmt.Errorf("%s: %w", from, err)
	}
	if r.Policies != "" {
		var err error
		if r.Documents, err = readPolicies(r.Policies); err != nil {
			return r, fmt.Errorf("%s: policies: %w; use a file with what `hypershift-aws permissions` prints", from, err)
		}
	}
	return r, nil
}

// readPolicies reads policies that follow one another in a file.
func readPolicies(path string) (documents []policy.Document, err error) {
	text, err := atomicfile.ReadInput(path)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var document policy.Document
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		documents = append(documents, document)
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s has no policy", path)
	}
	return documents, nil
}

// OperatorSettings returns Operators with the quotas, which hold for operators too; nil if the rehearsal does not
// configure them.
func (r Rehearsal) OperatorSettings() *Operators {
	if r.Operators == nil {
		return nil
	}
	how := *r.Operators
	how.Quotas = r.Quotas
	return &how
}

func (r Rehearsal) validate(quotas []string) error {
	var errs []error
	if r.Scale < 0 || r.Settle < 0 || r.LateTags < 0 || r.LateReferences < 0 || r.LateReads < 0 {
		errs = append(errs, errors.New("scale, settle, lateTags, lateReferences and lateReads cannot be negative"))
	}
	for service, b := range r.Throttle {
		if b.Burst < 1 || b.PerSecond <= 0 {
			errs = append(errs, fmt.Errorf("throttle.%s: burst must be at least 1 and perSecond more than 0", service))
		}
	}
	for name := range r.Quotas {
		if !slices.Contains(quotas, name) {
			errs = append(errs, fmt.Errorf("quotas.%s: unknown quota; use one of %s", name, strings.Join(quotas, ", ")))
		}
	}
	if r.Operators != nil {
		errs = append(errs, r.Operators.Validate())
	}
	for _, to := range slices.Sorted(maps.Keys(r.Restored)) {
		if from := r.Restored[to]; from == "" || from == to {
			errs = append(errs, fmt.Errorf("restored.%s: %q is no other management cluster; use the context of the one that was backed up", to, from))
		}
	}
	for i, f := range r.Faults {
		if err := f.validate(); err != nil {
			errs = append(errs, fmt.Errorf("faults[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

func (f Fault) validate() error {
	given := 0
	for _, is := range []bool{f.Call > 0, f.From > 0, f.Creates != "", f.Lists != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("exactly one of call, from (both counted from 1), creates and lists (a type each) is required")
	case f.Lists != "" && f.Code == "":
		return errors.New("code is required with lists")
	case f.Requests < 0, f.Requests > 0 && (f.Creates == "" || f.When == Before || f.Kill == CLI ||
		(f.Code == "") == (f.Kill == "")):
		return errors.New("requests, counted from 1, is for creates with either code or kill: engine or both, and not with when: before")
	case f.Code == "" && f.Kill == "":
		return errors.New("code or kill is required")
	}
	return cmp.Or(oneOf("kill", f.Kill, Engine, CLI, Both), oneOf("when", f.When, Before, After),
		oneOf("signal", f.Signal, SignalKill, SignalTerm))
}

// oneOf refuses a value that is set and not allowed.
func oneOf[T ~string](key string, value T, allowed ...T) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is not one of %s", key, value,
		strings.Trim(strings.Join(strings.Fields(fmt.Sprint(allowed)), ", "), "[]"))
}

// at reports whether the fault happens at call n. first is the type of which the call is the first creation, otherwise
// "".
func (f Fault) at(n int, first string) bool {
	return f.Call == n || f.From > 0 && n >= f.From || f.Creates != "" && f.Creates == first
}

// scaled converts a number of AWS's seconds to a duration in this rehearsal.
func (r Rehearsal) scaled(seconds float64) time.Duration {
	return time.Duration(seconds * r.Scale * float64(time.Second))
}

// Latency returns how many seconds AWS takes to create a resource of a type until it can be used, from the type's
// record in awstype. Default: one second.
func Latency(token string) float64 {
	if record, _ := awstype.Lookup(token); record.Seconds.Create > 0 {
		return record.Seconds.Create
	}
	return 1
}

// CreationSeconds returns how many seconds a creation takes in this rehearsal: the type's setting, otherwise Latency,
// scaled.
func (r Rehearsal) CreationSeconds(token string) float64 {
	seconds, ok := r.Seconds[token]
	if !ok {
		seconds = Latency(token)
	}
	return seconds * r.Scale
}
