package offline

import (
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Remove deletes a resource as a caller of AWS's API would: first its parts, such as a role's policies and a zone's records, then the
// resource itself, unless others depend on it. It succeeds if the resource does not exist.
func (s *Server) Remove(config map[string]any, token, id string) error {
	return s.call(config, func(c *aws.Call) error {
		c.Kind = c.Types.Kinds[token]
		for _, inner := range partsOf(c, id) {
			if err := remove(c, inner.Type, inner.ID); err != nil {
				return err
			}
		}
		return remove(c, token, id)
	})
}

// RevokeGroupRules deletes the rules of a security group that refer to groups.
func (s *Server) RevokeGroupRules(config map[string]any, id string) error {
	return s.call(config, func(c *aws.Call) error {
		for _, token := range []string{awstype.SecurityGroupIngressRule, awstype.SecurityGroupEgressRule} {
			for _, rule := range c.Where(token, "securityGroupId", id) {
				if rule.State.String("referencedSecurityGroupId") != "" {
					if err := remove(c, token, rule.ID); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// remove deletes one resource and commits the change.
func remove(c *aws.Call, token, id string) error {
	k := c.Types.Kinds[token]
	if rec := c.Find(token, id); k == nil && slices.Contains(ofOperators(), token) {
		if rec != nil {
			c.Delete(rec)
		}
		return c.Commit()
	}
	if k == nil {
		return fmt.Errorf("the offline account has no resource type %q", token)
	}
	return c.Unmake(token, id)
}

// partsOf returns the resources that a caller of AWS's API deletes before their owner, and that a provider has as separate resources.
func partsOf(c *aws.Call, id string) []*store.Record {
	parts := map[string][]struct{ token, input string }{
		awstype.Role:            {{awstype.RolePolicy, "role"}, {awstype.RolePolicyAttachment, "role"}},
		awstype.HostedZone:      {{awstype.Record, "zoneId"}},
		awstype.RouteTable:      {{awstype.RouteTableAssociation, "routeTableId"}},
		awstype.InternetGateway: {{awstype.InternetGatewayAttachment, "internetGatewayId"}},
	}
	if c.Kind == nil {
		return nil
	}
	zone := props.Map{}
	if rec := c.Find(c.Kind.Token, id); rec != nil {
		zone = rec.State
	}
	var found []*store.Record
	for _, part := range parts[c.Kind.Token] {
		for _, rec := range c.Where(part.token, part.input, id) {
			own := part.token == awstype.Record && rec.State.String("name") == zone.String("name") &&
				(rec.State.String("type") == "NS" || rec.State.String("type") == "SOA")
			if rec.Origin != store.ByAWS && !own {
				found = append(found, rec)
			}
		}
	}
	return found
}
