package hypershift

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/apiserver"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/golden"
	"github.com/hypershift-aws/hypershift-aws/test/moto"
)

// A scenario is a stack of kind cluster with its hosted cluster.
type scenario struct {
	name string
	// keys are more keys of the cluster, services those of the control plane that PrivateLink reaches.
	keys     string
	services []string
}

var cases = []scenario{
	{
		name:     "private-router-and-api",
		keys:     "    endpointAccess: PublicAndPrivate\n",
		services: []string{"kube-apiserver-private", "private-router"},
	},
	{
		name:     "private",
		keys:     "    endpointAccess: Private\n",
		services: []string{"kube-apiserver-private", "private-router"},
	},
	{name: "stack-owned", services: []string{"kube-apiserver-private", "private-router"},
		keys: "    endpointAccess: Private\n" +
			"    privateLink: {owner: stack, service: private-router, loadBalancers: {arns: ['" + balancerARN(2) + "']}}\n"},
}

// balancerName returns the name that Kubernetes gives the load balancer of a service, by the service's number.
func balancerName(number int) string { return fmt.Sprintf("a%031d", number) }

// balancerARN returns the ARN of a load balancer in the offline account.
func balancerARN(number int) string {
	return "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/" + balancerName(number) +
		"/0123456789abcdef"
}

// stack is what a stack has created.
type stack struct {
	scenario
	engine  *enginetest.Stack
	aws     []moto.Resource
	cluster map[string]any
	pools   []map[string]any
	// zone is the ID of the zone demo.hypershift.local.
	zone string
	// policies are the policies of the roles with which the operators call AWS, by their names in the stacks.
	policies map[string]policy.Document
	// names are the names of the stack's resources by their IDs.
	names map[string]string
}

func (c scenario) up(t *testing.T) *stack {
	t.Helper()
	pullSecret := filepath.Join(t.TempDir(), "pull-secret.json")
	require.NoError(t, os.WriteFile(pullSecret, []byte(`{"auths":{}}`), 0o600))
	engine := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: []offline.Seed{
		{Kind: offline.SeedPublicZone, Name: "example.com"}, {Kind: offline.SeedLoadBalancer, Name: balancerARN(2)}}})
	engine.Configure(`config:
  aws:region: us-east-1
  hypershift-aws:kind: cluster
  hypershift-aws:cluster:
    name: demo
    infraID: demo-x1
    baseDomain: example.com
    tags: {team: platform}
` + c.keys + `    network: {zones: [us-east-1a, us-east-1b], nat: Single}
    oidc: {bucketName: demo-oidc, bucketRegion: us-east-1}
    hostedCluster:
      kubeconfig: {context: management}
      release: quay.io/openshift-release-dev/ocp-release:4.19.0-x86_64
      pullSecret: ` + pullSecret + `
      unprotected: true
      nodePools:
        - {zone: us-east-1a, replicas: 1, ami: ami-0123456789abcdef0, instanceType: m6i.xlarge, resourceTags: {pool: a}}
        - {zone: us-east-1b, replicas: 1, ami: ami-0123456789abcdef0}
`)
	engine.Up()
	s := &stack{
		scenario: c,
		engine:   engine,
		names:    map[string]string{},
		policies: map[string]policy.Document{operatorRole: operatorPolicy(t)},
	}
	for _, r := range engine.State() {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		var resource moto.Resource
		require.NoError(t, json.Unmarshal(text, &resource))
		name := resource.URN[strings.LastIndex(resource.URN, ":")+1:]
		switch token := string(r.Type); {
		case strings.HasPrefix(token, "aws:"):
			s.aws = append(s.aws, resource)
			s.names[resource.ID] = name
			if token == awstype.RolePolicy && name == planeRole {
				s.policies[planeRole] = document(t, resource.Inputs["policy"])
			}
		case strings.HasSuffix(token, ":HostedCluster"):
			s.cluster = resource.Inputs
		case strings.HasSuffix(token, ":NodePool"):
			s.pools = append(s.pools, resource.Inputs)
		}
	}
	require.NotNil(t, s.cluster)
	require.Len(t, s.pools, 2)
	return s
}

func document(t *testing.T, text any) (parsed policy.Document) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text.(string)), &parsed))
	return parsed
}

// operatorPolicy returns the policy that a management stack gives the hypershift-operator.
func operatorPolicy(t *testing.T) policy.Document {
	t.Helper()
	engine := enginetest.New(t, stacks.Run, enginetest.Options{
		Seeds: []offline.Seed{{Kind: offline.SeedPublicZone, Name: "example.com"}},
	})
	engine.Configure(`config:
  aws:region: us-east-1
  hypershift-aws:kind: management
  hypershift-aws:management:
    unprotected: true
    oidcBucket: {name: demo-oidc}
    operator: {identity: AccessKeys}
`)
	engine.Up()
	for _, r := range engine.State() {
		if r.Type == "aws:iam/userPolicy:UserPolicy" && strings.HasSuffix(string(r.URN), "::"+operatorRole) {
			return document(t, r.Inputs["policy"])
		}
	}
	require.Fail(t, "the management stack has no policy for the operator")
	return policy.Document{}
}

// create creates the stack's resources in an account of moto, and gives the objects and names that account's IDs.
func (s *stack) create(account *moto.Account) {
	for _, r := range s.aws {
		account.Create(r)
	}
	s.names = map[string]string{}
	for _, r := range s.aws {
		here := account.Here(r)
		name := here.URN[strings.LastIndex(here.URN, ":")+1:]
		s.names[here.ID] = name
		if here.Type == awstype.HostedZone && strings.Contains(name, "local") {
			s.zone = here.ID
		}
	}
	s.cluster = account.Here(moto.Resource{Inputs: s.cluster}).Inputs
	for i, pool := range s.pools {
		s.pools[i] = account.Here(moto.Resource{Inputs: pool}).Inputs
	}
}

// name returns the name of the stack's resource with an ID, or the ID.
func (s *stack) name(id string) string {
	if name, own := s.names[id]; own {
		return name
	}
	return id
}

func (s *stack) list(ids []string) string {
	var all []string
	for _, id := range ids {
		all = append(all, s.name(id))
	}
	slices.Sort(all)
	return "[" + strings.Join(all, ", ") + "]"
}

func tagText(tags map[string]string) string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		all = append(all, key+"="+tags[key])
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func tagsOf(list []ec2types.Tag) map[string]string {
	tags := map[string]string{}
	for _, tag := range list {
		tags[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
	}
	return tags
}

// number matches the number that a load balancer's name ends with.
var number = regexp.MustCompile(`/a0*([0-9]+)/`)

// facts are the lines that describe what operators have created.
type facts struct {
	*stack
	lines []string
}

func (f *facts) add(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

func (f *facts) String() string {
	slices.Sort(f.lines)
	return strings.Join(f.lines, "\n") + "\n"
}

func (f *facts) service(of string, acceptance bool, principals []string, tags map[string]string) {
	f.add("endpoint service of %s: acceptance required %t, principals %s, tags %s", of, acceptance, f.list(principals),
		tagText(tags))
}

func (f *facts) group(name, description, vpc string, rules []string, tags map[string]string) {
	slices.Sort(rules)
	f.add("security group %s: %s, in %s, ingress %s, tags %s", name, description, f.name(vpc), rules, tagText(tags))
}

func (f *facts) endpoint(kind, vpc string, subnets, groups []string, tags map[string]string) {
	f.add("endpoint of %s: %s, in %s, subnets %s, groups %s, tags %s", tags["AWSEndpointService"], kind, f.name(vpc),
		f.list(subnets), groups, tagText(tags))
}

func (f *facts) record(name string, ttl int64, service string) {
	f.add("record %s: CNAME, TTL %d, endpoint of %s", strings.TrimSuffix(name, "."), ttl, service)
}

func (f *facts) machine(pool, instanceType, profile, subnet string, groups int, tags map[string]string) {
	f.add("machine of %s: %s, profile %s, subnet %s, %d security group, tags %s", pool, instanceType, profile,
		f.name(subnet), groups, tagText(tags))
}

// made describes what HyperShift's controllers have created, a line each.
func made(t *testing.T, j *judge, s *stack) string {
	t.Helper()
	f := &facts{stack: s}
	services, err := j.account.Compute.DescribeVpcEndpointServiceConfigurations(t.Context(),
		&ec2.DescribeVpcEndpointServiceConfigurationsInput{})
	require.NoError(t, err)
	for _, service := range services.ServiceConfigurations {
		allowed, err := j.account.Compute.DescribeVpcEndpointServicePermissions(t.Context(),
			&ec2.DescribeVpcEndpointServicePermissionsInput{ServiceId: service.ServiceId})
		require.NoError(t, err)
		var principals []string
		for _, principal := range allowed.AllowedPrincipals {
			principals = append(principals, aws.ToString(principal.Principal))
		}
		of, err := strconv.Atoi(number.FindStringSubmatch(service.NetworkLoadBalancerArns[0])[1])
		require.NoError(t, err)
		f.service(s.services[of-1], aws.ToBool(service.AcceptanceRequired), principals, tagsOf(service.Tags))
	}
	groups, err := j.account.Compute.DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{})
	require.NoError(t, err)
	groupNames := map[string]string{}
	for _, group := range groups.SecurityGroups {
		name := aws.ToString(group.GroupName)
		groupNames[aws.ToString(group.GroupId)] = name
		if _, own := s.names[aws.ToString(group.GroupId)]; own || name == "default" {
			continue
		}
		var rules []string
		for _, rule := range group.IpPermissions {
			ports := fmt.Sprintf("%s %d-%d from ", aws.ToString(rule.IpProtocol), aws.ToInt32(rule.FromPort), aws.ToInt32(rule.ToPort))
			for _, cidr := range rule.IpRanges {
				rules = append(rules, ports+aws.ToString(cidr.CidrIp))
			}
			for _, pair := range rule.UserIdGroupPairs {
				require.Equal(t, group.GroupId, pair.GroupId)
				rules = append(rules, ports+"itself")
			}
		}
		f.group(name, aws.ToString(group.Description), aws.ToString(group.VpcId), rules, tagsOf(group.Tags))
	}
	endpoints, err := j.account.Compute.DescribeVpcEndpoints(t.Context(), &ec2.DescribeVpcEndpointsInput{})
	require.NoError(t, err)
	hosts := map[string]string{}
	for _, endpoint := range endpoints.VpcEndpoints {
		tags := tagsOf(endpoint.Tags)
		for _, entry := range endpoint.DnsEntries {
			hosts[aws.ToString(entry.DnsName)] = tags["AWSEndpointService"]
		}
		if _, own := s.names[aws.ToString(endpoint.VpcEndpointId)]; own || endpoint.State == "deleted" { // moto keeps it
			continue
		}
		var members []string
		for _, group := range endpoint.Groups {
			members = append(members, groupNames[aws.ToString(group.GroupId)])
		}
		f.endpoint(string(endpoint.VpcEndpointType), aws.ToString(endpoint.VpcId), endpoint.SubnetIds, members, tags)
	}
	records, err := j.names.ListResourceRecordSets(t.Context(),
		&route53.ListResourceRecordSetsInput{HostedZoneId: &s.zone})
	require.NoError(t, err)
	for _, record := range records.ResourceRecordSets {
		if record.Type == "CNAME" {
			value := aws.ToString(record.ResourceRecords[0].Value)
			f.record(strings.ReplaceAll(aws.ToString(record.Name), `\052`, "*"), aws.ToInt64(record.TTL), hosts[strings.TrimSuffix(value, ".")])
		}
	}
	return f.String()
}

// madeOfNodes describes the machine templates of the NodePools, and the condition of the identity provider.
func madeOfNodes(j *judge, s *stack) string {
	f := &facts{stack: s}
	report := j.report(*apiserver.Folder)
	for pool, machine := range report.Machines {
		of := props.Map(machine)
		f.machine(pool, of.String("instanceType"), of.String("iamInstanceProfile"), of.Object("subnet").String("id"),
			len(of.Objects("additionalSecurityGroups")),
			texts(of.Object("additionalTags")))
	}
	f.add("identity provider: %s %s", report.Identity["status"], report.Identity["reason"])
	return f.String()
}

// own returns the operators' resources of a type in the offline account; endpoint services and records also if the
// stack has created them.
func (s *stack) own(token string) (found []props.Map) {
	for _, r := range s.engine.Resources() {
		if r.Type == token && (r.Operator || token == awstype.VPCEndpointService || token == awstype.Record) {
			object := props.Map(r.Properties).Clone()
			object["id"] = r.ID
			found = append(found, object)
		}
	}
	return found
}

// madeOffline describes what the offline operators have created.
func madeOffline(s *stack) string {
	f := &facts{stack: s}
	groups, hosts, offered := map[string]string{}, map[string]string{}, map[string]string{}
	for _, group := range s.own(awstype.SecurityGroup) {
		groups[group.String("id")] = group.String("name")
		if strings.HasPrefix(group.String("name"), "k8s-elb-") {
			continue // the cloud controller's, for the router
		}
		var rules []string
		for _, rule := range group.Objects("ingress") {
			ports := fmt.Sprintf("%s %d-%d from ", rule.String("protocol"), int(rule.Number("fromPort")),
				int(rule.Number("toPort")))
			for _, cidr := range rule.Strings("cidrBlocks") {
				rules = append(rules, ports+cidr)
			}
			if rule.Bool("self") {
				rules = append(rules, ports+"itself")
			}
		}
		f.group(group.String("name"), group.String("description"), group.String("vpcId"), rules, texts(group.Object("tags")))
	}
	for _, r := range s.engine.Resources() {
		if tags := texts(props.Map(r.Properties).Object("tags")); r.Type == awstype.VPCEndpoint &&
			tags["AWSEndpointService"] != "" {
			offered[r.Properties["serviceName"].(string)] = tags["AWSEndpointService"]
			for _, entry := range props.Map(r.Properties).Objects("dnsEntries") {
				hosts[entry.String("dnsName")] = tags["AWSEndpointService"]
			}
		}
	}
	for _, endpoint := range s.own(awstype.VPCEndpoint) {
		var members []string
		for _, id := range endpoint.Strings("securityGroupIds") {
			members = append(members, groups[id])
		}
		f.endpoint(endpoint.String("vpcEndpointType"), endpoint.String("vpcId"), endpoint.Strings("subnetIds"), members,
			texts(endpoint.Object("tags")))
	}
	for _, service := range s.own(awstype.VPCEndpointService) {
		f.service(offered[service.String("serviceName")], service.Bool("acceptanceRequired"),
			service.Strings("allowedPrincipals"), texts(service.Object("tags")))
	}
	for _, record := range s.own(awstype.Record) {
		if record.String("type") == "CNAME" && strings.HasSuffix(record.String("fqdn"), ".hypershift.local") {
			f.record(record.String("fqdn"), int64(record.Number("ttl")), hosts[record.Strings("records")[0]])
		}
	}
	return f.String()
}

// madeOfNodesOffline describes the machines of the NodePools, and the condition of the identity provider.
func madeOfNodesOffline(s *stack) string {
	f := &facts{stack: s}
	for _, instance := range s.own(awstype.Instance) {
		tags := texts(instance.Object("tags"))
		machine := tags["Name"] // the pool's name, and five characters
		delete(tags, "Name")
		f.machine(machine[:len(machine)-len("-xxxxx")], instance.String("instanceType"),
			instance.String("iamInstanceProfile"), instance.String("subnetId"),
			len(instance.Strings("vpcSecurityGroupIds")), tags)
	}
	for _, object := range s.engine.Objects() {
		if object.Kind == "HostedCluster" {
			condition := kubernetes.ConditionsOf(object.Properties).Find("ValidAWSIdentityProvider")
			f.add("identity provider: %s %s", condition.String("status"), condition.String("reason"))
		}
	}
	return f.String()
}

func texts(tags props.Map) map[string]string {
	all := map[string]string{}
	for key := range tags {
		all[key] = tags.String(key)
	}
	return all
}

const afterDeletion = "after the deletion:\n"

func TestTheOfflineOperatorsCreateWhatHyperShiftsControllersCreated(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := c.up(t)
			got := madeOfNodesOffline(s) + madeOffline(s)
			var objects []string
			for _, r := range s.engine.State() {
				if kind := string(r.Type); strings.HasSuffix(kind, ":HostedCluster") || strings.HasSuffix(kind, ":NodePool") {
					objects = append(objects, string(r.URN))
				}
			}
			s.engine.Destroy(optdestroy.Target(objects), optdestroy.TargetDependents())
			require.Equal(t, golden.Read(t, filepath.Join("testdata", c.name+".txt")), got+afterDeletion+madeOffline(s))
		})
	}
}
