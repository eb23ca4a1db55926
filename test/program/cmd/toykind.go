package main

import (
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/sqs"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// toy is the section of a kind of stack that only these tests have: a queue and, with a CIDR, a network.
type toy struct {
	// Queue is the name of the queue. Required.
	Queue string `yaml:"queue" pulumi:"queue"`
	// CIDR is the CIDR of a VPC with one public subnet. Default: no VPC.
	CIDR string `yaml:"cidr" pulumi:"cidr,optional"`
	// After is the name of a stack of kind toy that this one uses. Default none.
	After string `yaml:"after" pulumi:"after,optional"`
}

// What commands ask of the section: this file has no other part in them.
var (
	_ config.Section          = (*toy)(nil)
	_ config.ClusterNetwork   = (*toy)(nil)
	_ config.VPCSection       = (*toy)(nil)
	_ config.NodesSection     = (*toy)(nil)
	_ config.ReferringSection = (*toy)(nil)
	_ config.NextStepSection  = (*toy)(nil)
)

func (t *toy) Resolve(config.Source) {}

func (t *toy) Validate(string) error {
	if t.Queue == "" {
		return &fault.Fault{Path: "queue", Problem: "is missing", Remedy: "set a name"}
	}
	return nil
}

func (t *toy) ManagementCluster() *config.Kubeconfig { return nil }

func (t *toy) Existing(*config.ManagementOutputs) []config.Existing { return nil }

func (t *toy) NoEffect() fault.Faults { return nil }

func (t *toy) ClusterPaths(outputs map[string]any) config.ClusterPaths {
	p := config.ClusterPaths{Public: true, NoInternet: "a queue needs no node"}
	p.VPCID, _ = outputs["vpcID"].(string)
	if subnet, _ := outputs["subnetID"].(string); subnet != "" {
		p.ELBSubnets = map[string]string{toyZone: subnet}
	}
	return p
}

func (t *toy) VPCCIDRs() []string {
	if t.CIDR == "" {
		return nil
	}
	return []string{t.CIDR}
}

func (t *toy) Nodes(string, []string) []config.Nodes {
	return []config.Nodes{{Name: "consumers", InstanceType: "m5.large", Zones: []string{toyZone}, Count: 2}}
}

func (t *toy) ReferredStacks() (management string, parts []string) {
	if t.After == "" {
		return "", nil
	}
	return "", []string{t.After}
}

func (t *toy) NextStep(stack, _ string) string {
	return "send a message to the queue of stack " + stack
}

// toyZone is the availability zone of the subnet.
const toyZone = "us-east-1a"

// toyOutputs are the outputs of a stack of kind toy.
type toyOutputs struct {
	Kind     pulumi.StringInput `pulumi:"kind"`
	URL      pulumi.StringInput `pulumi:"url"`
	VPCID    pulumi.StringInput `pulumi:"vpcID"`
	SubnetID pulumi.StringInput `pulumi:"subnetID"`
}

// toyKind returns the kind, by the one registration that a kind needs.
func toyKind() stacks.Kind {
	kind := stacks.NewKind("toy", "use queue", func(ctx *pulumi.Context, section *toy) (*toyOutputs, error) {
		queue, err := sqs.NewQueue(ctx, "queue", &sqs.QueueArgs{Name: pulumi.String(section.Queue)})
		if err != nil {
			return nil, err
		}
		made := &toyOutputs{Kind: pulumi.String("toy"), URL: queue.Url}
		if section.CIDR == "" {
			return made, nil
		}
		return made, made.addNetwork(ctx, section.CIDR)
	})
	kind.Referred = true
	return kind
}

// addNetwork registers a VPC with a public subnet.
func (o *toyOutputs) addNetwork(ctx *pulumi.Context, cidr string) error {
	vpc, err := ec2.NewVpc(ctx, "vpc", &ec2.VpcArgs{CidrBlock: pulumi.String(cidr)})
	if err != nil {
		return err
	}
	subnet, err := ec2.NewSubnet(ctx, "public", &ec2.SubnetArgs{
		VpcId: vpc.ID(), CidrBlock: pulumi.String(cidr), AvailabilityZone: pulumi.String(toyZone),
		Tags: pulumi.StringMap{"kubernetes.io/role/elb": pulumi.String("1")},
	})
	if err != nil {
		return err
	}
	gateway, err := ec2.NewInternetGateway(ctx, "internet", &ec2.InternetGatewayArgs{VpcId: vpc.ID()})
	if err != nil {
		return err
	}
	table, err := ec2.NewRouteTable(ctx, "public", &ec2.RouteTableArgs{VpcId: vpc.ID()})
	if err != nil {
		return err
	}
	_, err = ec2.NewRoute(ctx, "internet", &ec2.RouteArgs{
		RouteTableId: table.ID(), DestinationCidrBlock: pulumi.String("0.0.0.0/0"), GatewayId: gateway.ID(),
	})
	if err != nil {
		return err
	}
	_, err = ec2.NewRouteTableAssociation(ctx, "public", &ec2.RouteTableAssociationArgs{SubnetId: subnet.ID(), RouteTableId: table.ID()})
	o.VPCID, o.SubnetID = vpc.ID(), subnet.ID()
	return err
}
