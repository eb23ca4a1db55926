package account

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/arn"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	quotatypes "github.com/aws/aws-sdk-go-v2/service/servicequotas/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
)

// Facts is what AWS reports about an account apart from its resources. No method changes anything.
type Facts interface {
	// Identity returns the owner of the credentials, with account and region.
	Identity(ctx context.Context) (awsconfig.Identity, error)
	// Limit returns how much AWS allows of a quota, and how much is used in the zone or VPC of; Uncounted if AWS does not
	// report it.
	Limit(ctx context.Context, q awstype.Quota, of string) (limit, used int, err error)
	// Simulate returns the actions of a statement that the caller is denied.
	Simulate(ctx context.Context, caller awsconfig.Identity, s policy.Statement) ([]Denial, error)
	// PoliciesOf returns the policies of a role of the account, by its name. It fails if there is no such role.
	PoliciesOf(ctx context.Context, role string) (Policies, error)
	// Policy returns the document of a managed policy, by its ARN.
	Policy(ctx context.Context, arn string) (string, error)
	// VPCAttributes returns whether a VPC supports DNS and gives its machines DNS names. It fails if there is no such VPC.
	VPCAttributes(ctx context.Context, id string) (dnsSupport, dnsHostnames bool, err error)
	// RegionEnabled is true if the account has opted in to its region, if that is needed.
	RegionEnabled(ctx context.Context) (bool, error)
	// Zones are the region's zones, by name and by ID.
	Zones(ctx context.Context) ([]Zone, error)
	// VCPUs are how many vCPUs the instance types have. A type that does not exist is missing.
	VCPUs(ctx context.Context, instanceTypes []string) (map[string]int, error)
	// Offers are the names of the zones that offer the instance types, by type.
	Offers(ctx context.Context, instanceTypes []string) (map[string][]string, error)
	// ServiceZones are the zones that have an endpoint service, none if AWS does not return them. It reports false for a
	// service that does not exist.
	ServiceZones(ctx context.Context, service string) ([]string, bool, error)
	// Restricted returns what the account's settings forbid of a kind, "" for nothing.
	Restricted(ctx context.Context, what Restriction) (string, error)
	// Head returns the HTTP status of a bucket of any account or, if key is set, of an object in it.
	Head(ctx context.Context, region, bucket, key string) (status int, err error)
}

// FactActions lists the IAM actions that Facts calls, except Limit's, which are in the records of the quotas, and
// Head's, which are in the records of buckets and their objects.
func FactActions() []string {
	return append(restrictionActions(),
		"iam:SimulatePrincipalPolicy", "iam:GetRole", // Simulate: the role's ARN
		"iam:ListRolePolicies", "iam:GetRolePolicy", "iam:ListAttachedRolePolicies", "iam:GetPolicy", "iam:GetPolicyVersion",
		"ec2:DescribeVpcAttribute",
		"ec2:DescribeRegions", "ec2:DescribeAvailabilityZones", "ec2:DescribeInstanceTypes",
		"ec2:DescribeInstanceTypeOfferings", "ec2:DescribeVpcEndpointServices",
	)
}

// Uncounted is the use of a quota that AWS does not report with the limit: the resources have to be counted.
const Uncounted = -1

// Denial is an action that the caller may not take.
type Denial struct {
	Action string
	// By is the reason: "no policy allows it", "a service control policy".
	By string
	// Unsure is set if a condition could not be evaluated, or the resource is a pattern: the real call may be allowed.
	Unsure bool
}

// Zone is an availability zone.
type Zone struct {
	Name, ID string
	// OptedIn is true if the account can use it, Available if AWS reports it as available.
	OptedIn, Available bool
}

// GlobalARN returns the ARN of an account's resource that is in no region.
func GlobalARN(i awsconfig.Identity, service, resource string) string {
	return arn.ARN{Partition: i.Partition, Service: service, AccountID: i.Account, Resource: resource}.String()
}

// readOnly is the key of a context in which an account only reads.
type readOnly struct{}

// ReadOnly returns a context with which an account refuses every request that could change something, before it is
// sent.
func ReadOnly(ctx context.Context) context.Context { return context.WithValue(ctx, readOnly{}, true) }

var reading = regexp.MustCompile(`^(Get|List|Describe|Head|Simulate)[A-Z]`)

// refuseChanges refuses what ReadOnly forbids.
func refuseChanges(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("hypershift-aws/reads",
		func(
			ctx context.Context,
			in middleware.InitializeInput,
			next middleware.InitializeHandler,
		) (middleware.InitializeOutput, middleware.Metadata, error) {
			if operation := awsmiddleware.GetOperationName(ctx); ctx.Value(readOnly{}) != nil &&
				!reading.MatchString(operation) {
				return middleware.InitializeOutput{}, middleware.Metadata{},
					fmt.Errorf("the check may not call %s %s: it only reads", awsmiddleware.GetServiceID(ctx), operation)
			}
			return next.HandleInitialize(ctx, in)
		}), middleware.After)
}

// logged writes each request to the log of its context.
func logged(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("hypershift-aws/log", func(
		ctx context.Context,
		in middleware.InitializeInput,
		next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		began := time.Now()
		out, metadata, err := next.HandleInitialize(ctx, in)
		trace.Of(ctx).DebugContext(ctx, "AWS", "service", awsmiddleware.GetServiceID(ctx), "request",
			awsmiddleware.GetOperationName(ctx), "region", awsmiddleware.GetRegion(ctx), "took", time.Since(began), "error", err)
		return out, metadata, err
	}), middleware.After)
}

// Limit implements Facts. A snapshot asks for a limit once: that of a quota per zone or VPC is the same in each.
func (a *realAccount) Limit(ctx context.Context, q awstype.Quota, _ string) (limit, used int, err error) {
	c, err := a.clients(ctx)
	if err != nil {
		return 0, 0, err
	}
	switch q.Name {
	case "elasticIPs":
		limit, err := elasticIPLimit(ctx, c)
		return limit, Uncounted, err
	case "hostedZones":
		answer, err := c.route53.GetAccountLimit(ctx, &route53.GetAccountLimitInput{
			Type: route53types.AccountLimitTypeMaxHostedZonesByOwner,
		})
		if err != nil || answer.Limit == nil {
			return 0, 0, err
		}
		return int(aws.ToInt64(answer.Limit.Value)), int(answer.Count), nil
	case "roles", "instanceProfiles":
		answer, err := once(a.lists, "IAM's account summary", func() (*iam.GetAccountSummaryOutput, error) {
			return c.iam.GetAccountSummary(ctx, &iam.GetAccountSummaryInput{})
		})
		if err != nil {
			return 0, 0, err
		}
		key := strings.ToUpper(q.Name[:1]) + q.Name[1:]
		limit, known := answer.SummaryMap[key+"Quota"]
		if !known {
			return 0, 0, fmt.Errorf("IAM's account summary has no %sQuota", key)
		}
		return int(limit), int(answer.SummaryMap[key]), nil
	}
	limit, err = once(a.lists, "quota "+q.Service+" "+q.Code, func() (int, error) {
		return serviceQuota(ctx, c.quotas(q.Region(c.place.Partition, c.place.Region)), q)
	})
	return limit, Uncounted, err
}

// serviceQuota returns the value of a quota of Service Quotas.
func serviceQuota(ctx context.Context, client *servicequotas.Client, q awstype.Quota) (int, error) {
	var quota *quotatypes.ServiceQuota
	applied, err := client.GetServiceQuota(ctx, &servicequotas.GetServiceQuotaInput{
		ServiceCode: &q.Service,
		QuotaCode:   &q.Code,
	})
	var none *quotatypes.NoSuchResourceException
	switch {
	case errors.As(err, &none): // no increase was ever applied for
		def, err := client.GetAWSDefaultServiceQuota(ctx, &servicequotas.GetAWSDefaultServiceQuotaInput{
			ServiceCode: &q.Service,
			QuotaCode:   &q.Code,
		})
		if err != nil {
			return 0, err
		}
		quota = def.Quota
	case err != nil:
		return 0, err
	default:
		quota = applied.Quota
	}
	if quota == nil || quota.Value == nil {
		return 0, errors.New("AWS gave no value for the quota")
	}
	return int(*quota.Value), nil
}

func elasticIPLimit(ctx context.Context, c *clients) (int, error) {
	const name = "vpc-max-elastic-ips"
	answer, err := c.ec2.DescribeAccountAttributes(ctx, &ec2.DescribeAccountAttributesInput{
		AttributeNames: []ec2types.AccountAttributeName{name},
	})
	if err != nil {
		return 0, err
	}
	for _, attribute := range answer.AccountAttributes {
		if aws.ToString(attribute.AttributeName) == name && len(attribute.AttributeValues) > 0 {
			return strconv.Atoi(aws.ToString(attribute.AttributeValues[0].AttributeValue))
		}
	}
	return 0, errors.New("AWS does not return the limit of elastic IPs")
}

// homeRegions are the regions of each partition that every account can use: one that is not enabled answers no
// question.
var homeRegions = map[string]string{
	"aws": "us-east-1", "aws-us-gov": "us-gov-west-1", "aws-cn": "cn-north-1", "aws-eusc": "eusc-de-east-1",
}

// RegionEnabled implements Facts.
func (a *realAccount) RegionEnabled(ctx context.Context) (bool, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return false, err
	}
	answer, err := c.ec2.DescribeRegions(ctx, &ec2.DescribeRegionsInput{
		AllRegions:  aws.Bool(true),
		RegionNames: []string{c.place.Region},
	}, func(o *ec2.Options) {
		if home := homeRegions[c.place.Partition]; home != "" {
			o.Region = home
		}
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(answer.Regions, func(r ec2types.Region) bool {
		return aws.ToString(r.RegionName) == c.place.Region && aws.ToString(r.OptInStatus) != "not-opted-in"
	}), nil
}

// Zones implements Facts.
func (a *realAccount) Zones(ctx context.Context) ([]Zone, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	answer, err := c.ec2.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{
		AllAvailabilityZones: aws.Bool(true),
	})
	if err != nil {
		return nil, err
	}
	var zones []Zone
	for _, z := range answer.AvailabilityZones {
		zones = append(zones, Zone{
			Name: aws.ToString(z.ZoneName), ID: aws.ToString(z.ZoneId),
			OptedIn:   z.OptInStatus != ec2types.AvailabilityZoneOptInStatusNotOptedIn,
			Available: z.State == ec2types.AvailabilityZoneStateAvailable,
		})
	}
	return zones, nil
}

// VCPUs implements Facts.
func (a *realAccount) VCPUs(ctx context.Context, instanceTypes []string) (map[string]int, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for some := range slices.Chunk(instanceTypes, resourceIDs) {
		// A filter leaves out a type that does not exist, where the list of types would be refused.
		pages := NewPages(c.ec2.DescribeInstanceTypes, &ec2.DescribeInstanceTypesInput{
			Filters: []ec2types.Filter{filter("instance-type", some...)},
		})
		if err := eachPage(ctx, pages, func(page *ec2.DescribeInstanceTypesOutput) {
			for _, t := range page.InstanceTypes {
				if t.VCpuInfo != nil {
					counts[string(t.InstanceType)] = int(aws.ToInt32(t.VCpuInfo.DefaultVCpus))
				}
			}
		}); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Offers implements Facts.
func (a *realAccount) Offers(ctx context.Context, instanceTypes []string) (map[string][]string, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	offers := map[string][]string{}
	err = eachPage(ctx, NewPages(c.ec2.DescribeInstanceTypeOfferings, &ec2.DescribeInstanceTypeOfferingsInput{
		LocationType: ec2types.LocationTypeAvailabilityZone,
		Filters:      []ec2types.Filter{filter("instance-type", instanceTypes...)},
	}), func(page *ec2.DescribeInstanceTypeOfferingsOutput) {
		for _, o := range page.InstanceTypeOfferings {
			offers[string(o.InstanceType)] = append(offers[string(o.InstanceType)], aws.ToString(o.Location))
		}
	})
	for _, zones := range offers {
		slices.Sort(zones)
	}
	return offers, err
}

// ServiceZones implements Facts.
func (a *realAccount) ServiceZones(ctx context.Context, service string) (zones []string, exists bool, err error) {
	c, err := a.clients(ctx)
	if err != nil {
		return nil, false, err
	}
	answer, err := c.ec2.DescribeVpcEndpointServices(ctx, &ec2.DescribeVpcEndpointServicesInput{
		ServiceNames: []string{service},
	})
	if code(err) == "InvalidServiceName" {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, detail := range answer.ServiceDetails {
		zones = append(zones, detail.AvailabilityZones...)
	}
	slices.Sort(zones)
	return slices.Compact(zones), len(answer.ServiceDetails)+len(answer.ServiceNames) > 0, nil
}

// Head implements Facts.
func (a *realAccount) Head(ctx context.Context, region, bucket, key string) (int, error) {
	c, err := a.clients(ctx)
	if err != nil {
		return 0, err
	}
	if key == "" {
		_, err = c.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &bucket})
	} else {
		_, err = c.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: &key}, func(o *s3.Options) {
			o.Region = region
		})
	}
	var answer *awshttp.ResponseError
	switch {
	case err == nil:
		return http.StatusOK, nil
	case errors.As(err, &answer):
		return answer.HTTPStatusCode(), err
	}
	return 0, err
}

// Simulate implements Facts, by IAM's policy simulator. It evaluates the policies of the role or user, its permissions
// boundary and service control policies, but no session policies.
func (a *realAccount) Simulate(ctx context.Context, caller awsconfig.Identity, s policy.Statement) ([]Denial, error) {
	if strings.HasSuffix(caller.ARN, ":root") {
		return nil, nil // the root user may do everything that service control policies leave it
	}
	c, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	source, err := a.policySource(ctx, c, caller)
	if err != nil {
		return nil, err
	}
	in := &iam.SimulatePrincipalPolicyInput{
		PolicySourceArn: &source,
		ActionNames:     s.Action,
		ContextEntries:  contextOf(caller, s.Condition),
	}
	pattern := false
	for _, resource := range s.Resource {
		if resource != "*" {
			in.ResourceArns = append(in.ResourceArns, resource)
			pattern = pattern || strings.Contains(resource, "*")
		}
	}
	var denials []Denial
	err = eachPage(ctx, NewPages(c.iam.SimulatePrincipalPolicy, in), func(page *iam.SimulatePrincipalPolicyOutput) {
		for _, r := range page.EvaluationResults {
			if r.EvalDecision != iamtypes.PolicyEvaluationDecisionTypeAllowed {
				denials = append(denials, Denial{
					Action: aws.ToString(r.EvalActionName), By: deniedBy(r),
					Unsure: r.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeImplicitDeny && (pattern ||
						len(r.MissingContextValues) > 0),
				})
			}
		}
	})
	return denials, err
}

// policySource returns the ARN that has the caller's policies. For a session, that is the role's ARN, whose path only
// IAM knows.
func (a *access) policySource(ctx context.Context, c *clients, caller awsconfig.Identity) (string, error) {
	_, session, assumed := strings.Cut(caller.ARN, ":assumed-role/")
	if !assumed {
		if strings.Contains(caller.ARN, ":federated-user/") {
			return "", fmt.Errorf("the policies of %s cannot be simulated: it is a federated user", caller.ARN)
		}
		return caller.ARN, nil
	}
	a.placing.Lock()
	defer a.placing.Unlock()
	if a.principal != "" {
		return a.principal, nil
	}
	name, _, _ := strings.Cut(session, "/")
	role, err := c.iam.GetRole(ctx, &iam.GetRoleInput{RoleName: &name})
	switch {
	case slices.Contains(denials, code(err)):
		a.principal = GlobalARN(caller, "iam", "role/"+name) // most roles have the path "/"
	case err != nil:
		return "", err
	default:
		a.principal = aws.ToString(role.Role.Arn)
	}
	return a.principal, nil
}

// SimulatedContext returns the keys that the conditions of a statement refer to, with their values in a request that
// is simulated: one each, that which the stack sends first.
func SimulatedContext(caller awsconfig.Identity, conditions policy.Condition) map[string][]string {
	values := map[string][]string{"aws:RequestedRegion": {caller.Region}}
	for _, keys := range conditions {
		for key, wanted := range keys {
			values[key] = wanted[:1]
		}
	}
	return values
}

// contextOf returns SimulatedContext as IAM takes it.
func contextOf(caller awsconfig.Identity, conditions policy.Condition) []iamtypes.ContextEntry {
	var entries []iamtypes.ContextEntry
	for key, values := range SimulatedContext(caller, conditions) {
		entries = append(entries, iamtypes.ContextEntry{
			ContextKeyName: aws.String(key), ContextKeyType: iamtypes.ContextKeyTypeEnumString, ContextKeyValues: values,
		})
	}
	return entries
}

// deniedBy returns the reason of a denial.
func deniedBy(r iamtypes.EvaluationResult) string {
	switch {
	case r.OrganizationsDecisionDetail != nil && !r.OrganizationsDecisionDetail.AllowedByOrganizations:
		return "a service control policy of the organization denies it"
	case r.PermissionsBoundaryDecisionDetail != nil && !r.PermissionsBoundaryDecisionDetail.AllowedByPermissionsBoundary:
		return "the permissions boundary does not allow it"
	case r.EvalDecision == iamtypes.PolicyEvaluationDecisionTypeExplicitDeny:
		return "a policy denies it"
	}
	return "no policy allows it"
}

// VPCAttributes implements Facts. AWS answers one attribute per request.
func (a *realAccount) VPCAttributes(ctx context.Context, id string) (dnsSupport, dnsHostnames bool, err error) {
	c, err := a.clients(ctx)
	if err != nil {
		return false, false, err
	}
	support, err := c.ec2.DescribeVpcAttribute(ctx, &ec2.DescribeVpcAttributeInput{
		VpcId:     &id,
		Attribute: ec2types.VpcAttributeNameEnableDnsSupport,
	})
	if err != nil {
		return false, false, err
	}
	hostnames, err := c.ec2.DescribeVpcAttribute(ctx, &ec2.DescribeVpcAttributeInput{
		VpcId:     &id,
		Attribute: ec2types.VpcAttributeNameEnableDnsHostnames,
	})
	if err != nil {
		return false, false, err
	}
	return support.EnableDnsSupport != nil && aws.ToBool(support.EnableDnsSupport.Value),
		hostnames.EnableDnsHostnames != nil && aws.ToBool(hostnames.EnableDnsHostnames.Value), nil
}
