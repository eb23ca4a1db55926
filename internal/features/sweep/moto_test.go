package sweep

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	elbv2 "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbv2types "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// site creates the leftovers of a cluster through AWS's SDK.
type site struct {
	t       *testing.T
	ec2     *ec2.Client
	elb     *elb.Client
	elbv2   *elbv2.Client
	iam     *iam.Client
	route53 *route53.Client
	s3      *s3.Client
}

func newSite(t *testing.T, config map[string]any) *site {
	t.Helper()
	settings, err := awsconfig.Parse(config)
	require.NoError(t, err)
	cfg, err := settings.Load(t.Context())
	require.NoError(t, err)
	return &site{
		t: t, ec2: ec2.NewFromConfig(cfg, func(o *ec2.Options) { settings.SetEndpoint("ec2", &o.BaseEndpoint) }),
		elb:     elb.NewFromConfig(cfg, func(o *elb.Options) { settings.SetEndpoint("elb", &o.BaseEndpoint) }),
		elbv2:   elbv2.NewFromConfig(cfg, func(o *elbv2.Options) { settings.SetEndpoint("elbv2", &o.BaseEndpoint) }),
		iam:     iam.NewFromConfig(cfg, func(o *iam.Options) { settings.SetEndpoint("iam", &o.BaseEndpoint) }),
		route53: route53.NewFromConfig(cfg, func(o *route53.Options) { settings.SetEndpoint("route53", &o.BaseEndpoint) }),
		s3: s3.NewFromConfig(cfg, func(o *s3.Options) {
			settings.SetEndpoint("s3", &o.BaseEndpoint)
			o.UsePathStyle = true
		}),
	}
}

// must returns the answer of a call that cannot fail.
func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

// unrelatedBalancers creates load balancers without a cluster's tag, in a VPC of their own.
func (s *site) unrelatedBalancers(ctx context.Context) (arns []string) {
	vpc := must(s.ec2.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.1.0.0/16")})).Vpc.VpcId
	subnet := must(s.ec2.CreateSubnet(ctx, &ec2.CreateSubnetInput{
		VpcId:     vpc,
		CidrBlock: aws.String("10.1.0.0/20"),
	})).Subnet.SubnetId
	for _, name := range []string{"shop", "web"} {
		arns = append(arns, *must(s.elbv2.CreateLoadBalancer(ctx, &elbv2.CreateLoadBalancerInput{Name: &name, Type: "network",
			Scheme:  "internal",
			Subnets: []string{*subnet}})).LoadBalancers[0].LoadBalancerArn)
	}
	return arns
}

func (s *site) addCluster(ctx context.Context, infraID, baseZone string) {
	key, owned := "kubernetes.io/cluster/"+infraID, "owned"
	tag := func(resource ec2types.ResourceType) []ec2types.TagSpecification {
		return []ec2types.TagSpecification{{ResourceType: resource, Tags: []ec2types.Tag{{Key: &key, Value: &owned}}}}
	}
	options := must(s.ec2.CreateDhcpOptions(ctx, &ec2.CreateDhcpOptionsInput{
		DhcpConfigurations: []ec2types.NewDhcpConfiguration{{
			Key:    aws.String("domain-name"),
			Values: []string{infraID + ".test"},
		}}}))
	must(s.ec2.CreateTags(ctx, &ec2.CreateTagsInput{
		Resources: []string{*options.DhcpOptions.DhcpOptionsId},
		Tags:      []ec2types.Tag{{Key: &key, Value: &owned}},
	}))
	vpc := must(s.ec2.CreateVpc(ctx, &ec2.CreateVpcInput{
		CidrBlock:         aws.String("10.0.0.0/16"),
		TagSpecifications: tag("vpc"),
	})).Vpc.VpcId
	must(s.ec2.AssociateDhcpOptions(ctx, &ec2.AssociateDhcpOptionsInput{
		VpcId:         vpc,
		DhcpOptionsId: options.DhcpOptions.DhcpOptionsId,
	}))
	subnet := must(s.ec2.CreateSubnet(ctx, &ec2.CreateSubnetInput{
		VpcId:             vpc,
		CidrBlock:         aws.String("10.0.0.0/20"),
		TagSpecifications: tag("subnet"),
	})).Subnet.SubnetId
	igw := must(s.ec2.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{
		TagSpecifications: tag("internet-gateway"),
	})).InternetGateway.InternetGatewayId
	must(s.ec2.AttachInternetGateway(ctx, &ec2.AttachInternetGatewayInput{InternetGatewayId: igw, VpcId: vpc}))
	must(s.ec2.CreateEgressOnlyInternetGateway(ctx, &ec2.CreateEgressOnlyInternetGatewayInput{
		VpcId:             vpc,
		TagSpecifications: tag("egress-only-internet-gateway"),
	}))
	table := must(s.ec2.CreateRouteTable(ctx, &ec2.CreateRouteTableInput{
		VpcId:             vpc,
		TagSpecifications: tag("route-table"),
	})).RouteTable.RouteTableId
	must(s.ec2.AssociateRouteTable(ctx, &ec2.AssociateRouteTableInput{RouteTableId: table, SubnetId: subnet}))
	address := must(s.ec2.AllocateAddress(ctx, &ec2.AllocateAddressInput{
		Domain:            "vpc",
		TagSpecifications: tag("elastic-ip"),
	})).AllocationId
	must(s.ec2.CreateNatGateway(ctx, &ec2.CreateNatGatewayInput{
		SubnetId:          subnet,
		AllocationId:      address,
		TagSpecifications: tag("natgateway"),
	}))
	gateway := must(s.ec2.CreateTransitGateway(ctx, &ec2.CreateTransitGatewayInput{})).TransitGateway.TransitGatewayId
	attachment := must(s.ec2.CreateTransitGatewayVpcAttachment(ctx, &ec2.CreateTransitGatewayVpcAttachmentInput{
		TransitGatewayId: gateway, VpcId: vpc,
		SubnetIds: []string{*subnet}})).TransitGatewayVpcAttachment.TransitGatewayAttachmentId
	// moto drops the tags of a creation's TagSpecifications.
	must(s.ec2.CreateTags(ctx, &ec2.CreateTagsInput{
		Resources: []string{*attachment},
		Tags:      []ec2types.Tag{{Key: &key, Value: &owned}},
	}))
	var groups []string
	for _, name := range []string{"a", "b"} {
		groups = append(groups, *must(s.ec2.CreateSecurityGroup(ctx, &ec2.CreateSecurityGroupInput{VpcId: vpc,
			GroupName:   aws.String(infraID + "-" + name),
			Description: aws.String("d"), TagSpecifications: tag("security-group")})).GroupId)
	}
	for i, group := range groups {
		must(s.ec2.AuthorizeSecurityGroupIngress(ctx, &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &group,
			IpPermissions: []ec2types.IpPermission{{
				IpProtocol: aws.String("tcp"), FromPort: aws.Int32(22), ToPort: aws.Int32(22), UserIdGroupPairs: []ec2types.UserIdGroupPair{{GroupId: &groups[1-i]}}}}}))
	}
	instance := must(s.ec2.RunInstances(ctx, &ec2.RunInstancesInput{ImageId: aws.String("ami-12c6146b"),
		MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
		SubnetId: subnet, TagSpecifications: tag("instance")})).Instances[0].InstanceId
	must(s.ec2.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: []string{*instance}}))
	volume := must(s.ec2.CreateVolume(ctx, &ec2.CreateVolumeInput{
		AvailabilityZone:  aws.String("us-east-1a"),
		Size:              aws.Int32(1),
		TagSpecifications: tag("volume"),
	})).VolumeId
	must(s.ec2.CreateSnapshot(ctx, &ec2.CreateSnapshotInput{VolumeId: volume, TagSpecifications: tag("snapshot")}))
	must(s.ec2.CreateNetworkInterface(ctx, &ec2.CreateNetworkInterfaceInput{
		SubnetId:          subnet,
		Groups:            groups[:1],
		TagSpecifications: tag("network-interface"),
	}))
	must(s.ec2.CreateVpcEndpoint(ctx, &ec2.CreateVpcEndpointInput{VpcId: vpc,
		ServiceName:     aws.String("com.amazonaws.us-east-1.s3"),
		VpcEndpointType: ec2types.VpcEndpointTypeGateway, TagSpecifications: tag("vpc-endpoint")}))

	lbTags := []elbv2types.Tag{{Key: &key, Value: &owned}}
	balancer := must(s.elbv2.CreateLoadBalancer(ctx, &elbv2.CreateLoadBalancerInput{Name: aws.String(infraID + "-int"),
		Type: "network", Scheme: "internal",
		Subnets: []string{*subnet}, Tags: lbTags})).LoadBalancers[0]
	group := must(s.elbv2.CreateTargetGroup(ctx, &elbv2.CreateTargetGroupInput{Name: aws.String(infraID + "-tg"),
		Protocol: "TCP", Port: aws.Int32(6443), VpcId: vpc,
		Tags: lbTags})).TargetGroups[0]
	must(s.elbv2.CreateListener(ctx, &elbv2.CreateListenerInput{LoadBalancerArn: balancer.LoadBalancerArn,
		Port: aws.Int32(6443), Protocol: "TCP",
		DefaultActions: []elbv2types.Action{{Type: "forward", TargetGroupArn: group.TargetGroupArn}}}))
	must(s.ec2.CreateVpcEndpointServiceConfiguration(ctx, &ec2.CreateVpcEndpointServiceConfigurationInput{
		NetworkLoadBalancerArns: []string{*balancer.LoadBalancerArn}, TagSpecifications: tag("vpc-endpoint-service")}))
	classic := must(s.elb.CreateLoadBalancer(ctx,
		&elb.CreateLoadBalancerInput{LoadBalancerName: aws.String(infraID + "-apps"), Subnets: []string{*subnet},
			Listeners: []elbtypes.Listener{{InstancePort: aws.Int32(80), LoadBalancerPort: 80, Protocol: aws.String("tcp")}},
			Tags:      []elbtypes.Tag{{Key: &key, Value: &owned}}}))

	zone := must(s.route53.CreateHostedZone(ctx, &route53.CreateHostedZoneInput{Name: aws.String(infraID + ".example.com"),
		CallerReference:  &infraID,
		VPC:              &route53types.VPC{VPCId: vpc, VPCRegion: "us-east-1"},
		HostedZoneConfig: &route53types.HostedZoneConfig{PrivateZone: true}}))
	zoneID := strings.TrimPrefix(*zone.HostedZone.Id, "/hostedzone/")
	must(s.route53.ChangeTagsForResource(ctx, &route53.ChangeTagsForResourceInput{ResourceType: "hostedzone",
		ResourceId: &zoneID,
		AddTags:    []route53types.Tag{{Key: &key, Value: &owned}}}))
	for id, name := range map[string]string{
		zoneID:   "api." + infraID + ".example.com",
		baseZone: "*.apps." + infraID + ".example.com",
	} {
		must(s.route53.ChangeResourceRecordSets(ctx, &route53.ChangeResourceRecordSetsInput{HostedZoneId: &id,
			ChangeBatch: &route53types.ChangeBatch{
				Changes: []route53types.Change{{Action: "CREATE",
					ResourceRecordSet: &route53types.ResourceRecordSet{Name: &name, Type: "CNAME", TTL: aws.Int64(60),
						ResourceRecords: []route53types.ResourceRecord{{Value: classic.DNSName}}}}}}}))
	}

	// as HyperShift tags them
	iamTags := []iamtypes.Tag{{Key: aws.String("hypershift.openshift.io/infra-id"), Value: &infraID}}
	worker := aws.String(infraID + "-worker")
	must(s.iam.CreateRole(ctx, &iam.CreateRoleInput{RoleName: worker, AssumeRolePolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[]}`), Tags: iamTags}))
	must(s.iam.PutRolePolicy(ctx, &iam.PutRolePolicyInput{RoleName: worker, PolicyName: aws.String("p"),
		PolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"ec2:DescribeRegions","Resource":"*"}]}`)}))
	must(s.iam.CreateInstanceProfile(ctx, &iam.CreateInstanceProfileInput{InstanceProfileName: worker, Tags: iamTags}))
	must(s.iam.AddRoleToInstanceProfile(ctx, &iam.AddRoleToInstanceProfileInput{
		InstanceProfileName: worker,
		RoleName:            worker,
	}))
	must(s.iam.CreateOpenIDConnectProvider(ctx,
		&iam.CreateOpenIDConnectProviderInput{Url: aws.String("https://b.s3.amazonaws.com/" + infraID),
			ClientIDList: []string{"openshift"}, ThumbprintList: []string{strings.Repeat("a", 40)}, Tags: iamTags}))

	bucket := aws.String(infraID + "-image-registry-us-east-1-abcd")
	must(s.s3.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: bucket}))
	must(s.s3.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{
		Bucket:  bucket,
		Tagging: &s3types.Tagging{TagSet: []s3types.Tag{{Key: &key, Value: &owned}}},
	}))
	must(s.s3.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket:                  bucket,
		VersioningConfiguration: &s3types.VersioningConfiguration{Status: "Enabled"},
	}))
	for range 2 {
		must(s.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("layer"), Body: strings.NewReader("x")}))
	}
	must(s.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: bucket, Key: aws.String("layer")}))
}

// between serves requests between the SDK and moto.
type between struct {
	forward *httputil.ReverseProxy
	mu      sync.Mutex
	// before is called before a request with its action; if it returns a code, AWS's answer is that error.
	before func(service, action string) (code string)
}

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	values, _ := url.ParseQuery(string(body))
	b.mu.Lock()
	before := b.before
	b.mu.Unlock()
	if code := before(values.Get("Version"), values.Get("Action")); code != "" {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprintf(w, "<Response><Errors><Error><Code>%s</Code><Message>refused</Message></Error></Errors></Response>", code)
		return
	}
	b.forward.ServeHTTP(w, r)
}

func (b *between) set(before func(service, action string) string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = before
}

// TestASweepDeletesOneClusterOnlyThroughAWSsAPI runs against moto. A load balancer is deleted while they are listed,
// and a first sweep may not delete network interfaces.
func TestASweepDeletesOneClusterOnlyThroughAWSsAPI(t *testing.T) {
	t.Parallel()
	services := []string{"ec2", "elb", "elbv2", "iam", "route53", "s3", "sts", "resourcegroupstaggingapi"}
	address := moto.Serve(t, "the sweep of a real account")
	s := newSite(t, moto.Config(address, services...))
	target, err := url.Parse(address)
	require.NoError(t, err)
	undisturbed := func(string, string) string { return "" }
	between := &between{forward: httputil.NewSingleHostReverseProxy(target), before: undisturbed}
	server := httptest.NewServer(between)
	t.Cleanup(server.Close)
	watched, calls := moto.Watch(t, server.URL)
	config := moto.Config(watched, services...)
	base := must(s.route53.CreateHostedZone(t.Context(), &route53.CreateHostedZoneInput{
		Name:            aws.String("example.com"),
		CallerReference: aws.String("base"),
	}))
	baseZone := strings.TrimPrefix(*base.HostedZone.Id, "/hostedzone/")
	s.addCluster(t.Context(), "demo", baseZone)
	s.addCluster(t.Context(), "demo-2", baseZone)

	aws := account.NewAWS(config)
	dir := t.TempDir()
	facts := func() Facts {
		f, err := Search(t.Context(), aws, dir, time.Now(), Everything)
		require.NoError(t, err)
		require.Empty(t, f.Missing)
		f.Management = []ManagementCluster{{Name: "mgmt"}}
		f.AddRecords(t.Context(), aws, "demo", Naming{})
		f.AddRecords(t.Context(), aws, "demo-2", Naming{})
		return f
	}
	of := func(f Facts, infraID string) (all []string) {
		for _, l := range f.Found {
			if account.Carries(l, infraID) || strings.HasSuffix(l.Name(), "."+infraID+".example.com") {
				all = append(all, l.Type+" "+l.ID+" "+l.State)
			}
		}
		slices.Sort(all)
		return all
	}
	balancers := s.unrelatedBalancers(t.Context())
	between.set(func(version, action string) string {
		if version == "2015-12-01" && action == "DescribeTags" && len(balancers) > 0 {
			must(s.elbv2.DeleteLoadBalancer(t.Context(), &elbv2.DeleteLoadBalancerInput{LoadBalancerArn: &balancers[0]}))
			balancers = nil
		}
		return ""
	})
	before := facts()
	require.Empty(t, balancers, "it was deleted between the list and the tags")
	require.Equal(t, []string{"demo", "demo-2"}, before.Clusters())
	have := map[string]bool{}
	for _, l := range before.Found {
		have[l.Type] = true
		_, noTime := map[string]bool{awstype.TargetGroup: true, awstype.VPCEndpointService: true,
			awstype.TransitGatewayAttachment: true,
			awstype.ElasticIP:                true, awstype.NetworkInterface: true,
			awstype.SecurityGroup: true, awstype.RouteTable: true, awstype.InternetGateway: true,
			awstype.EgressOnlyGateway: true, awstype.Subnet: true, awstype.VPC: true,
			awstype.DHCPOptions: true, awstype.HostedZone: true, awstype.Record: true}[l.Type]
		require.Equal(t, noTime, l.Created.IsZero(), "%s %s", l.Type, l.ID)
	}
	for _, kind := range awstype.Sweeps() {
		require.True(t, have[kind.Token], kind.Token)
	}

	young := NewPlan(before, Options{
		SweepOptions: inventory.SweepOptions{InfraID: "demo", MinAge: 24 * time.Hour, Data: true},
	})
	require.Empty(t, young.Delete, "everything is a minute old")

	unknown := NewPlan(before, Options{SweepOptions: inventory.SweepOptions{InfraID: "demo", Data: true}})
	require.Empty(t, unknown.Delete, "nothing shows that the cluster ever was in the management cluster")
	require.Equal(t, gates.Unknown, unknown.Life)

	o := Options{SweepOptions: inventory.SweepOptions{InfraID: "demo", Data: true}, Consent: true}
	p := NewPlan(before, o)
	run := &Run{Account: aws, Journal: NewJournal(dir, p.Place, "demo"), Now: time.Now, Report: func(e inventory.SweepEntry) { t.Log(e.Event, e.Type, e.ID, e.Why) },
		Pause: withoutWaiting}
	between.set(func(_, action string) string {
		if action == "DeleteNetworkInterface" {
			return "UnauthorizedOperation"
		}
		return ""
	})
	result, err := run.Sweep(t.Context(), before, p)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(result.Failed, func(f inventory.Failure) bool {
		return f.Type == awstype.NetworkInterface
	}))
	held := map[string]inventory.SweepGate{}
	for _, h := range result.Kept {
		held[h.Type] = h.Gate
	}
	for _, token := range []string{awstype.InternetGateway, awstype.Subnet, awstype.VPC} {
		require.Equal(t, inventory.GateInUse, held[token], token)
	}
	between.set(undisturbed)
	// moto keeps the interface of a NAT gateway that was deleted: what was listed first names it as the gateway's.
	result, err = run.Sweep(t.Context(), before, NewPlan(before, o))
	require.NoError(t, err)
	require.Empty(t, result.Failed)
	require.Empty(t, result.Kept)
	after := facts()
	require.Empty(t, of(after, "demo"))
	require.Equal(t, of(before, "demo-2"), of(after, "demo-2"))
	calls.RequireAllowed(t, permissions.Sweep())
	require.Equal(t, []string{
		// moto accepts no connection of another account
		"ec2:DescribeVpcEndpointConnections", "ec2:RejectVpcEndpointConnections",
		"ec2:RevokeSecurityGroupEgress",                               // moto deletes a group that others' egress rules name
		"events:DescribeRule",                                         // destroy asks for what a state has lost
		"iam:DetachRolePolicy",                                        // the roles here have inline policies
		"iam:ListUserTags", "iam:ListUsers", "logs:DescribeLogGroups", // as events:DescribeRule
		"s3:DeleteObjectVersion", // AWS checks it too for a request that names versions
		"sqs:GetQueueUrl",        // as events:DescribeRule
	}, calls.Unused(permissions.Sweep()))
}
