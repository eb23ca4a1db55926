package config

import (
	"strings"

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
