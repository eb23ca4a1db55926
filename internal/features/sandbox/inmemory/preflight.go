package inmemory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// Identity implements account.Facts. The answers come from the account's own checks of creations.
func (a Account) Identity(ctx context.Context) (awsconfig.Identity, error) {
	place, err := a.Place(ctx)
	return awsconfig.Identity{
		Place: place,
		ARN: arn.ARN{
			Partition: place.Partition,
			Service:   "iam",
			AccountID: place.Account,
			Resource:  "user/offline",
		}.String(),
	}, err
}

// Limit implements account.Facts.
func (a Account) Limit(_ context.Context, q awstype.Quota, of string) (limit, used int, err error) {
	return a.server.Quota(a.settings, q.Name, of)
}

// Simulate implements account.Facts, as IAM's simulator evaluates the rehearsal's policies: without them, the account's
// own user may do everything.
func (a Account) Simulate(
	_ context.Context, caller awsconfig.Identity, s policy.Statement,
) (denials []account.Denial, err error) {
	policies, limited := a.server.PoliciesIn(caller.Account)
	if !limited {
		return nil, nil
	}
	for _, action := range s.Action {
		for _, resource := range s.Resource {
			request := policy.Request{Action: action, Resource: resource, Context: account.SimulatedContext(caller, s.Condition)}
			decision := policy.Evaluate(request, policies...)
			if decision == policy.Allowed {
				continue
			}
			denial := account.Denial{Action: action, By: "no policy allows it"}
			if decision == policy.ExplicitDeny {
				denial.By = "a policy denies it"
			} else {
				request.Partial = true // a key that no condition of the statement names has no value
				denial.Unsure = resource != "*" && strings.Contains(resource, "*") ||
					policy.Evaluate(request, policies...) == policy.Allowed
			}
			denials = append(denials, denial)
			break
		}
	}
	return denials, nil
}

// PoliciesOf implements account.Facts. AWS's own policies are not known here.
func (a Account) PoliciesOf(ctx context.Context, role string) (account.Policies, error) {
	var all account.Policies
	roles, err := a.list(awstype.Role)
	if err != nil {
		return all, err
	}
	i := slices.IndexFunc(roles, func(r inventory.Resource) bool { return r.ID == role })
	if i < 0 {
		return all, fmt.Errorf("NoSuchEntity: the role with name %s cannot be found", role)
	}
	for _, token := range []string{awstype.RolePolicy, awstype.RolePolicyAttachment} {
		parts, err := a.list(token)
		if err != nil {
			return all, err
		}
		for _, part := range parts {
			if part.Text("role") != role {
				continue
			}
			text := part.Text("policy")
			if token == awstype.RolePolicyAttachment {
				if text, err = a.Policy(ctx, part.Text("policyArn")); err != nil {
					return all, err
				}
			}
			if err := all.Add(text); err != nil {
				return all, err
			}
		}
	}
	if arn := roles[i].Text("permissionsBoundary"); arn != "" {
		text, err := a.Policy(ctx, arn)
		if err != nil {
			return all, err
		}
		return all, all.Limit(text)
	}
	return all, nil
}

// Policy implements account.Facts. Of AWS's own policies, only the one that allows everything is known here.
func (a Account) Policy(_ context.Context, arn string) (string, error) {
	if strings.HasSuffix(arn, ":iam::aws:policy/AdministratorAccess") {
		return `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}`, nil
	}
	policies, err := a.list(awstype.Policy)
	for _, p := range policies {
		if p.ID == arn {
			return p.Text("policy"), nil
		}
	}
	return "", errors.Join(err, fmt.Errorf("the offline account does not know the document of %s", arn))
}

// VPCAttributes implements account.Facts.
func (a Account) VPCAttributes(_ context.Context, id string) (dnsSupport, dnsHostnames bool, err error) {
	vpcs, err := a.list(awstype.VPC)
	if i := slices.IndexFunc(vpcs, func(r inventory.Resource) bool { return r.ID == id }); i >= 0 {
		found := props.Map(vpcs[i].Properties)
		return found.Bool("enableDnsSupport"), found.Bool("enableDnsHostnames"), err
	}
	return false, false, cmp.Or(err, fmt.Errorf("InvalidVpcID.NotFound: the VPC %s does not exist", id))
}

// RegionEnabled implements account.Facts. The account can use every region.
func (a Account) RegionEnabled(context.Context) (bool, error) { return true, nil }

// Zones implements account.Facts.
func (a Account) Zones(context.Context) ([]account.Zone, error) {
	answer, err := a.server.Invoke(a.settings, "aws:index/getAvailabilityZones:getAvailabilityZones", nil)
	names, ids := props.Map(answer).Strings("names"), props.Map(answer).Strings("zoneIds")
	var zones []account.Zone
	for i := range min(len(names), len(ids)) {
		zones = append(zones, account.Zone{Name: names[i], ID: ids[i], OptedIn: true, Available: true})
	}
	return zones, err
}

// VCPUs implements account.Facts.
func (a Account) VCPUs(_ context.Context, instanceTypes []string) (map[string]int, error) {
	counts := map[string]int{}
	for _, instanceType := range instanceTypes {
		answer, err := a.server.Invoke(a.settings, "aws:ec2/getInstanceType:getInstanceType",
			map[string]any{"instanceType": instanceType})
		if err != nil {
			continue // unknown type
		}
		if count, known := answer["defaultVcpus"].(float64); known {
			counts[instanceType] = int(count)
		}
	}
	return counts, nil
}

// Offers implements account.Facts.
func (a Account) Offers(_ context.Context, instanceTypes []string) (map[string][]string, error) {
	offers := map[string][]string{}
	for _, instanceType := range instanceTypes {
		answer, err := a.server.Invoke(a.settings, "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings",
			map[string]any{
				"locationType": "availability-zone",
				"filters":      []any{map[string]any{"name": "instance-type", "values": []any{instanceType}}},
			})
		if err != nil {
			return nil, err
		}
		offers[instanceType] = props.Map(answer).Strings("locations")
	}
	return offers, nil
}

// ServiceZones implements account.Facts.
func (a Account) ServiceZones(_ context.Context, service string) ([]string, bool, error) {
	answer, err := a.server.Invoke(a.settings, "aws:ec2/getVpcEndpointService:getVpcEndpointService",
		map[string]any{"serviceName": service, "serviceType": "Interface"})
	if err != nil && awsprovider.IsMissing(err) {
		return nil, false, nil
	}
	return props.Map(answer).Strings("availabilityZones"), err == nil, err
}

// Head implements account.Facts. Buckets of other accounts are unknown, and the account has no objects.
func (a Account) Head(_ context.Context, _, bucket, key string) (int, error) {
	found, err := a.list(awstype.Bucket)
	if key == "" && slices.ContainsFunc(found, func(r inventory.Resource) bool { return r.Text("bucket") == bucket }) {
		return http.StatusOK, err
	}
	return http.StatusNotFound, err
}

// Restricted implements account.Facts, by the resources of the provider that set the account's settings. The account
// has had load balancers.
func (a Account) Restricted(_ context.Context, what account.Restriction) (string, error) {
	for _, setting := range []struct {
		what        account.Restriction
		token, name string
	}{
		{account.PublicBuckets, "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock", "blockPublicPolicy"},
		{account.PublicBuckets, "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock", "restrictPublicBuckets"},
		{account.VolumeKey, "aws:ebs/defaultKmsKey:DefaultKmsKey", "keyArn"},
	} {
		if setting.what != what {
			continue
		}
		found, err := a.list(setting.token)
		if err != nil {
			return "", err
		}
		for _, r := range found {
			if on, _ := r.Properties[setting.name].(bool); on {
				return setting.name, nil
			}
			if text := r.Text(setting.name); text != "" {
				return text, nil
			}
		}
	}
	return "", nil
}
