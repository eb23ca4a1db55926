package privatelink

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/vpc"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
)

// Existing are the existing parts of a cluster's endpoint, created by this program or by HyperShift's operators. The
// zero value is none.
type Existing struct {
	// EndpointID is the endpoint's ID, "vpce-…". Default none.
	EndpointID string `yaml:"-" pulumi:"endpointID,optional"`
	// ServiceName is the name of the endpoint service that the endpoint is connected to. Default none.
	ServiceName string `yaml:"-" pulumi:"serviceName,optional"`
	// SecurityGroupID is the ID of the endpoint's security group, "sg-…". Default none.
	SecurityGroupID string `yaml:"-" pulumi:"securityGroupID,optional"`
	// RuleIDs maps a CIDR or the ID of a security group to the ID, "sgr-…", of the rule that allows it to connect on the
	// service's port. Default none.
	RuleIDs map[string]string `yaml:"-" pulumi:"ruleIDs,optional"`
	// ZoneID is the ID of the local hosted zone, "Z…". Default none.
	ZoneID string `yaml:"-" pulumi:"zoneID,optional"`
	// Names are the names of the service that have a record in the zone. Default none.
	Names map[string]bool `yaml:"-" pulumi:"names,optional"`
}

// ServiceID returns the ID in ServiceName, "vpce-svc-…"; "" without one.
func (e Existing) ServiceID() string { return e.ServiceName[strings.LastIndex(e.ServiceName, ".")+1:] }

// Find looks up the endpoint of a cluster's service and its parts, by the tags that HyperShift's operator searches for,
// in the account of the options' provider.
func Find(
	ctx *pulumi.Context,
	cluster hypershift.Cluster,
	service Service,
	opts ...pulumi.InvokeOption,
) (Existing, error) {
	e := Existing{RuleIDs: map[string]string{}, Names: map[string]bool{}}
	tags := cluster.OwnerTag()
	tags[serviceTag] = string(service.OrDefault())
	endpoint, err := ec2.LookupVpcEndpoint(ctx, &ec2.LookupVpcEndpointArgs{Tags: tags}, opts...)
	switch {
	case err == nil:
		e.EndpointID, e.ServiceName = endpoint.Id, endpoint.ServiceName
	case !awsprovider.IsMissing(err):
		return Existing{}, awsprovider.Failed("the endpoint of "+string(service.OrDefault()), err)
	}
	if err := e.findSecurityGroup(ctx, cluster, service, opts); err != nil {
		return Existing{}, awsprovider.Failed("the security group of the endpoint", err)
	}
	if err := e.findRecords(ctx, cluster, service, opts); err != nil {
		return Existing{}, awsprovider.Failed("the records of the endpoint", err)
	}
	return e, nil
}

// ServiceOwner returns the account of the endpoint service with that name, or "" if there is none or it does not allow
// the caller's account. An endpoint remains after its service is deleted, and cannot be connected to another one.
func ServiceOwner(ctx *pulumi.Context, name string, opts ...pulumi.InvokeOption) (string, error) {
	service, err := ec2.LookupVpcEndpointService(ctx, &ec2.LookupVpcEndpointServiceArgs{ServiceName: &name}, opts...)
	switch {
	case err == nil:
		return service.Owner, nil
	case awsprovider.IsMissing(err):
		return "", nil
	}
	return "", awsprovider.Failed("endpoint service "+name, err)
}

func (e *Existing) findSecurityGroup(
	ctx *pulumi.Context,
	cluster hypershift.Cluster,
	service Service,
	opts []pulumi.InvokeOption,
) error {
	tags := cluster.OwnerTag()
	tags["Name"] = service.securityGroupName(cluster)
	groups, err := ec2.GetSecurityGroups(ctx, &ec2.GetSecurityGroupsArgs{Tags: tags}, opts...)
	if err != nil || len(groups.Ids) == 0 {
		return err
	}
	e.SecurityGroupID = groups.Ids[0]
	rules, err := vpc.GetSecurityGroupRules(ctx, &vpc.GetSecurityGroupRulesArgs{
		Filters: []vpc.GetSecurityGroupRulesFilter{{Name: "group-id", Values: []string{e.SecurityGroupID}}},
	}, opts...)
	if err != nil {
		return err
	}
	for _, id := range rules.Ids {
		rule, err := vpc.GetSecurityGroupRule(ctx, &vpc.GetSecurityGroupRuleArgs{SecurityGroupRuleId: &id}, opts...)
		if err != nil {
			return err
		}
		if !rule.IsEgress && rule.IpProtocol == "tcp" && rule.FromPort == service.Port() && rule.ToPort == service.Port() {
			e.RuleIDs[cmp.Or(rule.CidrIpv4, rule.ReferencedSecurityGroupId)] = id
		}
	}
	return nil
}

func (e *Existing) findRecords(
	ctx *pulumi.Context,
	cluster hypershift.Cluster,
	service Service,
	opts []pulumi.InvokeOption,
) error {
	domain, private := cluster.LocalZoneName(), true
	zone, err := route53.LookupZone(ctx, &route53.LookupZoneArgs{
		Name:        &domain,
		PrivateZone: &private,
		Tags:        cluster.OwnerTag(),
	}, opts...)
	if err != nil {
		if awsprovider.IsMissing(err) {
			return nil
		}
		return err
	}
	e.ZoneID = zone.ZoneId
	pattern := regexp.QuoteMeta(domain) + `\.?$`
	found, err := route53.GetRecords(ctx, &route53.GetRecordsArgs{ZoneId: zone.ZoneId, NameRegex: &pattern}, opts...)
	if err != nil {
		return err
	}
	for _, name := range service.Names() {
		for _, set := range found.ResourceRecordSets {
			// Route 53 writes an asterisk as an octal escape.
			written := strings.TrimSuffix(strings.ReplaceAll(set.Name, `\052`, "*"), ".")
			if set.Type == "CNAME" && written == name+"."+domain {
				e.Names[name] = true
			}
		}
	}
	return nil
}
