package seed

import (
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iampolicy"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// seededPolicy is the document of a seeded policy.
const seededPolicy = `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`

func (s Seed) createProfile(c *aws.Call) error {
	trust := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole",` +
		`"Principal":{"Service":"ec2.` + c.DNSSuffix + `"}}]}`
	if err := s.createRole(c, c.GlobalARN("iam", "role/"+s.Name), trust); err != nil {
		return err
	}
	_, err := seed(c, awstype.InstanceProfile, "", props.Map{"name": s.Name, "role": s.Name})
	return err
}

func (s Seed) createPolicy(c *aws.Call) error {
	path, name, err := inARN(s.Name, "policy")
	if err != nil {
		return err
	}
	put(c, awstype.Policy, s.Name, store.GlobalScope, props.Map{
		"arn": s.Name, "name": name, "path": path, "policy": seededPolicy, "policyId": ids.Code("ANPA", 21)})
	return nil
}

// createRole creates a role with the given ARN, even if the ARN names another account, because the config refers to it.
func (s Seed) createRole(c *aws.Call, arn, trust string) error {
	path, name, err := inARN(arn, "role")
	if err != nil {
		return err
	}
	if fault := iampolicy.TrustPolicyFault(trust); fault != "" {
		return fmt.Errorf("the trust policy of %s: %s", arn, fault)
	}
	put(c, awstype.Role, name, store.GlobalScope, props.Map{
		"arn": arn, "name": name, "path": path, "assumeRolePolicy": trust, "uniqueId": ids.Code("AROA", 21),
		"createDate": ids.Timestamp()})
	document := seededPolicy
	if len(s.Lacks) > 0 {
		document = policy.New(policy.Statement{Effect: policy.Allow, NotAction: s.Lacks, Resource: policy.List{"*"}}).JSON()
	}
	put(c, awstype.RolePolicy, name+":seeded", store.GlobalScope, props.Map{
		"role": name, "name": "seeded", "policy": document})
	return nil
}

// inARN returns the path and the name in an ARN arn:PARTITION:iam::ACCOUNT:WHAT/PATH/NAME.
func inARN(arn, what string) (path, name string, err error) {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) != 6 || parts[2] != "iam" || !strings.HasPrefix(parts[5], what+"/") {
		return "", "", fmt.Errorf("%q is not the ARN of a %s; use arn:aws:iam::ACCOUNT:%s/NAME", arn, what, what)
	}
	path, name = iam.SplitName(strings.TrimPrefix(parts[5], what))
	return path, name, nil
}
