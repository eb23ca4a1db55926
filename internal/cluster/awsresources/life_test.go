package awsresources

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbv2types "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// listing is an account with resources, of which some types cannot be listed.
type listing struct {
	account.Account
	found    []inventory.Resource
	attached map[string][]string
	denied   map[string]error
}

func (listing) Place(context.Context) (inventory.Place, error) {
	return inventory.Place{Partition: "aws", Account: "123456789012", Region: "us-east-1"}, nil
}

func (l listing) Snapshot() account.Account { return l }

func (l listing) Targets(context.Context, inventory.Resource) ([]account.Target, error) {
	return nil, nil
}

func (l listing) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	var of []inventory.Resource
	for _, one := range l.found {
		if one.Type == q.Type {
			of = append(of, one)
		}
	}
	return of, l.denied[q.Type]
}

func (l listing) Attached(_ context.Context, of inventory.Resource) ([]string, error) {
	return l.attached[of.ID], l.denied[of.ID]
}

// owning returns a state with resources.
func owning(t *testing.T, resources ...map[string]any) *state.Deployment {
	t.Helper()
	text, err := json.Marshal(map[string]any{"version": 3, "deployment": map[string]any{"resources": resources}})
	require.NoError(t, err)
	d, err := state.ParseExport(text)
	require.NoError(t, err)
	return d
}

func one(token, id, key string, with func(*inventory.Resource)) inventory.Resource {
	l := inventory.Resource{
		Type:       token,
		ID:         id,
		ARN:        id,
		Tags:       map[string]string{key: "owned"},
		Properties: map[string]any{},
	}
	if with != nil {
		with(&l)
	}
	return l
}

func TestSignsOfLifeAreWhatAClusterUsesAndTheStackDoesNotOwn(t *testing.T) {
	t.Parallel()
	key := clusterstatus.LifeTag("demo-x1")
	in := func(s string) func(*inventory.Resource) { return func(l *inventory.Resource) { l.State = s } }
	interfaced := func(l *inventory.Resource) {
		l.State, l.Properties = "available", map[string]any{"vpcEndpointType": "Interface"}
	}
	own := owning(t,
		map[string]any{"urn": "urn:pulumi:d::p::a::bastion", "custom": true, "type": awstype.Instance, "id": "i-own"},
		map[string]any{"urn": "urn:pulumi:d::p::a::s3", "custom": true, "type": awstype.VPCEndpoint, "id": "vpce-own",
			"outputs": map[string]any{"serviceName": "com.amazonaws.us-east-1.ec2"}},
		map[string]any{"urn": "urn:pulumi:d::p::hypershift-aws:privatelink:Endpoint$a::ep", "custom": true,
			"type": awstype.VPCEndpoint, "id": "vpce-foreign",
			"outputs": map[string]any{"serviceName": "com.amazonaws.vpce.us-east-1.vpce-svc-9"}},
		map[string]any{"urn": "urn:pulumi:d::p::hypershift-aws:network:GuestNetwork$a::proxy", "custom": true,
			"type": awstype.VPCEndpoint, "id": "vpce-proxy",
			"outputs": map[string]any{"serviceName": "com.amazonaws.vpce.us-east-1.vpce-svc-8"}},
		map[string]any{"urn": "urn:pulumi:d::p::hypershift-aws:privatelink:Endpoint$a::both", "custom": true,
			"type": awstype.VPCEndpoint, "id": "vpce-both",
			"outputs": map[string]any{"serviceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1"}},
		map[string]any{"urn": "urn:pulumi:d::p::a::svc", "custom": true, "type": awstype.VPCEndpointService,
			"id":      "vpce-svc-1",
			"outputs": map[string]any{"serviceName": "com.amazonaws.vpce.us-east-1.vpce-svc-1"}},
	)
	for name, c := range map[string]struct {
		found    inventory.Resource
		attached []string
		sign     bool
	}{
		"a running instance":                        {one(awstype.Instance, "i-1", key, in("running")), nil, true},
		"a stopped instance":                        {one(awstype.Instance, "i-1", key, in("stopped")), nil, true},
		"a terminated instance":                     {one(awstype.Instance, "i-1", key, in("terminated")), nil, false},
		"the stack's bastion":                       {one(awstype.Instance, "i-own", key, in("running")), nil, false},
		"an instance of a cluster with a longer ID": {one(awstype.Instance, "i-1", key+"2", in("running")), nil, false},
		"an available endpoint":                     {one(awstype.VPCEndpoint, "vpce-1", key, interfaced), nil, true},
		"a gateway endpoint": {one(awstype.VPCEndpoint, "vpce-1", key, func(l *inventory.Resource) {
			l.State, l.Properties = "available", map[string]any{"vpcEndpointType": "Gateway"}
		}), nil, false},
		"a rejected endpoint": {one(awstype.VPCEndpoint, "vpce-1", key,
			in("rejected")), nil, false},
		"the stack's endpoint to AWS":             {one(awstype.VPCEndpoint, "vpce-own", key, interfaced), nil, false},
		"the stack's endpoint to its own service": {one(awstype.VPCEndpoint, "vpce-both", key, interfaced), nil, false},
		"the stack's endpoint to a proxy": {one(awstype.VPCEndpoint, "vpce-proxy", key,
			interfaced), nil, false},
		"the stack's endpoint to an operator's service": {one(awstype.VPCEndpoint, "vpce-foreign", key,
			interfaced), nil, true},
		"a service that nothing is connected to": {one(awstype.VPCEndpointService, "vpce-svc-2", key,
			nil), nil, false},
		"the stack's service and endpoint": {one(awstype.VPCEndpointService, "vpce-svc-1", key,
			nil), []string{"vpce-both"}, false},
		"the stack's service, another's endpoint": {one(awstype.VPCEndpointService, "vpce-svc-1", key,
			nil), []string{"vpce-both", "vpce-7"}, true},
		"a target group without targets": {one(awstype.TargetGroup, "tg-1", key, nil), nil, false},
		"a registered target":            {one(awstype.TargetGroup, "tg-1", key, nil), []string{"i-1"}, true},
		"instances behind a classic load balancer": {one(awstype.ClassicLoadBalancer, "elb-1", key,
			nil), []string{"i-1"}, true},
		"a load balancer alone": {one(awstype.LoadBalancer, "lb-1", key, nil), nil, false},
	} {
		aws := listing{found: []inventory.Resource{c.found}, attached: map[string][]string{c.found.ID: c.attached}}
		found := SignsOfLife(t.Context(), own, key, []account.Account{aws, aws})
		require.NoError(t, found.Err, name)
		require.Equal(t, c.sign, len(found.Signs) == 1, "%s: %v", name, found.Signs)
		require.Equal(t, c.sign && c.found.Type == awstype.Instance, len(found.Instances) == 1, name)
	}
	balancer := one(awstype.LoadBalancer, "lb-1", key, nil)
	group := one(awstype.TargetGroup, "tg-1", "Name", func(l *inventory.Resource) { l.UsedBy = []string{"lb-1"} })
	found := SignsOfLife(t.Context(), own, key, []account.Account{listing{
		found:    []inventory.Resource{balancer, group},
		attached: map[string][]string{"tg-1": {"10.0.0.7"}},
	}})
	require.Len(t, found.Signs, 1, "the target group has no tag, and its load balancer has it")
	named := func(name string) func(*inventory.Resource) {
		return func(l *inventory.Resource) { l.Properties["name"] = name }
	}
	for name, c := range map[string]struct {
		found inventory.Resource
		trace bool
	}{
		"a load balancer":          {balancer, true},
		"the default worker group": {one(awstype.SecurityGroup, "sg-1", key, named("demo-x1-default-sg")), true},
		"the group of a VPC":       {one(awstype.SecurityGroup, "sg-2", key, named("default")), false},
		"a group of a stack":       {one(awstype.SecurityGroup, "i-own", key, named("nodes")), false},
		"a group of others, shared": {one(awstype.SecurityGroup, "sg-3", key, func(l *inventory.Resource) {
			l.Tags[key] = "shared"
		}), false},
		"an instance": {one(awstype.Instance, "i-1", key, nil), false},
	} {
		found := SignsOfLife(t.Context(), own, key, []account.Account{listing{found: []inventory.Resource{c.found}}})
		require.Equal(t, c.trace, len(found.Traces) == 1, "%s: %v", name, found.Traces)
	}
	capaLB := one(awstype.LoadBalancer, "lb-1", clusterstatus.CAPALifeTag("demo"), nil)
	require.Len(t, SignsOfLife(t.Context(), own, clusterstatus.CAPALifeTag("demo"), []account.Account{listing{
		found: []inventory.Resource{capaLB},
	}}).Signs, 1)
}

func TestAReadThatAWSDeniesIsAnErrorBesideTheOtherSigns(t *testing.T) {
	t.Parallel()
	key, denied := clusterstatus.LifeTag("demo-x1"), errors.New("UnauthorizedOperation")
	instance := one(awstype.Instance, "i-1", key, nil)
	for _, token := range awstype.LifeTypes() {
		found := SignsOfLife(t.Context(), owning(t), key, []account.Account{listing{
			found:  []inventory.Resource{instance},
			denied: map[string]error{token: denied},
		}})
		require.ErrorIs(t, found.Err, denied, token)
		require.Len(t, found.Signs, 1, token)
	}
	group := one(awstype.TargetGroup, "tg-1", key, nil)
	found := SignsOfLife(t.Context(), owning(t), key, []account.Account{listing{
		found:  []inventory.Resource{group},
		denied: map[string]error{"tg-1": denied},
	}})
	require.ErrorIs(t, found.Err, denied)
}

func TestSignsOfLifeAreReadThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	services := []string{"ec2", "elb", "elbv2", "sts", "iam", "route53", "s3", "resourcegroupstaggingapi"}
	direct := moto.Serve(t, "the search for a cluster's signs of life")
	watched, calls := moto.Watch(t, direct)
	settings := moto.Config(direct, services...)
	parsed, err := awsconfig.Parse(settings)
	require.NoError(t, err)
	cfg, err := parsed.Load(t.Context())
	require.NoError(t, err)
	compute := ec2.NewFromConfig(cfg, func(o *ec2.Options) { parsed.SetEndpoint("ec2", &o.BaseEndpoint) })
	balancing := elbv2.NewFromConfig(cfg, func(o *elbv2.Options) { parsed.SetEndpoint("elbv2", &o.BaseEndpoint) })
	key := clusterstatus.LifeTag("demo-x1")
	signs := func() []string {
		found := SignsOfLife(t.Context(), owning(t), key,
			[]account.Account{account.NewAWS(moto.Config(watched, services...))})
		require.NoError(t, found.Err)
		return found.Signs
	}
	require.Empty(t, signs())

	tagged := func(of ec2types.ResourceType) []ec2types.TagSpecification {
		return []ec2types.TagSpecification{{ResourceType: of, Tags: []ec2types.Tag{{Key: &key, Value: aws.String("owned")}}}}
	}
	vpc, err := compute.CreateVpc(t.Context(), &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")})
	require.NoError(t, err)
	subnet, err := compute.CreateSubnet(t.Context(), &ec2.CreateSubnetInput{
		VpcId:     vpc.Vpc.VpcId,
		CidrBlock: aws.String("10.0.0.0/24"),
	})
	require.NoError(t, err)
	images, err := compute.DescribeImages(t.Context(), &ec2.DescribeImagesInput{})
	require.NoError(t, err)
	run, err := compute.RunInstances(t.Context(), &ec2.RunInstancesInput{ImageId: images.Images[0].ImageId,
		MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
		SubnetId: subnet.Subnet.SubnetId, InstanceType: ec2types.InstanceTypeM5Large, TagSpecifications: tagged("instance")})
	require.NoError(t, err)
	instance := aws.ToString(run.Instances[0].InstanceId)
	require.Equal(t, []string{"instance " + instance}, signs())
	_, err = compute.StopInstances(t.Context(), &ec2.StopInstancesInput{InstanceIds: []string{instance}})
	require.NoError(t, err)
	require.Equal(t, []string{"instance " + instance}, signs(), "a stopped instance can be started again")

	group, err := balancing.CreateTargetGroup(t.Context(), &elbv2.CreateTargetGroupInput{Name: aws.String("demo"),
		Port: aws.Int32(443), Protocol: elbv2types.ProtocolEnumTcp,
		VpcId: vpc.Vpc.VpcId, TargetType: elbv2types.TargetTypeEnumIp,
		Tags: []elbv2types.Tag{{Key: &key, Value: aws.String("owned")}}})
	require.NoError(t, err)
	arn := group.TargetGroups[0].TargetGroupArn
	require.Len(t, signs(), 1, "nothing is registered yet")
	_, err = balancing.RegisterTargets(t.Context(), &elbv2.RegisterTargetsInput{
		TargetGroupArn: arn,
		Targets:        []elbv2types.TargetDescription{{Id: aws.String("10.0.0.9")}},
	})
	require.NoError(t, err)
	require.Contains(t, signs(), "target group "+aws.ToString(arn)+" (with 10.0.0.9)")

	endpoint, err := compute.CreateVpcEndpoint(t.Context(), &ec2.CreateVpcEndpointInput{VpcId: vpc.Vpc.VpcId,
		ServiceName:     aws.String("com.amazonaws.us-east-1.ec2"),
		VpcEndpointType: ec2types.VpcEndpointTypeInterface, SubnetIds: []string{aws.ToString(subnet.Subnet.SubnetId)},
		TagSpecifications: tagged("vpc-endpoint")})
	require.NoError(t, err)
	require.Contains(t, signs(), "VPC endpoint "+aws.ToString(endpoint.VpcEndpoint.VpcEndpointId))

	unread := SignsOfLife(t.Context(), owning(t), key,
		[]account.Account{account.NewAWS(moto.Config("http://127.0.0.1:1", "ec2", "sts", "elb", "elbv2"))})
	require.Error(t, unread.Err, "what cannot be read is not nothing")

	calls.RequireAllowed(t, []policy.Document{policy.New(policy.Statement{
		Effect:   policy.Allow,
		Action:   awstype.Life(),
		Resource: policy.List{"*"},
	})})
}
