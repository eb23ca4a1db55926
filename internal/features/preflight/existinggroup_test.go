package preflight

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/capa"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// existingGroups returns the four groups of a cluster of Cluster API as a file names them, and an account in which they
// have the rules that the stack would create.
func existingGroups() (*ExistingParts, parts) {
	of := func(role capa.Role) []string {
		if role == capa.ControlPlane || role == capa.Node {
			return []string{"sg-" + string(role), "sg-lb"}
		}
		return []string{"sg-" + string(role)}
	}
	given := &ExistingParts{Place: here}
	in := parts{
		byType: map[string][]inventory.Resource{
			awstype.VPC: {{Type: awstype.VPC, ID: "vpc-1", Properties: map[string]any{"cidrBlock": "10.0.0.0/16"}}},
		},
	}
	for _, role := range capa.Roles() {
		existing := config.Existing{Kind: config.ExistingSecurityGroup, Name: "sg-" + string(role), VPC: "vpc-1"}
		in.byType[awstype.SecurityGroup] = append(in.byType[awstype.SecurityGroup],
			inventory.Resource{Type: awstype.SecurityGroup, ID: existing.Name, Properties: map[string]any{"vpcId": "vpc-1"}})
		for i, rule := range capa.GroupRules(nil) {
			if rule.Role != role {
				continue
			}
			existing.Rules = append(existing.Rules, config.GroupRule{
				GroupRule: rule,
				Groups:    of(rule.Role),
				Sources:   of(rule.Source),
			})
			in.byType[awstype.SecurityGroupIngressRule] = append(in.byType[awstype.SecurityGroupIngressRule], inventory.Resource{
				Type: awstype.SecurityGroupIngressRule, ID: fmt.Sprint("sgr-", i),
				Properties: map[string]any{"securityGroupId": existing.Name, "ipProtocol": rule.Protocol,
					"fromPort": float64(rule.FromPort), "toPort": float64(rule.ToPort),
					"referencedSecurityGroupId": "sg-" + string(rule.Source)}})
		}
		given.Parts = append(given.Parts, existing)
	}
	return given, in
}

// TestExistingGroupsAreComparedWithWhatMachinesNeedFromEachOther: without any one of the rules the comparison names it
// and what does not work, and with another rule that accepts the same traffic it names nothing.
func TestExistingGroupsAreComparedWithWhatMachinesNeedFromEachOther(t *testing.T) {
	t.Parallel()
	compare := func(given *ExistingParts, in parts) []string {
		var lines []string
		for _, f := range RunExisting(t.Context(), Plan{Given: given}, Accounts{here: in}).Findings {
			lines = append(lines, fmt.Sprintf("%s %s: %s", f.Severity.Verdict(), f.Subject, f.Problem))
		}
		return lines
	}
	given, in := existingGroups()
	require.Empty(t, compare(given, in))
	rules := in.byType[awstype.SecurityGroupIngressRule]
	require.Greater(t, len(rules), 10)
	instead := func(i int, properties map[string]any) []string {
		given, in := existingGroups()
		rule := &in.byType[awstype.SecurityGroupIngressRule][i]
		rule.Properties["referencedSecurityGroupId"] = ""
		for name, value := range properties {
			rule.Properties[name] = value
		}
		return compare(given, in)
	}
	for i, rule := range rules {
		require.Len(t, instead(i, nil), 1, "%v", rule.Properties)
		require.Empty(t, instead(i, map[string]any{"cidrIpv4": "10.0.0.0/8", "ipProtocol": "-1"}), "every packet of the VPC")
		require.Len(t, instead(i, map[string]any{"cidrIpv4": "10.0.128.0/17"}), 1, "half of the VPC")
		require.Empty(t, instead(i, map[string]any{
			"prefixListId":    "pl-1",
			"securityGroupId": rule.Text("securityGroupId"),
			"cidrIpv4":        "0.0.0.0/0",
		}))
	}
	api := slices.IndexFunc(rules, func(r inventory.Resource) bool {
		return r.Properties["fromPort"] == float64(capa.APIPort)
	})
	require.Equal(t, []string{"fails security group sg-controlplane: does not accept Kubernetes API (tcp 6443) of sg-apiserver-lb: the API server is not reached"}, instead(api, nil))
	kubelet := slices.IndexFunc(rules, func(r inventory.Resource) bool { return r.Properties["fromPort"] == 10250.0 })
	require.Equal(t, []string{"warns security group sg-node: does not accept Kubelet API (tcp 10250) of sg-controlplane: logs, exec, and metrics of pods fail"}, instead(kubelet, nil))
	require.Empty(t, instead(kubelet, map[string]any{
		"securityGroupId":           "sg-lb",
		"referencedSecurityGroupId": "sg-lb",
	}), "machines are in the group of role lb too")
}

func TestANetworkInsideTheClusterIsNotThatOfTheVPC(t *testing.T) {
	t.Parallel()
	p, in := whole(t)
	p.Given.Network.Reserved = (&config.Cluster{}).Network.ClusterNetworks.Reserved()
	in.byType[awstype.VPC][0].Properties["cidrBlock"] = "172.31.0.0/16"
	findings := RunExisting(t.Context(), p, Accounts{p.Given.Place: in}).Findings
	require.Len(t, findings, 1)
	require.Equal(t, finding.Error, findings[0].Severity)
	require.Contains(t, findings[0].Problem,
		"has the CIDR 172.31.0.0/16, which overlaps 172.31.0.0/16, the service network")
}
