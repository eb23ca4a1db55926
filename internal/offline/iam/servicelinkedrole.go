package iam

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func serviceLinkedRoleKinds() []*aws.Kind {
	return []*aws.Kind{{
		Token: awstype.ServiceLinkedRole, Args: iam.ServiceLinkedRoleArgs{}, State: iam.ServiceLinkedRoleState{},
		Service: "IAM", Noun: "Service Linked Role", Calls: aws.Calls{Update: "UpdateRole"}, Global: true,
		ValidateFunc: map[string]func(string) string{"awsServiceName": servicePrincipalFault},
		NotFound:     awserr.Template{Code: "NoSuchEntity", Text: "The role with name %s cannot be found."},
		Rules:        []aws.Rule{serviceRoleFree},
		ID: func(c *aws.Call) string {
			s := c.State()
			s["name"], s["path"] = serviceRoleName(s), "/aws-service-role/"+s.String("awsServiceName")+"/"
			return c.GlobalARN("iam", "role"+s.String("path")+s.String("name"))
		},
		OnCreate: unique("AROA"),
	}}
}

// servicePrincipalFault checks the name of a service against the form of a principal.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceLinkedRole.html
func servicePrincipalFault(name string) string {
	if !strings.HasSuffix(name, ".amazonaws.com") && !strings.HasSuffix(name, ".amazonaws.com.cn") {
		return fmt.Sprintf("%q must be a service's domain, such as spot.amazonaws.com", name)
	}
	return ""
}

// serviceRoleName returns the name of a service's role, with the given suffix.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_aws-services-that-work-with-iam.html
func serviceRoleName(s props.Map) string {
	name := map[string]string{
		"spot.amazonaws.com":                 "AWSServiceRoleForEC2Spot",
		"elasticloadbalancing.amazonaws.com": "AWSServiceRoleForElasticLoadBalancing",
	}[s.String("awsServiceName")]
	if name == "" {
		service, _, _ := strings.Cut(s.String("awsServiceName"), ".")
		name = "AWSServiceRoleFor" + strings.ToUpper(service[:1]) + service[1:]
	}
	if suffix := s.String("customSuffix"); suffix != "" {
		name += "_" + suffix
	}
	return name
}

// serviceRoleFree: an account has one role per service.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceLinkedRole.html
func serviceRoleFree(c *aws.Call) error {
	name := serviceRoleName(c.State())
	for _, other := range c.All(awstype.ServiceLinkedRole) {
		if other.ID != c.Resource.ID && sameFold(other.State.String("name"), name) {
			return awserr.Errorf("InvalidInput", "Service role name %s has been taken in this account, please try a different suffix.", name)
		}
	}
	return nil
}
