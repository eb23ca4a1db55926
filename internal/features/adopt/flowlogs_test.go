package adopt

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// logged returns the account of a cluster whose VPC has a flow log with these properties, beside those of the stack's
// own.
func logged(tags map[string]string, properties map[string]any) *fakeAccount {
	a := ofHyperShift()
	name := infraID + "-flow-logs"
	own := map[string]any{
		"vpcId": "vpc-1", "logDestinationType": "cloud-watch-logs",
		"logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:" + name,
		"trafficType":    "ALL", "logFormat": flowLogFormat, "maxAggregationInterval": 600.0,
		"iamRoleArn": "arn:aws:iam::123456789012:role/team/" + name,
	}
	for key, value := range properties {
		own[key] = value
	}
	a.add(awstype.FlowLog, "fl-1", tags, own)
	return a
}

func TestAFlowLogIsDescribedWithItsDestinationTrafficAndRetention(t *testing.T) {
	t.Parallel()
	owned := map[string]string{"kubernetes.io/cluster/" + infraID: "owned"}
	for name, test := range map[string]struct {
		tags       map[string]string
		properties map[string]any
		retention  any
		want       network.FlowLogs
		unsure     string
	}{
		"defaults":              {owned, nil, 30.0, network.FlowLogs{}, ""},
		"named alone":           {map[string]string{"Name": infraID + "-flow-logs"}, nil, 30.0, network.FlowLogs{}, ""},
		"neither tag nor name":  {nil, nil, 30.0, network.FlowLogs{}, ""}, // its log group has the stack's name
		"retention and traffic": {owned, map[string]any{"trafficType": "REJECT"}, 90.0, network.FlowLogs{RetentionDays: 90, Traffic: network.RejectedTraffic}, ""},
		"kept forever": {owned, nil, nil, network.FlowLogs{RetentionDays: 3653},
			"log group demo-x7k2p-flow-logs keeps its records forever; the maximum of a stack is 3653 days"},
		"S3": {owned, map[string]any{
			"logDestinationType": "s3",
			"logDestination":     "arn:aws:s3:::logs/demo",
			"iamRoleArn":         nil,
		}, nil,
			network.FlowLogs{Destination: network.FlowLogsToS3, BucketARN: pulumi.String("arn:aws:s3:::logs/demo")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := logged(test.tags, test.properties)
			a.add(awstype.LogGroup, infraID+"-flow-logs", nil, map[string]any{
				"name":            infraID + "-flow-logs",
				"retentionInDays": test.retention,
			})
			s, c, err := look(a, documents.Search{})
			require.NoError(t, err)
			require.Equal(t, &test.want, c.Network.FlowLogs)
			require.Equal(t, test.unsure, c.Unsure["flowLogs"])
			require.Equal(t, "fl-1", s.Bound(c)[takeover.Key{Type: awstype.FlowLog, Name: infraID + "-flow-logs"}])
			require.Contains(t, c.File(takeover.Credentials{}, takeover.Credentials{}), "      flowLogs:")
			require.Empty(t, s.Left())
		})
	}
}

func TestAFlowLogThatTheConfigCannotDescribeIsLeftAloneWithTheReason(t *testing.T) {
	t.Parallel()
	owned := map[string]string{"kubernetes.io/cluster/" + infraID: "owned"}
	for want, test := range map[string]struct {
		tags       map[string]string
		properties map[string]any
	}{
		"it has neither the cluster's tag nor the name demo-x7k2p-flow-logs": {
			map[string]string{"team": "security"},
			map[string]any{"logDestinationType": "s3", "logDestination": "arn:aws:s3:::audit"}},
		"network.flowLogs has no destination kinesis-data-firehose": {owned, map[string]any{
			"logDestinationType": "kinesis-data-firehose",
		}},
		"it writes to log group audit; that of the stack is demo-x7k2p-flow-logs": {owned,
			map[string]any{"logDestination": "arn:aws:logs:us-east-1:123456789012:log-group:audit:*"}},
		"it writes with role arn:aws:iam::123456789012:role/audit; that of the stack is demo-x7k2p-flow-logs": {owned,
			map[string]any{"iamRoleArn": "arn:aws:iam::123456789012:role/audit"}},
		"it has another format, for which network.flowLogs has no key": {owned, map[string]any{
			"logFormat": "${version} ${vpc-id}",
		}},
		"it aggregates over 60 seconds, for which network.flowLogs has no key": {owned, map[string]any{
			"maxAggregationInterval": 60.0,
		}},
	} {
		s, c, err := look(logged(test.tags, test.properties), documents.Search{})
		require.NoError(t, err)
		require.Nil(t, c.Network.FlowLogs, want)
		require.Equal(t, map[string]takeover.Item{
			"fl-1": {Action: takeover.Leave, Type: awstype.FlowLog, ID: "fl-1", Name: test.tags["Name"], Why: want},
		}, s.Left())
		require.NotContains(t, c.File(takeover.Credentials{}, takeover.Credentials{}), "flowLogs")
	}
}

func TestOfTwoFlowLogsTheOneWithTheStacksNameIsAdopted(t *testing.T) {
	t.Parallel()
	owned := map[string]string{"kubernetes.io/cluster/" + infraID: "owned"}
	a := logged(owned, nil)
	a.add(awstype.FlowLog, "fl-2", map[string]string{"Name": infraID + "-flow-logs"},
		map[string]any{
			"vpcId":              "vpc-1",
			"logDestinationType": "s3",
			"logDestination":     "arn:aws:s3:::logs",
			"trafficType":        "ALL",
		})
	s, c, err := look(a, documents.Search{})
	require.NoError(t, err)
	require.Equal(t, &network.FlowLogs{
		Destination: network.FlowLogsToS3,
		BucketARN:   pulumi.String("arn:aws:s3:::logs"),
	}, c.Network.FlowLogs)
	require.Equal(t, "the stack's file describes one flow log, which is fl-2", s.Left()["fl-1"].Why)
}
