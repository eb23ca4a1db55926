package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
)

// crossCheck returns an error with all differences between the documents and the account.
func (s *Survey) crossCheck() error {
	var problems []string
	disagree := func(field, document, actual string) {
		if document != "" && document != actual {
			if actual == "" {
				actual = "nothing of that kind"
			}
			problems = append(problems, fmt.Sprintf("%s is %s, but the account has %s", field, document, actual))
		}
	}
	if d := s.Infra; d != nil {
		disagree("infraID of the infra document", d.InfraID, s.InfraID)
		disagree("region of the infra document", d.Region, s.Region)
		disagree("vpcID", d.VPCID, s.VPC.ID)
		disagree("machineCIDR", d.MachineCIDR, s.VPC.Text("cidrBlock"))
		for _, zone := range d.Zones {
			i := slices.IndexFunc(s.Subnets, func(r inventory.Resource) bool { return r.ID == zone.SubnetID })
			if i < 0 {
				disagree("the subnet of zone "+zone.Name, zone.SubnetID, "")
			} else {
				disagree("the zone of subnet "+zone.SubnetID, zone.Name, s.Subnets[i].Text("availabilityZone"))
			}
		}
		if zone, _ := s.privateZone(); !s.unread("hosted zone") {
			disagree("privateZoneID", d.PrivateZoneID, zone.ID)
		}
		if zone, _ := s.localZone(); !s.unread("hosted zone") {
			disagree("localZoneID", d.LocalZoneID, zone.ID)
		}
	}
	if d := s.IAM; d != nil {
		disagree("infraID of the IAM document", d.InfraID, s.InfraID)
		if !s.provider && !s.unread("OIDC provider") {
			disagree("issuerURL", d.IssuerURL, "")
		}
		for _, kind := range iam.RoleNames() {
			arn := d.RoleARNs()[kind]
			name := arn[strings.LastIndex(arn, "/")+1:]
			if role, there := s.roles[name]; arn != "" && !s.unread("IAM role") && (!there ||
				role.ARN != "" && role.ARN != arn) {
				disagree(string(kind)+"ARN", arn, role.ARN)
			}
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the documents and the account disagree about cluster %s:\n  %s", s.InfraID,
			strings.Join(problems, "\n  ")),
		Remedy: "use the documents and the account of this cluster, or leave the documents out: --infra-id and --region are enough",
	}
}

// unread reports whether a list of that label could not be read.
func (s *Survey) unread(label string) bool {
	return slices.ContainsFunc(s.Incomplete, func(text string) bool { return strings.HasPrefix(text, label+":") })
}
