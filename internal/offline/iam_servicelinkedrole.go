package offline

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
)

const serviceLinkedRoleToken = "aws:iam/serviceLinkedRole:ServiceLinkedRole"

func serviceLinkedRoleKinds() []*kind {
	return []*kind{{
		token: serviceLinkedRoleToken, args: iam.ServiceLinkedRoleArgs{}, state: iam.ServiceLinkedRoleState{},
		service: "IAM", noun: "Service Linked Role", calls: calls{update: "UpdateRole"}, global: true,
		valid:    map[string]func(string) string{"awsServiceName": servicePrincipalFault},
		replaces: []string{"awsServiceName", "customSuffix"},
		missing:  answer{"NoSuchEntity", "The role with name %s cannot be found."},
		rules:    []rule{serviceRoleFree},
		make: func(c *call) error {
			s := c.rec.State
			s["name"], s["path"] = serviceRoleName(s), "/aws-service-role/"+s.text("awsServiceName")+"/"
			c.rec.ID = c.globalARN("iam", "role"+s.text("path")+s.text("name"))
			s["arn"], s["uniqueId"], s["createDate"] = c.rec.ID, newCode("AROA", 21), now()
			return nil
		},
	}}
}

// servicePrincipalFault holds the name of a service against the form of a principal.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceLinkedRole.html
func servicePrincipalFault(name string) string {
	if !strings.HasSuffix(name, ".amazonaws.com") && !strings.HasSuffix(name, ".amazonaws.com.cn") {
		return fmt.Sprintf("%q must be a service's domain, such as spot.amazonaws.com", name)
	}
	return ""
}

// serviceRoleName is the name that a service has chosen for its role, with the suffix that is given.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_aws-services-that-work-with-iam.html
func serviceRoleName(s props) string {
	name := map[string]string{
		"spot.amazonaws.com":                 "AWSServiceRoleForEC2Spot",
		"elasticloadbalancing.amazonaws.com": "AWSServiceRoleForElasticLoadBalancing",
	}[s.text("awsServiceName")]
	if name == "" {
		service, _, _ := strings.Cut(s.text("awsServiceName"), ".")
		name = "AWSServiceRoleFor" + strings.ToUpper(service[:1]) + service[1:]
	}
	if suffix := s.text("customSuffix"); suffix != "" {
		name += "_" + suffix
	}
	return name
}

// serviceRoleFree: an account has a service's role once.
// https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateServiceLinkedRole.html
func serviceRoleFree(c *call) error {
	name := serviceRoleName(c.in())
	for _, other := range c.all(serviceLinkedRoleToken) {
		if other.ID != c.rec.ID && sameFold(other.State.text("name"), name) {
			return refuse("InvalidInput", "Service role name %s has been taken in this account, please try a different suffix.", name)
		}
	}
	return nil
}
