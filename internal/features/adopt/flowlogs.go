package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// flowLogsSuffix ends the names of a cluster's flow log, its log group and the role that writes to it.
const flowLogsSuffix = "-flow-logs"

// The settings of flow logs that the config cannot change. Source: CreateFlowLogs in the EC2 API reference.
const (
	flowLogFormat = "${version} ${account-id} ${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} ${protocol} ${packets} ${bytes} " +
		"${start} ${end} ${action} ${log-status}"
	flowLogInterval = 600.0
)

const (
	// longestRetention is the longest retention that CloudWatch Logs has, in days.
	longestRetention = 3653
	// defaultRetention is the config's default.
	defaultRetention = 30
)

// flowLogs finds the flow log that the stack creates, and notes why others of the VPC are not adopted.
func (c *Cluster) flowLogs(ctx context.Context, s *Survey) error {
	found := s.inVPC(s.list(ctx, s.owner, awstype.FlowLog, map[string]any{"vpcId": s.VPC.ID}))
	// The one with the name that the stack gives comes first.
	slices.SortStableFunc(found, func(a, b inventory.Resource) int { return s.nameRank(a) - s.nameRank(b) })
	for _, log := range found {
		reason := s.foreignFlowLog(log)
		switch {
		case reason == "" && s.flowLog.ID != "":
			reason = "the stack's file describes one flow log, which is " + s.flowLog.ID
		case reason == "":
			s.flowLog = log
			c.Network.FlowLogs = c.flowLogConfig(ctx, s, log)
			continue
		}
		s.leave(log, reason)
	}
	return nil
}

func (s *Survey) nameRank(r inventory.Resource) int {
	if r.Tags["Name"] == s.InfraID+flowLogsSuffix {
		return 0
	}
	return 1
}

// logGroupName returns the log group of a flow log, or "" without one.
func logGroupName(log inventory.Resource) string {
	if name := log.Text("logGroupName"); name != "" {
		return name
	}
	_, name, _ := strings.Cut(log.Text("logDestination"), ":log-group:")
	return strings.TrimSuffix(name, ":*")
}

// foreignFlowLog returns why the config cannot describe a flow log of the VPC, or "" if it can.
func (s *Survey) foreignFlowLog(log inventory.Resource) string {
	name := s.InfraID + flowLogsSuffix
	toLogs := log.Text("logDestinationType") == "cloud-watch-logs"
	interval, _ := log.Properties["maxAggregationInterval"].(float64)
	role := log.Text("iamRoleArn")
	switch format := log.Text("logFormat"); {
	case !s.owns(log) && log.Tags["Name"] != name && logGroupName(log) != name:
		return "it has neither the cluster's tag nor the name " + name
	case !toLogs && log.Text("logDestinationType") != "s3":
		return "network.flowLogs has no destination " + log.Text("logDestinationType")
	case toLogs && logGroupName(log) != name:
		return "it writes to log group " + logGroupName(log) + "; that of the stack is " + name
	case toLogs && role[strings.LastIndex(role, "/")+1:] != name:
		return "it writes with role " + role + "; that of the stack is " + name
	case format != "" && format != flowLogFormat:
		return "it has another format, for which network.flowLogs has no key"
	case interval != 0 && interval != flowLogInterval:
		return fmt.Sprintf("it aggregates over %d seconds, for which network.flowLogs has no key", int(interval))
	}
	return ""
}

// flowLogConfig returns the config that describes a flow log.
func (c *Cluster) flowLogConfig(ctx context.Context, s *Survey, log inventory.Resource) *network.FlowLogs {
	config := &network.FlowLogs{}
	if traffic := network.FlowLogTraffic(log.Text("trafficType")); traffic != network.AllTraffic {
		config.Traffic = traffic
	}
	if log.Text("logDestinationType") == "s3" {
		config.Destination, config.BucketARN = network.FlowLogsToS3, pulumi.String(log.Text("logDestination"))
		return config
	}
	group := logGroupName(log)
	for _, g := range s.list(ctx, s.owner, awstype.LogGroup, map[string]any{"name": group}) {
		if g.Text("name") != group {
			continue
		}
		switch days, _ := g.Properties["retentionInDays"].(float64); days {
		case defaultRetention:
		case 0:
			config.RetentionDays = longestRetention
			c.Unsure["flowLogs"] = fmt.Sprintf("log group %s keeps its records forever; the maximum of a stack is %d days",
				group, longestRetention)
		default:
			config.RetentionDays = int(days)
		}
	}
	return config
}
