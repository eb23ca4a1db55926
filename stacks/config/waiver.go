package config

import (
	"fmt"
	"reflect"
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

// readWaivers reads the waivers of a stack's config.
func readWaivers(from Source) ([]PolicyWaiver, error) {
	node := from.Values[WaiversKey]
	if node == nil {
		return nil, nil
	}
	var waivers []PolicyWaiver
	d := newDecoder(from.Dir)
	d.decode(node, reflect.ValueOf(&waivers).Elem(), WaiversKey)
	var faults fault.Faults
	faults = append(faults, d.faults...)
	for i, waiver := range waivers {
		at := fmt.Sprintf("%s[%d].", WaiversKey, i)
		if strings.TrimSpace(waiver.Rule) == "" {
			faults.Add(at+"rule", nil, "is missing", "set the name of a policy, which `hypershift-aws policies` lists")
		}
		if strings.TrimSpace(waiver.Reason) == "" {
			faults.Add(at+"reason", nil, "is missing", "set the reason why the finding is accepted")
		}
	}
	return waivers, faults.Err()
}
