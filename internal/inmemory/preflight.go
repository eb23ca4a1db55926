package inmemory

import (
	"context"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/components/lookup"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/preflight"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
)

// Identity implements preflight.Account. The answers come from the checks by which the account refuses creations.
func (a Account) Identity(ctx context.Context) (preflight.Identity, error) {
	place, err := a.Place(ctx)
	return preflight.Identity{
		Partition: place.Partition, Account: place.Account, Region: place.Region,
		ARN: arn.ARN{Partition: place.Partition, Service: "iam", AccountID: place.Account, Resource: "user/offline"}.String(),
	}, err
}

// Limit implements preflight.Account.
func (a Account) Limit(_ context.Context, q awstype.Quota) (int, error) {
	limit, _, err := a.server.Quota(a.settings, q.Name, "")
	return limit, err
}

// Used implements preflight.Account.
func (a Account) Used(_ context.Context, q awstype.Quota, of string) (int, error) {
	_, used, err := a.server.Quota(a.settings, q.Name, of)
	return used, err
}

// Simulate implements preflight.Account. The account's own user may do everything.
func (a Account) Simulate(context.Context, preflight.Identity, policy.Statement) ([]preflight.Denial, error) {
	return nil, nil
}

// RegionEnabled implements preflight.Account. The account can use every region.
func (a Account) RegionEnabled(context.Context) (bool, error) { return true, nil }

// Zones implements preflight.Account.
func (a Account) Zones(context.Context) ([]preflight.Zone, error) {
	answer, err := a.server.Invoke(a.settings, "aws:index/getAvailabilityZones:getAvailabilityZones", nil)
	names, ids := texts(answer["names"]), texts(answer["zoneIds"])
	var zones []preflight.Zone
	for i := range min(len(names), len(ids)) {
		zones = append(zones, preflight.Zone{Name: names[i], ID: ids[i], OptedIn: true, Available: true})
	}
	return zones, err
}

// VCPUs implements preflight.Account.
func (a Account) VCPUs(_ context.Context, instanceTypes []string) (map[string]int, error) {
	counts := map[string]int{}
	for _, instanceType := range instanceTypes {
		answer, err := a.server.Invoke(a.settings, "aws:ec2/getInstanceType:getInstanceType", map[string]any{"instanceType": instanceType})
		if err != nil {
			continue // unknown type
		}
		if count, known := answer["defaultVcpus"].(float64); known {
			counts[instanceType] = int(count)
		}
	}
	return counts, nil
}

// Offers implements preflight.Account.
func (a Account) Offers(_ context.Context, instanceTypes []string) (map[string][]string, error) {
	offers := map[string][]string{}
	for _, instanceType := range instanceTypes {
		answer, err := a.server.Invoke(a.settings, "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings", map[string]any{
			"locationType": "availability-zone",
			"filters":      []any{map[string]any{"name": "instance-type", "values": []any{instanceType}}},
		})
		if err != nil {
			return nil, err
		}
		offers[instanceType] = texts(answer["locations"])
	}
	return offers, nil
}

// ServiceZones implements preflight.Account.
func (a Account) ServiceZones(_ context.Context, service string) ([]string, bool, error) {
	answer, err := a.server.Invoke(a.settings, "aws:ec2/getVpcEndpointService:getVpcEndpointService",
		map[string]any{"serviceName": service, "serviceType": "Interface"})
	if err != nil && lookup.IsMissing(err) {
		return nil, false, nil
	}
	return texts(answer["availabilityZones"]), err == nil, err
}

// Taken implements preflight.Account. Buckets of other accounts are unknown.
func (a Account) Taken(_ context.Context, n preflight.Name) (preflight.Holder, error) {
	property, value := "name", n.Name
	switch n.Token {
	case awstype.Bucket:
		property = "bucket"
	case awstype.OIDCProvider:
		property = "url"
	case awstype.HostedZone:
		return a.zone(n)
	case preflight.OIDCDocuments: // the offline account has no objects in buckets
		return preflight.Nobody, nil
	}
	if i := strings.LastIndex(value, "/"); i >= 0 && strings.HasPrefix(value, "/") { // a policy, with its path
		value = value[i+1:]
	}
	taken, err := a.server.Exists(a.settings, n.Token, property, value)
	if !taken {
		return preflight.Nobody, err
	}
	return preflight.Own, err
}

// zone reports whether a zone of the name exists: for a private one, in its VPC.
func (a Account) zone(n preflight.Name) (preflight.Holder, error) {
	args := map[string]any{"name": n.Name, "privateZone": n.Private}
	if n.VPC != "" {
		args["vpcId"] = n.VPC
	}
	if _, err := a.server.Invoke(a.settings, "aws:route53/getZone:getZone", args); err != nil {
		if lookup.IsMissing(err) {
			return preflight.Nobody, nil
		}
		return preflight.Nobody, err
	}
	return preflight.Own, nil
}

// Peers implements preflight.Account. The account has no peering connections.
func (a Account) Peers(context.Context) ([]preflight.Network, error) { return nil, nil }

// NameServers implements preflight.Account. Offline nothing is delegated: see preflight.Options.
func (a Account) NameServers(context.Context, string) ([]string, error) { return nil, nil }

// texts returns a list's texts.
func texts(value any) []string {
	list, _ := value.([]any)
	var all []string
	for _, item := range list {
		if text, isText := item.(string); isText {
			all = append(all, text)
		}
	}
	return all
}
