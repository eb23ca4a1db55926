package capa

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/capa/crd"
)

// HealthCheck lets Cluster API replace the machines whose nodes are unhealthy.
type HealthCheck struct {
	// UnhealthyAfter is how long a node's condition Ready may be False or Unknown before the node is unhealthy, such as
	// "5m". Default 5m.
	UnhealthyAfter string `yaml:"unhealthyAfter" pulumi:"unhealthyAfter,optional"`
	// StartupTimeout is how long a new machine may take to become a node, at least 30s; "0s" waits without a limit.
	// Default 10m.
	StartupTimeout string `yaml:"startupTimeout" pulumi:"startupTimeout,optional"`
	// MaxUnhealthy is a number of machines, or a percentage such as "40%", which is rounded down. If more machines are
	// unhealthy, none is replaced, because the machines are then probably not the cause. Default: no limit.
	MaxUnhealthy string `yaml:"maxUnhealthy" pulumi:"maxUnhealthy,optional"`
}

const (
	defaultUnhealthyAfter = "5m"
	defaultStartupTimeout = "10m"
	minStartupTimeout     = 30 * time.Second
)

var limitPattern = regexp.MustCompile(`^[0-9]{1,6}%?$`)

// validate returns the faults of a health check, and of the spec that is merged into it.
func (h *HealthCheck) validate(merged map[string]any, mergedKey string) error {
	var faults fault.Faults
	if h == nil {
		if len(merged) > 0 {
			faults.Add(mergedKey, nil, "has no effect without healthCheck", "set healthCheck too, {} for its defaults")
		}
		return faults.Err()
	}
	for _, given := range []struct {
		key, text string
		min       time.Duration
	}{{"unhealthyAfter", h.UnhealthyAfter, time.Second}, {"startupTimeout", h.StartupTimeout, minStartupTimeout}} {
		if given.text == "" {
			continue
		}
		d, err := time.ParseDuration(given.text)
		none := given.key == "startupTimeout" && d == 0
		if err != nil || d%time.Second != 0 || d < given.min && !none {
			faults.Add("healthCheck."+given.key, given.text, "is not a time that Cluster API accepts",
				fmt.Sprintf("use whole seconds, at least %s, such as 10m", given.min))
		}
	}
	if h.MaxUnhealthy != "" && !limitPattern.MatchString(h.MaxUnhealthy) {
		faults.Add("healthCheck.maxUnhealthy", h.MaxUnhealthy, "is neither a number nor a percentage",
			`use one such as 1 or "40%"`)
	}
	return faults.Err()
}

// machineHealthCheck returns the MachineHealthCheck of a pool, whose machines the selector selects.
func (b *objectBuilder) machineHealthCheck(pool string, h *HealthCheck, selector map[string]any) map[string]any {
	seconds := func(text, otherwise string) int64 {
		d, _ := time.ParseDuration(cmp.Or(text, otherwise)) // validated
		return int64(d / time.Second)
	}
	var conditions []any
	for _, status := range []string{"False", "Unknown"} {
		conditions = append(conditions, map[string]any{
			"type":           "Ready",
			"status":         status,
			"timeoutSeconds": seconds(h.UnhealthyAfter, defaultUnhealthyAfter),
		})
	}
	spec := map[string]any{
		"clusterName": b.args.Name, "selector": selector,
		"checks": map[string]any{
			"nodeStartupTimeoutSeconds": seconds(h.StartupTimeout, defaultStartupTimeout),
			"unhealthyNodeConditions":   conditions,
		},
	}
	if h.MaxUnhealthy != "" {
		limit := any(h.MaxUnhealthy)
		if n, err := strconv.Atoi(h.MaxUnhealthy); err == nil {
			limit = int64(n)
		}
		spec["remediation"] = map[string]any{"triggerIf": map[string]any{"unhealthyLessThanOrEqualTo": limit}}
	}
	o := b.object(crd.CoreVersion, "MachineHealthCheck", b.args.Name+"-"+pool, spec)
	o["metadata"].(map[string]any)["labels"] = map[string]any{clusterNameLabel: b.args.Name} // the webhook sets it too
	return o
}

// The labels of Cluster API by which a health check selects machines.
const (
	clusterNameLabel    = "cluster.x-k8s.io/cluster-name"
	deploymentNameLabel = "cluster.x-k8s.io/deployment-name"
	controlPlaneLabel   = "cluster.x-k8s.io/control-plane"
)

// controlPlaneMachines selects the control plane's machines.
func (b *objectBuilder) controlPlaneMachines() map[string]any {
	return map[string]any{"matchLabels": map[string]any{clusterNameLabel: b.args.Name, controlPlaneLabel: ""}}
}

// machinesOf selects the machines of machine deployments.
func (b *objectBuilder) machinesOf(deployments []any) map[string]any {
	return map[string]any{
		"matchLabels":      map[string]any{clusterNameLabel: b.args.Name},
		"matchExpressions": []any{map[string]any{"key": deploymentNameLabel, "operator": "In", "values": deployments}},
	}
}
