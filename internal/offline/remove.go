package offline

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// Remove deletes a resource as a caller of AWS's API would: first its parts, such as a role's policies and a zone's
// records, then the resource itself, unless others depend on it. It succeeds if the resource does not exist.
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

// partsOf returns the resources that a caller of AWS's API deletes before their owner, and that a provider has as
// separate resources.
func partsOf(c *aws.Call, id string) []*store.Entry {
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
	var found []*store.Entry
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

// Invoke runs a function of the provider, such as "aws:ec2/getVpc:getVpc", for a caller without an engine.
func (s *Server) Invoke(config map[string]any, token string, args map[string]any) (map[string]any, error) {
	var answer props.Map
	err := s.call(config, func(c *aws.Call) (err error) {
		answer, err = s.types.Answer(c, token, args)
		return err
	})
	return answer, err
}

// Exists reports whether the account has a resource of a type with a given property value, whether a stack created it
// or not.
func (s *Server) Exists(config map[string]any, token, property, value string) (bool, error) {
	found := false
	err := s.call(config, func(c *aws.Call) error {
		found = len(c.Where(token, property, value)) > 0
		return nil
	})
	return found, err
}

// call runs act in the account and region of a provider's configuration.
func (s *Server) call(config map[string]any, act func(*aws.Call) error) error {
	at, err := aws.NewSite(config)
	if err != nil {
		return err
	}
	account, err := s.account(at)
	if err != nil {
		return err
	}
	if err := account.Transact(func(t *aws.Tx) error {
		return act(&aws.Call{Tx: t, Site: at, Rehearsal: s.stage})
	}); err != nil {
		return fmt.Errorf("calling offline account %s: %w", at.Account, err)
	}
	return nil
}

// Kinds returns the kinds of an API, such as "hypershift.openshift.io/v1beta1", that an offline Kubernetes cluster
// serves.
func Kinds(apiVersion string) []string { return kubernetes.Kinds(apiVersion) }

// deleteOutOfBand deletes resources, each named by its ID or its tag Name, without the engine's knowledge. It fails if
// no resource has the name, unless an earlier run has deleted one: a fleet's stacks have the rehearsal in common.
func deleteOutOfBand(dir string, names []string, tell func(sentence string)) error {
	if len(names) == 0 {
		return nil
	}
	accounts, err := Accounts(dir)
	if err != nil {
		return err
	}
	record := filepath.Join(dir, "deleted.jsonl")
	for _, name := range names {
		found := false
		for _, account := range accounts {
			for _, resource := range account.Resources() {
				if resource.ID != name && nameTag(resource) != name {
					continue
				}
				if err := atomicfile.AppendLine(record, name); err != nil {
					return fmt.Errorf("recording that %s is deleted out of band: %w", name, err)
				}
				isThere := func(r aws.Resource) bool { return r.ID == resource.ID }
				if err := account.Remove(resource.ID); err != nil && slices.ContainsFunc(account.Resources(), isThere) {
					return fmt.Errorf("deleting %s out of band: %w", name, err)
				}
				found = true
				tell(fmt.Sprintf("deleted %s %s (%s) out of band", resource.Type, name, resource.ID))
			}
		}
		if found {
			continue
		}
		earlier, err := atomicfile.Lines[string](record)
		if err != nil {
			return fmt.Errorf("reading what earlier runs have deleted out of band: %w", err)
		}
		if !slices.Contains(earlier, name) {
			return fmt.Errorf("deleted: no offline account under %s has a resource whose ID or tag Name is %q", dir, name)
		}
	}
	return nil
}

func nameTag(resource aws.Resource) string {
	tags, _ := resource.Properties["tags"].(map[string]any)
	name, _ := tags["Name"].(string)
	return name
}
