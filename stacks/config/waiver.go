package config

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/enum"
	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// PolicyWaiver accepts a finding of a policy. `hypershift-aws policies` lists the policies.
type PolicyWaiver struct {
	// Rule is the policy's name, such as open-ingress. Required.
	Rule string `yaml:"rule" pulumi:"rule"`
	// Resource is the name of the resource in the program, such as network-endpoints-https. Default: all resources.
	Resource string `yaml:"resource" pulumi:"resource,optional"`
	// Reason is why the finding is accepted; it appears in every report. Required.
	Reason string `yaml:"reason" pulumi:"reason"`
}

func (w PolicyWaiver) check(faults *fault.Faults) {
	if strings.TrimSpace(w.Rule) == "" {
		faults.Add("rule", nil, "is missing", "set the name of a policy, which `hypershift-aws policies` lists")
	}
	if strings.TrimSpace(w.Reason) == "" {
		faults.Add("reason", nil, "is missing", "set the reason why the finding is accepted")
	}
}

// Enforcement is what happens to an update that violates a policy.
type Enforcement string

const (
	// PolicyWarn reports violations of policies in previews.
	PolicyWarn Enforcement = "warn"
	// PolicyMandatory refuses an update that violates a policy.
	PolicyMandatory Enforcement = "mandatory"
)

// Validate returns the fault of an unknown value. The zero value is PolicyWarn.
func (e Enforcement) Validate() error {
	return enum.Validate(e, "is not a way to enforce policies", PolicyWarn, PolicyMandatory)
}
