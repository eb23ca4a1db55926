package awsresources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// SignsOfLife searches the accounts for what shows that the cluster whose resources have a tag may be alive:
//
//   - an instance that is not terminated, thus a stopped one too;
//   - a target group or classic load balancer with registered targets, if it or its load balancer has the tag;
//   - an interface endpoint that is available, and an endpoint service with a connected endpoint;
//   - of Cluster API, a load balancer: no other resource shows a control plane without machines, and only CAPA deletes
//     it.
//
// The resources of the states in own are no signs, such as a bastion or the endpoint of a proxy. An endpoint to the
// control plane there is a sign only if it is connected to the operators' endpoint service, and an endpoint service
// only if another's endpoint is connected to it. Load balancers and security groups with the tag that no state owns are
// Traces. A read that fails is Err, and the others are made nevertheless.
func SignsOfLife(ctx context.Context, own *state.Deployment, tag string, accounts []account.Account) gate.InAWS {
	var found gate.InAWS
	seen := map[inventory.Place]bool{}
	for _, aws := range accounts {
		place, err := aws.Place(ctx)
		if err != nil {
			found.Err = errors.Join(found.Err, err)
			continue
		}
		if seen[place] {
			continue
		}
		seen[place] = true
		s := signs{account: aws, own: own, tag: tag, found: &found}
		if err := s.search(ctx); err != nil {
			found.Err = errors.Join(found.Err, fmt.Errorf("account %s, %s: %w", place.Account, place.Region, err))
		}
	}
	slices.Sort(found.Signs)
	slices.Sort(found.Traces)
	found.Traces = slices.Compact(found.Traces)
	found.Signs, found.Instances = slices.Compact(found.Signs),
		slices.Compact(slices.Sorted(slices.Values(found.Instances)))
	return found
}

// signs are the signs of life in one account.
type signs struct {
	account account.Account
	own     *state.Deployment
	tag     string
	found   *gate.InAWS
	// balancers are the ARNs of the load balancers with the tag.
	balancers map[string]bool
}

func (s *signs) search(ctx context.Context) error {
	s.balancers = map[string]bool{}
	var errs []error
	types := awstype.LifeTypes()
	for _, token := range awstype.TraceTypes() {
		if !slices.Contains(types, token) {
			types = append(types, token)
		}
	}
	for _, list := range listsOf(ctx, s.account, types) {
		token := list.token
		errs = append(errs, list.err)
		for _, l := range list.found {
			if !s.carries(l) {
				continue
			}
			if slices.Contains(awstype.TraceTypes(), token) && IsTrace(l) && l.Tags[s.tag] == "owned" &&
				!s.own.Manages(l.ID) {
				s.found.Traces = append(s.found.Traces, words(l))
			}
			if !slices.Contains(awstype.LifeTypes(), token) {
				continue
			}
			if l.Type == awstype.LoadBalancer {
				s.balancers[l.ARN] = true
			}
			sign, err := s.judge(ctx, l)
			errs = append(errs, err)
			if sign == "" {
				continue
			}
			s.found.Signs = append(s.found.Signs, sign)
			if l.Type == awstype.Instance {
				s.found.Instances = append(s.found.Instances, sign)
				if l.Created.After(s.found.Launched) {
					s.found.Launched = l.Created
				}
			}
		}
	}
	return errors.Join(errs...)
}

// listOfType is the complete list of a type, or why it cannot be read.
type listOfType struct {
	token string
	found []inventory.Resource
	err   error
}

// listsOf reads the lists of types at the same time, and returns them in the order of the types.
func listsOf(ctx context.Context, aws account.Account, types []string) []listOfType {
	lists, _ := account.Gather(types, func(token string) ([]listOfType, error) {
		found, err := aws.List(ctx, account.Query{Type: token, Complete: true})
		return []listOfType{{token, found, err}}, nil
	})
	return lists
}

// carries reports whether a resource, or the load balancer of a target group, has the tag with any value.
func (s *signs) carries(l inventory.Resource) bool {
	_, tagged := l.Tags[s.tag]
	return tagged || l.Type == awstype.TargetGroup && slices.ContainsFunc(l.UsedBy, func(arn string) bool {
		return s.balancers[arn]
	})
}

// IsTrace reports whether operators may have created a resource of a type of awstype.TraceTypes. A VPC's default group
// comes with the VPC.
func IsTrace(l inventory.Resource) bool {
	return l.Type != awstype.SecurityGroup || l.Text("name") != "default"
}

func words(l inventory.Resource) string { return clusterstatus.TypeLabel(l.Type) + " " + l.ID }

// judge describes a resource if it is a sign of life, and otherwise returns "".
func (s *signs) judge(ctx context.Context, l inventory.Resource) (string, error) {
	switch l.Type {
	case awstype.Instance:
		if s.own.Has(l.Type, l.ID) || l.State == "terminated" {
			return "", nil
		}
		return words(l), nil
	case awstype.LoadBalancer:
		if s.own.Has(l.Type, l.ID) || !strings.HasPrefix(s.tag, recorded.CAPAOwnerTagPrefix) {
			return "", nil
		}
		return words(l), nil
	case awstype.VPCEndpoint:
		if !strings.EqualFold(l.State, "available") || l.Properties["vpcEndpointType"] == "Gateway" || s.isOwnEndpoint(l.ID) {
			return "", nil
		}
		return words(l), nil
	}
	attached, err := s.account.Attached(ctx, l)
	if l.Type == awstype.VPCEndpointService {
		attached = slices.DeleteFunc(attached, func(id string) bool { return s.own.Has(awstype.VPCEndpoint, id) })
	}
	if len(attached) == 0 {
		return "", err
	}
	return fmt.Sprintf("%s (with %s)", words(l), strings.Join(attached, ", ")), err
}

// isOwnEndpoint reports whether the stack owns an endpoint that shows no control plane: it owns its service too, or the
// endpoint is connected to something else.
func (s *signs) isOwnEndpoint(id string) bool {
	services := map[string]bool{}
	for _, r := range s.own.Resources {
		if name, _ := r.Outputs["serviceName"].(string); string(r.Type) == awstype.VPCEndpointService {
			services[name] = true
		}
	}
	for _, r := range s.own.Resources {
		if string(r.Type) == awstype.VPCEndpoint && string(r.ID) == id {
			name, _ := r.Outputs["serviceName"].(string)
			return services[name] || !strings.Contains(string(r.URN.QualifiedType()), recorded.EndpointType)
		}
	}
	return false
}
