package operate

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// After an update the CLI names the command that a user of that stack needs next.
func TestTheNextCommandFollowsFromWhatWasUpdated(t *testing.T) {
	t.Parallel()
	of := func(types ...string) *automation.UpResult {
		result := &automation.UpResult{Stack: "dev", File: &config.File{}, Done: &changes.Plan{}}
		for _, token := range types {
			result.Done.Steps = append(result.Done.Steps, &changes.Step{Type: token})
		}
		return result
	}
	const hosted = "kubernetes:hypershift.openshift.io/v1beta1:HostedCluster"
	for name, c := range map[string]struct {
		result  *automation.UpResult
		waited  bool
		command string
	}{
		"a cluster that is ready":    {of(hosted), true, "hypershift-aws kubeconfig -s dev"},
		"a cluster that was applied": {of("aws:ec2/vpc:Vpc", hosted), false, "hypershift-aws status -s dev"},
		"a cluster of Cluster API": {of("kubernetes:cluster.x-k8s.io/v1beta1:Cluster"), false,
			"hypershift-aws status -s dev"},
		"a resource of the same name":  {of("aws:ecs/cluster:Cluster"), false, "hypershift-aws outputs -s dev"},
		"resources of AWS and no more": {of("aws:ec2/vpc:Vpc"), false, "hypershift-aws outputs -s dev"},
	} {
		assert.Contains(t, nextOf(c.result, c.waited), c.command, name)
	}
}
