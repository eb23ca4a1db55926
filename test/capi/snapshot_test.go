package capi

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/stretchr/testify/require"
)

// look is everything of an account that CAPA's permissions cover: what a list of AWS shows of each resource, by
// "list/ID".
type look map[string]string

// only are the fields by which each list names its resources.
var only = map[string]string{
	"Vpcs": "VpcId", "Subnets": "SubnetId", "RouteTables": "RouteTableId", "InternetGateways": "InternetGatewayId",
	"NatGateways": "NatGatewayId",
	"Addresses":   "AllocationId", "SecurityGroups": "GroupId", "SecurityGroupRules": "SecurityGroupRuleId",
	"DhcpOptions":  "DhcpOptionsId",
	"VpcEndpoints": "VpcEndpointId", "NetworkInterfaces": "NetworkInterfaceId", "Volumes": "VolumeId",
	"LaunchTemplates": "LaunchTemplateId",
	"LoadBalancers":   "LoadBalancerName", "TargetGroups": "TargetGroupName", "Roles": "RoleName",
	"InstanceProfiles": "InstanceProfileName",
	"KeyPairs":         "KeyName",
}

// volatile are the fields that change when something else is created: the free addresses of a subnet.
var volatile = []string{"AvailableIpAddressCount"}

// lookAround returns what an account has. Terminated instances are left out, as AWS shows them for an hour.
func (j *judge) lookAround(t *testing.T) look {
	t.Helper()
	found, ctx, compute := look{}, t.Context(), j.account.Compute
	add := func(answer any, err error) {
		t.Helper()
		require.NoError(t, err)
		value := reflect.ValueOf(answer).Elem()
		for i := range value.NumField() {
			list := value.Type().Field(i).Name
			field, known := only[list]
			if !known {
				continue
			}
			for k := range value.Field(i).Len() {
				found.add(t, list, field, value.Field(i).Index(k).Interface())
			}
		}
	}
	add(compute.DescribeVpcs(ctx, &ec2.DescribeVpcsInput{}))
	add(compute.DescribeSubnets(ctx, &ec2.DescribeSubnetsInput{}))
	add(compute.DescribeRouteTables(ctx, &ec2.DescribeRouteTablesInput{}))
	add(compute.DescribeInternetGateways(ctx, &ec2.DescribeInternetGatewaysInput{}))
	add(compute.DescribeNatGateways(ctx, &ec2.DescribeNatGatewaysInput{}))
	add(compute.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{}))
	add(compute.DescribeSecurityGroups(ctx, &ec2.DescribeSecurityGroupsInput{}))
	add(compute.DescribeSecurityGroupRules(ctx, &ec2.DescribeSecurityGroupRulesInput{}))
	add(compute.DescribeDhcpOptions(ctx, &ec2.DescribeDhcpOptionsInput{}))
	add(compute.DescribeVpcEndpoints(ctx, &ec2.DescribeVpcEndpointsInput{}))
	add(compute.DescribeNetworkInterfaces(ctx, &ec2.DescribeNetworkInterfacesInput{}))
	add(compute.DescribeVolumes(ctx, &ec2.DescribeVolumesInput{}))
	add(compute.DescribeLaunchTemplates(ctx, &ec2.DescribeLaunchTemplatesInput{}))
	add(compute.DescribeKeyPairs(ctx, &ec2.DescribeKeyPairsInput{}))
	add(j.balancers.DescribeLoadBalancers(ctx, &elasticloadbalancingv2.DescribeLoadBalancersInput{}))
	add(j.balancers.DescribeTargetGroups(ctx, &elasticloadbalancingv2.DescribeTargetGroupsInput{}))
	add(j.identities.ListRoles(ctx, &iam.ListRolesInput{}))
	add(j.identities.ListInstanceProfiles(ctx, &iam.ListInstanceProfilesInput{}))
	for _, name := range j.secrets(t) {
		found["Secrets/"+name] = name
	}
	instances, err := compute.DescribeInstances(ctx, &ec2.DescribeInstancesInput{})
	require.NoError(t, err)
	for _, reservation := range instances.Reservations {
		for _, instance := range reservation.Instances {
			if instance.State.Name != "terminated" {
				found.add(t, "Instances", "InstanceId", instance)
			}
		}
	}
	return found
}

func (l look) add(t *testing.T, list, field string, resource any) {
	t.Helper()
	text, err := json.Marshal(resource)
	require.NoError(t, err)
	var properties map[string]any
	require.NoError(t, json.Unmarshal(text, &properties))
	for _, name := range volatile {
		delete(properties, name)
	}
	text, err = json.MarshalIndent(properties, "", " ")
	require.NoError(t, err)
	id, _ := properties[field].(string)
	l[list+"/"+id] = string(text)
}

// created returns the resources that an earlier look lacks, by list.
func (l look) created(before look) map[string][]string {
	found := map[string][]string{}
	for key := range l {
		if _, had := before[key]; !had {
			list, id, _ := strings.Cut(key, "/")
			found[list] = append(found[list], id)
		}
	}
	return found
}

// requireKept requires that all of an earlier look is as it was.
func (l look) requireKept(t *testing.T, before look) {
	t.Helper()
	for key, was := range before {
		require.Equal(t, was, l[key], key)
	}
}

// instances returns the account's instances in a VPC by the value of a tag that CAPA sets.
func (j *judge) instances(t *testing.T, vpc string) map[string]instance {
	t.Helper()
	answer, err := j.account.Compute.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{})
	require.NoError(t, err)
	found := map[string]instance{}
	for _, reservation := range answer.Reservations {
		for _, i := range reservation.Instances {
			if aws.ToString(i.VpcId) != vpc {
				continue
			}
			entry := instance{Subnet: aws.ToString(i.SubnetId), State: string(i.State.Name)}
			for _, tag := range i.Tags {
				if aws.ToString(tag.Key) == "sigs.k8s.io/cluster-api-provider-aws/role" {
					entry.Role = aws.ToString(tag.Value)
				}
			}
			if i.IamInstanceProfile != nil {
				arn := aws.ToString(i.IamInstanceProfile.Arn)
				entry.Profile = arn[strings.LastIndex(arn, "/")+1:]
			}
			for _, network := range i.NetworkInterfaces { // moto lists the groups there alone
				for _, group := range network.Groups {
					entry.Groups = append(entry.Groups, aws.ToString(group.GroupId))
				}
			}
			found[aws.ToString(i.InstanceId)] = entry
		}
	}
	return found
}

// secrets returns the names of the account's secrets.
func (j *judge) secrets(t *testing.T) (names []string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, j.moto, strings.NewReader("{}"))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-amz-json-1.1")
	request.Header.Set("X-Amz-Target", "secretsmanager.ListSecrets")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/secretsmanager/aws4_request, SignedHeaders=host, Signature=0")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	var list struct{ SecretList []struct{ Name string } }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&list))
	require.NoError(t, answer.Body.Close())
	for _, secret := range list.SecretList {
		names = append(names, secret.Name)
	}
	return names
}

// instance is what a machine gets from the stack.
type instance struct {
	Role, Subnet, Profile, State string
	Groups                       []string
}
