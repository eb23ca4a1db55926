package adopt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventbridgetypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// recordedStack is the folder of a cluster stack's file and state.
var recordedStack = filepath.Join("..", "..", "..", "test", "lives", "testdata", "states", "cluster")

// readRecorded returns the AWS resources of the recorded stack in the order of their creation.
func readRecorded(t *testing.T) []moto.Resource {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(recordedStack, "state.json"))
	require.NoError(t, err)
	var file struct {
		Deployment struct{ Resources []moto.Resource }
	}
	require.NoError(t, json.Unmarshal(text, &file))
	var found []moto.Resource
	for _, r := range file.Deployment.Resources {
		if strings.HasPrefix(r.Type, "aws:") {
			found = append(found, r)
		}
	}
	require.NotEmpty(t, found)
	return found
}

// TestAClusterIsAdoptedThroughAWSsAPI runs against moto: the account has the resources of a stack whose state is lost.
// The survey must write the stack's config, and the importer must find each resource of the state.
func TestAClusterIsAdoptedThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	services := []string{"ec2", "elb", "elbv2", "events", "iam", "logs", "sqs", "route53", "s3", "sts", "kms",
		"resourcegroupstaggingapi"}
	address := moto.Serve(t, "adopt, through AWS's own API")
	settings := moto.Config(address, services...)
	e := moto.NewAccount(t, settings)
	resources := readRecorded(t)
	for _, r := range resources {
		e.Create(r)
	}
	_, err := e.Compute.CreateVpc(t.Context(), &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
	require.NoError(t, err, "another VPC")

	address, calls := moto.Watch(t, address)
	inventory := account.NewAWS(moto.Config(address, services...)).Snapshot()
	s, err := Look(t.Context(), inventory, nil, documents.Search{InfraID: "demo-x1", Region: "us-east-1"})
	require.NoError(t, err)
	c, err := s.Cluster(t.Context())
	require.NoError(t, err)
	require.Empty(t, c.Incomplete)
	require.True(t, s.DefaultGroupHasRules(), "AWS creates the group with rules")
	requireSameConfig(t, c)

	importer := &Importer{
		Account: func(string) (account.Account, error) { return inventory, nil }, Bound: s.Bound(c),
	}
	for _, r := range resources {
		here := e.Here(r)
		key := takeover.Key{Type: r.Type, Name: r.URN[strings.LastIndex(r.URN, ":")+1:]}
		q := account.Query{Type: r.Type, Inputs: here.Inputs}
		found := importer.find(t.Context(), key, q, "")
		require.NoError(t, found.Err, key)
		require.Empty(t, found.Refused, key)
		require.NotEmpty(t, found.ID, "%s is not found", key)
		place, err := inventory.Place(t.Context())
		require.NoError(t, err)
		switch how, _ := awstype.AdoptionOf(r.Type); {
		case how.By == awstype.AdoptByImportID:
			require.Equal(t, q.ImportID(place), found.ID, key)
		case r.Type != awstype.DefaultSecurityGroup:
			require.Equal(t, here.ID, found.ID, key)
		}
		if r.Type == awstype.MainRouteTableAssociation {
			require.NotEmpty(t, found.Outputs["originalRouteTableId"])
		}
	}

	requireNamedTypes(t, e, inventory)

	// Resources that do not exist are no errors.
	for token, inputs := range map[string]map[string]any{
		awstype.Role: {"name": "nobody"}, awstype.InstanceProfile: {"name": "nothing"},
		awstype.Bucket:                     {"bucket": "no-such-bucket-anywhere"},
		"aws:s3/bucketPolicy:BucketPolicy": {"bucket": "no-such-bucket-anywhere"}, awstype.KeyPair: {"keyName": "none"},
		awstype.LogGroup: {"name": "demo-x1-flow"},
		awstype.Queue:    {"name": "none"}, awstype.EventRule: {"name": "none"},
		awstype.EventTarget: {"rule": "none", "targetId": "queue"},
	} {
		found, err := inventory.List(t.Context(), account.Query{Type: token, Inputs: inputs})
		require.NoError(t, err, token)
		require.Empty(t, found, token)
	}
	calls.RequireAllowed(t, permissions.Adopt())
}

// requireNamedTypes creates a queue with its policy, a rule and a target, without tags, and requires that they are
// found by their names.
func requireNamedTypes(t *testing.T, e *moto.Account, inventory account.Account) {
	t.Helper()
	queue, err := e.Queues.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("interruptions")})
	require.NoError(t, err)
	_, err = e.Queues.SetQueueAttributes(t.Context(), &sqs.SetQueueAttributesInput{QueueUrl: queue.QueueUrl,
		Attributes: map[string]string{
			"Policy": `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"events.amazonaws.com"},"Action":"sqs:SendMessage","Resource":"*"}]}`}})
	require.NoError(t, err)
	_, err = e.Events.PutRule(t.Context(), &eventbridge.PutRuleInput{Name: aws.String("interruption"), EventPattern: aws.String(`{"source":["aws.ec2"]}`)})
	require.NoError(t, err)
	_, err = e.Events.PutTargets(t.Context(), &eventbridge.PutTargetsInput{Rule: aws.String("interruption"),
		Targets: []eventbridgetypes.Target{
			{Id: aws.String("queue"), Arn: aws.String("arn:aws:sqs:us-east-1:123456789012:interruptions")}}})
	require.NoError(t, err)
	importer := &Importer{Account: func(string) (account.Account, error) { return inventory, nil }}
	for token, want := range map[string]struct {
		id     string
		inputs map[string]any
	}{
		awstype.Queue: {"https://sqs.us-east-1.amazonaws.com/123456789012/interruptions",
			map[string]any{"name": "interruptions"}},
		awstype.QueuePolicy: {*queue.QueueUrl, map[string]any{"queueUrl": *queue.QueueUrl}},
		awstype.EventRule:   {"interruption", map[string]any{"name": "interruption"}},
		awstype.EventTarget: {"interruption/queue", map[string]any{"rule": "interruption", "targetId": "queue"}},
		awstype.LogGroup:    {"demo-x1-flow-logs", map[string]any{"name": "demo-x1-flow-logs"}},
	} {
		found := importer.find(t.Context(), takeover.Key{Type: token, Name: "it"}, account.Query{
			Type:   token,
			Inputs: want.inputs,
		}, "")
		require.NoError(t, found.Err, token)
		require.Equal(t, want.id, found.ID, token)
	}
}

// requireSameConfig requires that a derived config is that of the recorded stack, as far as AWS has it.
func requireSameConfig(t *testing.T, c *Cluster) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Pulumi.test.yaml"),
		[]byte(c.File(takeover.Credentials{}, takeover.Credentials{})), 0o600))
	derived, err := stacks.LoadFile(dir, "test")
	require.NoError(t, err)
	created, err := stacks.LoadFile(recordedStack, "test")
	require.NoError(t, err)
	want, got := config.As[*config.Cluster](created), config.As[*config.Cluster](derived)
	for i := range want.Network.Zones {
		if want.Network.Zones[i].Slot == nil {
			want.Network.Zones[i].Slot = &i
		}
	}
	want.Network.ClusterNetworks = got.Network.ClusterNetworks // those of the HostedCluster
	require.Equal(t, want.Network, got.Network)
	require.Equal(t, want.IAM, got.IAM)
	require.Equal(t, want.Tags, got.Tags)
	require.Equal(t, []any{want.Name, want.InfraID, want.BaseDomain, want.BaseDomainPrefix, want.EndpointAccess,
		want.KMSKeyARN},
		[]any{got.Name, got.InfraID, got.BaseDomain, got.BaseDomainPrefix, got.EndpointAccess, got.KMSKeyARN})
}
