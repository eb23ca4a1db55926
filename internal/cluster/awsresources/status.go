package awsresources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// Read adds to a status what AWS reports about the resources with a tag: instances, target groups with the health of
// their targets, interface endpoints and endpoint services. What cannot be read becomes a finding.
func Read(ctx context.Context, s *clusterstatus.Reading, tag string, accounts []account.Account) {
	seen := map[inventory.Place]bool{}
	for _, aws := range accounts {
		place, err := aws.Place(ctx)
		if err == nil && seen[place] {
			continue
		}
		seen[place] = true
		if err == nil {
			err = readAccount(ctx, s, tag, aws.Snapshot(), place)
		}
		if err != nil {
			s.Unread("AWS was not read completely: "+err.Error(),
				fmt.Sprintf("run `hypershift-aws permissions -s %s` for the policy that allows it", s.Stack))
		}
	}
	slices.SortStableFunc(s.AWS, func(a, b status.Fact) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name+a.ID, b.Name+b.ID))
	})
}

func readAccount(
	ctx context.Context, s *clusterstatus.Reading, tag string, aws account.Account, place inventory.Place,
) error {
	of := signs{account: aws, tag: tag, balancers: map[string]bool{}}
	for _, list := range listsOf(ctx, aws, awstype.LifeTypes()) {
		token := list.token
		if list.err != nil {
			return list.err
		}
		for _, r := range list.found {
			if !of.carries(r) {
				continue
			}
			f := status.Fact{
				Kind: clusterstatus.TypeLabel(token), ID: r.ID, Name: r.Name(), Account: place.Account, Region: place.Region,
				State: r.State, Expected: true, Type: token,
			}
			switch token {
			case awstype.LoadBalancer:
				of.balancers[r.ARN] = true
				continue // its target groups show its health
			case awstype.ClassicLoadBalancer:
				continue
			case awstype.Instance:
				if r.State == "terminated" {
					continue
				}
				f.Expected = r.State == "running"
			case awstype.VPCEndpoint:
				if r.Properties["vpcEndpointType"] == "Gateway" {
					continue
				}
				f.Name, f.Expected = cmp.Or(r.Tags["AWSEndpointService"], f.Name), strings.EqualFold(r.State, "available")
			case awstype.VPCEndpointService:
				f.Name, f.State = cmp.Or(r.Tags["AWSEndpointService"], f.Name), cmp.Or(r.State, "Available")
				f.Expected = strings.EqualFold(f.State, "available")
			case awstype.TargetGroup:
				targets, err := aws.Targets(ctx, r)
				if err != nil {
					return err
				}
				f.Name = r.Text("name")
				f.State, f.Expected = healthText(targets)
			}
			s.AWS = append(s.AWS, f)
		}
	}
	return nil
}

// healthText returns the health of targets in words. It is expected if one target is healthy, or if none is unhealthy.
func healthText(targets []account.Target) (text string, expected bool) {
	if len(targets) == 0 {
		return "no targets", false
	}
	healthy, why := 0, ""
	for _, t := range targets {
		if t.Health == "healthy" {
			healthy++
		} else if why == "" {
			why = fmt.Sprintf("; %s is %s", t.ID, t.Health)
			if t.Why != "" {
				why += " (" + t.Why + ")"
			}
		}
	}
	return fmt.Sprintf("%d of %d targets healthy%s", healthy, len(targets), why), healthy > 0
}

// Missing returns the resources of a state with one of the types that AWS no longer has. accountOf returns the account
// of a resource's provider. Types that cannot be listed, and resources that cannot be read, are left out.
func Missing(
	ctx context.Context, resources []apitype.ResourceV3, accountOf func(apitype.ResourceV3) (account.Account, error),
) func(tokens []string) []apitype.ResourceV3 {
	exists := map[string]bool{}
	return func(tokens []string) []apitype.ResourceV3 {
		var missing []apitype.ResourceV3
		for _, r := range resources {
			if !slices.Contains(tokens, string(r.Type)) || r.Delete || r.External {
				continue
			}
			there, known := exists[string(r.URN)]
			if !known {
				there = existsNow(ctx, r, accountOf)
				exists[string(r.URN)] = there
			}
			if !there {
				missing = append(missing, r)
			}
		}
		return missing
	}
}

func existsNow(
	ctx context.Context,
	r apitype.ResourceV3,
	accountOf func(apitype.ResourceV3) (account.Account, error),
) bool {
	of, err := accountOf(r)
	if err != nil {
		return true
	}
	now, err := account.Describe(ctx, of, inventory.Resource{Type: string(r.Type), ID: string(r.ID)})
	if err != nil || now != nil {
		return now != nil || !gone(err)
	}
	return false
}

// gone reports whether an error is AWS's answer that a resource does not exist.
func gone(err error) bool {
	var coded interface{ ErrorCode() string }
	return errors.As(err, &coded) && (strings.Contains(coded.ErrorCode(), "NotFound") ||
		strings.HasPrefix(coded.ErrorCode(), "NoSuch"))
}
