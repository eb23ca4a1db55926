package config

import (
	"cmp"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// InterruptionQueueName returns the name of the queue of the cluster's spot interruptions; it has at most 46
// characters.
func (c *Cluster) InterruptionQueueName() string { return c.InfraID + "-interruptions" }

// InterruptionQueueURL returns the URL of the queue in the cluster's account, "" without interruptionQueue.
func (c *Cluster) InterruptionQueueURL(region, account string) string {
	if !c.InterruptionQueue {
		return ""
	}
	return fmt.Sprintf("https://sqs.%s.%s/%s/%s", region, hypershift.DNSSuffix(hypershift.Partition(region)), account, c.InterruptionQueueName())
}

// queueURLPath returns the path of the queue's URL in the spec of a HostedCluster.
func queueURLPath() []string { return []string{"platform", "aws", "terminationHandlerQueueURL"} }

// validateInterruptionQueue returns a fault if HyperShift would refuse the queue's URL, or if the spec of the
// HostedCluster has another one.
func (c *Cluster) validateInterruptionQueue(region string) error {
	if !c.InterruptionQueue {
		return nil
	}
	var faults fault.Faults
	if partition := hypershift.Partition(region); region != "" && hypershift.DNSSuffix(partition) != "amazonaws.com" {
		faults.Add("", true, "would be a queue under "+hypershift.DNSSuffix(partition)+
			", but a HostedCluster only accepts queues under amazonaws.com",
			"leave it out in partition "+partition)
	}
	if url := c.specQueueURL(); url != "" {
		faults.Add("", true, "conflicts with hostedCluster.spec.platform.aws.terminationHandlerQueueURL, "+url,
			"set only one of the two")
	}
	return faults.Err()
}

// specQueueURL returns the queue's URL in the spec of the HostedCluster, "" without one.
func (c *Cluster) specQueueURL() string {
	if c.HostedCluster == nil {
		return ""
	}
	var at any = c.HostedCluster.Spec
	for _, key := range queueURLPath() {
		fields, _ := at.(map[string]any)
		at = fields[key]
	}
	url, _ := at.(string)
	return url
}

// UndrainedSpotPools returns the names of the node pools of spot instances, if the cluster has no queue of
// interruptions: HyperShift requires one to drain their nodes.
func (c *Cluster) UndrainedSpotPools() []string {
	if c.InterruptionQueue || c.HostedCluster == nil || c.specQueueURL() != "" {
		return nil
	}
	var names []string
	for i, pool := range c.HostedCluster.NodePools {
		if pool.Spot != nil {
			names = append(names, cmp.Or(pool.Name, fmt.Sprintf("nodePools[%d]", i)))
		}
	}
	return names
}
