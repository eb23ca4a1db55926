package seed

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

const (
	// Role is an IAM role; its name is the ARN and its document is the trust policy. It may do everything except Lacks.
	Role Kind = "role"
	// InstanceProfile is an instance profile with a role of the same name that EC2 can assume; its name is the profile's name.
	InstanceProfile Kind = "instance profile"
	// Policy is a customer managed policy; its name is the ARN.
	Policy Kind = "policy"
)

// seededPolicy is the document of a seeded policy.
const seededPolicy = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`

// existsInIAM reports whether the seed's resource exists.
func (s Seed) existsInIAM(c *aws.Call) bool {
	switch s.Kind {
	case Role:
		_, name := iam.SplitName(s.Name)
		return c.Find(awstype.Role, name) != nil
	case InstanceProfile:
		return c.Find(awstype.InstanceProfile, s.Name) != nil
	case Policy:
		return c.Find(awstype.Policy, s.Name) != nil
	default:
		return false
	}
}

func (s Seed) createInIAM(c *aws.Call) error {
	switch s.Kind {
	case Role:
		return s.createRole(c, s.Name, s.Document)
	case InstanceProfile:
		role := c.GlobalARN("iam", "role/"+s.Name)
		trust := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole",` +
			`"Principal":{"Service":"ec2.` + c.DNSSuffix + `"}}]}`
		if err := s.createRole(c, role, trust); err != nil {
			return err
		}
		_, err := seed(c, awstype.InstanceProfile, "", props.Map{"name": s.Name, "role": s.Name})
		return err
	case Policy:
		path, name, err := s.inARN(s.Name, "policy")
		if err != nil {
			return err
		}
		c.Put(&store.Record{Type: awstype.Policy, ID: s.Name, Scope: store.GlobalScope, Origin: store.BySeed, State: props.Map{
			"arn": s.Name, "name": name, "path": path, "policy": seededPolicy, "policyId": ids.Code("ANPA", 21)}})
		return nil
	default:
		return fmt.Errorf("%q is not a kind of seed", s.Kind)
	}
}

// createRole creates a role with the given ARN, even if the ARN names another account, because the config refers to it.
func (s Seed) createRole(c *aws.Call, arn, trust string) error {
	path, name, err := s.inARN(arn, "role")
	if err != nil {
		return err
	}
	if fault := iampolicy.TrustPolicyFault(trust); fault != "" {
		return fmt.Errorf("the trust policy of %s: %s", arn, fault)
	}
	c.Put(&store.Record{Type: awstype.Role, ID: name, Scope: store.GlobalScope, Origin: store.BySeed, State: props.Map{
		"arn": arn, "name": name, "path": path, "assumeRolePolicy": trust, "uniqueId": ids.Code("AROA", 21), "createDate": ids.Timestamp()}})
	document := seededPolicy
	if len(s.Lacks) > 0 {
		document = policy.New(policy.Statement{Effect: policy.Allow, NotAction: s.Lacks, Resource: policy.List{"*"}}).JSON()
	}
	c.Put(&store.Record{Type: awstype.RolePolicy, ID: name + ":seeded", Scope: store.GlobalScope, Origin: store.BySeed, State: props.Map{
		"role": name, "name": "seeded", "policy": document}})
	return nil
}

// inARN returns the path and the name in an ARN arn:PARTITION:iam::ACCOUNT:WHAT/PATH/NAME.
func (s Seed) inARN(arn, what string) (path, name string, err error) {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) != 6 || parts[2] != "iam" || !strings.HasPrefix(parts[5], what+"/") {
		return "", "", fmt.Errorf("%q is not the ARN of a %s; use arn:aws:iam::ACCOUNT:%s/NAME", arn, what, what)
	}
	path, name = iam.SplitName(strings.TrimPrefix(parts[5], what))
	return path, name, nil
}
