package offline

import (
	"fmt"
	"strings"
)

const (
	// SeedRole is an IAM role; its name is the ARN and its document the trust policy.
	SeedRole SeedKind = "role"
	// SeedInstanceProfile is an instance profile with a role that EC2 may take; its name is the profile's.
	SeedInstanceProfile SeedKind = "instance profile"
	// SeedPolicy is a managed policy of the account's own; its name is the ARN.
	SeedPolicy SeedKind = "policy"
)

// seededPolicy is what a policy allows that was there before any stack.
const seededPolicy = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`

// standsInIAM says whether a stack has made what the seed would.
func (s Seed) standsInIAM(c *call) bool {
	switch s.Kind {
	case SeedRole:
		_, name := splitName(s.Name)
		return c.find(roleToken, name) != nil
	case SeedInstanceProfile:
		return c.find(profileToken, s.Name) != nil
	case SeedPolicy:
		return c.find(policyToken, s.Name) != nil
	default:
		return false
	}
}

func (s Seed) plantInIAM(c *call) error {
	switch s.Kind {
	case SeedRole:
		return s.plantRole(c, s.Name, s.Document)
	case SeedInstanceProfile:
		role := c.globalARN("iam", "role/"+s.Name+"-role")
		trust := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole",` +
			`"Principal":{"Service":"ec2.` + c.dnsSuffix + `"}}]}`
		if err := s.plantRole(c, role, trust); err != nil {
			return err
		}
		c.kind = c.types.kinds[profileToken]
		return c.create(props{"name": s.Name, "role": s.Name + "-role", "path": "/", "tagsAll": map[string]any{}}, bySeed)
	case SeedPolicy:
		path, name, err := s.inARN(s.Name, "policy")
		if err != nil {
			return err
		}
		c.put(&record{Type: policyToken, ID: s.Name, Scope: globalScope, Origin: bySeed, State: props{
			"arn": s.Name, "name": name, "path": path, "policy": seededPolicy, "policyId": newCode("ANPA", 21)}})
		return nil
	default:
		return fmt.Errorf("%q is no kind of seed", s.Kind)
	}
}

// plantRole makes a role with the ARN that is given, whatever account that names: it is the one that the
// config means.
func (s Seed) plantRole(c *call, arn, trust string) error {
	path, name, err := s.inARN(arn, "role")
	if err != nil {
		return err
	}
	if fault := trustPolicyFault(trust); fault != "" {
		return fmt.Errorf("the trust policy of %s: %s", arn, fault)
	}
	c.put(&record{Type: roleToken, ID: name, Scope: globalScope, Origin: bySeed, State: props{
		"arn": arn, "name": name, "path": path, "assumeRolePolicy": trust, "uniqueId": newCode("AROA", 21), "createDate": now()}})
	return nil
}

// inARN is the path and the name in arn:PARTITION:iam::ACCOUNT:WHAT/PATH/NAME.
func (s Seed) inARN(arn, what string) (path, name string, err error) {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) != 6 || parts[2] != "iam" || !strings.HasPrefix(parts[5], what+"/") {
		return "", "", fmt.Errorf("%q is not the ARN of a %s; give arn:aws:iam::ACCOUNT:%s/NAME", arn, what, what)
	}
	path, name = splitName(strings.TrimPrefix(parts[5], what))
	return path, name, nil
}
