// Package faults rehearses what goes wrong: how long calls take, throttling, refused calls, and processes that are killed.
package faults

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Rehearsal is how the accounts behave over time and what goes wrong in them. The zero value answers every call at once
// and lets nothing go wrong.
type Rehearsal struct {
	// Scale is what AWS's own times are multiplied with: 1 is as slow as AWS, 0.1 ten times as fast. Default 0: no
	// waiting at all.
	Scale float64 `yaml:"scale"`
	// Seconds replace the built-in times of creations, by type: "aws:ec2/natGateway:NatGateway": 106. They are scaled.
	Seconds map[string]float64 `yaml:"seconds"`
	// Throttle limits the calls of a service, by its name in errors: "EC2", "IAM", "Route 53". Default: no limits.
	Throttle map[string]Bucket `yaml:"throttle"`
	// Settle is how many seconds a new role, profile or EC2 resource stays unseen by the calls that refer to it. They are
	// tried again as the provider does. Default 0. It is scaled.
	Settle float64 `yaml:"settle"`
	// LateTags is how many searches by tags, for each type and in each run of the server, show nothing yet: AWS's lists of tags are
	// eventually consistent. Default 0.
	LateTags int `yaml:"lateTags"`
	// LateReferences is how often each tag, VPC endpoint and endpoint service fails for referring to something that was created in this
	// run of the server: the provider does not wait until AWS shows it. Default 0.
	LateReferences int `yaml:"lateReferences"`
	// Quotas raise or lower what AWS allows of a kind, by the quota's name: see quotas.go. Default: AWS's own.
	Quotas map[string]int `yaml:"quotas"`
	// Faults are what goes wrong, at the calls that they name.
	Faults []Fault `yaml:"faults"`
	// Deleted are the resources, each by its ID or its tag Name, that somebody deletes by hand before this run.
	Deleted []string `yaml:"deleted"`
	// Operators are how HyperShift's operators behave in the clusters that are used, from then on. Default nil: as before.
	Operators *Operators `yaml:"operators"`
}

// Bucket is a token bucket, by which AWS throttles: it holds Burst calls and gets PerSecond new ones.
type Bucket struct {
	Burst     float64 `yaml:"burst"`
	PerSecond float64 `yaml:"perSecond"`
}

// Fault is something that goes wrong at one call, or from one call on. Calls are counted from 1 for each run of the
// server, reads and refused ones included, previews not.
type Fault struct {
	// Call is the number of the one call, From that of the first of many, Creates the type whose first creation in a run it is,
	// "aws:ec2/natGateway:NatGateway". One of them must be given.
	Call    int    `yaml:"call"`
	From    int    `yaml:"from"`
	Creates string `yaml:"creates"`
	// Code and Message are AWS's answer in place of the call: "UnauthorizedOperation".
	Code    string `yaml:"code"`
	Message string `yaml:"message"`
	// Kill is the process that is killed: "engine", "cli" or "both". When says whether the call has taken effect by then:
	// "before" or "after". Default after. Signal is KILL or TERM. Default KILL.
	Kill   string `yaml:"kill"`
	When   string `yaml:"when"`
	Signal string `yaml:"signal"`
}

// Read reads settings: YAML text in braces, or the path of a YAML or JSON file. Empty settings are the zero
// value. quotas are the names of those that there are. It fails with every fault in the settings at once.
func Read(setting string, quotas []string) (Rehearsal, error) {
	var r Rehearsal
	setting = strings.TrimSpace(setting)
	if setting == "" {
		return r, nil
	}
	text, from := []byte(setting), "the settings"
	if !strings.HasPrefix(setting, "{") {
		var err error
		if text, err = os.ReadFile(setting); err != nil {
			return r, fmt.Errorf("reading the rehearsal's settings: %w; give a file, or YAML in braces", err)
		}
		from = setting
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	if err := decoder.Decode(&r); err != nil && !errors.Is(err, io.EOF) {
		return r, fmt.Errorf("reading the rehearsal's settings from %s: %w", from, err)
	}
	if err := r.validate(quotas); err != nil {
		return r, fmt.Errorf("the rehearsal's settings in %s: %w", from, err)
	}
	return r, nil
}

func (r Rehearsal) validate(quotas []string) error {
	var errs []error
	if r.Scale < 0 || r.Settle < 0 || r.LateTags < 0 || r.LateReferences < 0 {
		errs = append(errs, errors.New("scale, settle, lateTags and lateReferences cannot be negative"))
	}
	for service, b := range r.Throttle {
		if b.Burst < 1 || b.PerSecond <= 0 {
			errs = append(errs, fmt.Errorf("throttle.%s: burst must be at least 1 and perSecond more than 0", service))
		}
	}
	for name := range r.Quotas {
		if !slices.Contains(quotas, name) {
			errs = append(errs, fmt.Errorf("quotas.%s: there is no such quota; there are %s", name, strings.Join(quotas, ", ")))
		}
	}
	if r.Operators != nil {
		errs = append(errs, r.Operators.Validate())
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
	for _, is := range []bool{f.Call > 0, f.From > 0, f.Creates != ""} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("give one of call and from, counted from 1, and creates, a type")
	case f.Code == "" && f.Kill == "":
		return errors.New("give code or kill")
	case !slices.Contains([]string{"", "engine", "cli", "both"}, f.Kill):
		return fmt.Errorf("kill: %q is none of engine, cli, both", f.Kill)
	case !slices.Contains([]string{"", "before", "after"}, f.When):
		return fmt.Errorf("when: %q is neither before nor after", f.When)
	case !slices.Contains([]string{"", "KILL", "TERM"}, f.Signal):
		return fmt.Errorf("signal: %q is neither KILL nor TERM", f.Signal)
	}
	return nil
}

// at is whether the fault happens at call n, which is the first creation of a type, "" for another call.
func (f Fault) at(n int, first string) bool {
	return f.Call == n || f.From > 0 && n >= f.From || f.Creates != "" && f.Creates == first
}

// scaled is a number of AWS's seconds as long as they last here.
func (r Rehearsal) scaled(seconds float64) time.Duration {
	return time.Duration(seconds * r.Scale * float64(time.Second))
}
