package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

func TestInputsAreCheckedAgainstTheSDKsStructs(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		inputs      props.Map
		property    string
		reason      string
	}{
		{"unknown", awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "cidr": "x"}, "cidr", `An argument named "cidr" is not expected here. Examine values at 'it.cidr'.`},
		{"missing scalar", awstype.Subnet, props.Map{}, "vpcId", `Missing required argument. The argument "vpcId" is required`},
		{"missing list", awstype.OIDCProvider, props.Map{"url": issuer}, "clientIdLists", `Missing required argument. The argument "clientIdLists" is required`},
		{"missing document", awstype.RolePolicy, props.Map{"role": "r"}, "policy", `Missing required argument. The argument "policy" is required`},
		{"wrong scalar", awstype.VPC, props.Map{"enableDnsSupport": "yes"}, "enableDnsSupport", `expected bool type, got "yes" of type string`},
		{"wrong number", awstype.Record, props.Map{
			"zoneId":  "Z",
			"name":    "x",
			"type":    "A",
			"ttl":     "300",
			"records": props.List("x"),
		}, "ttl", "expected number type"},
		{"list for a scalar", awstype.VPC, props.Map{"cidrBlock": props.List("x")}, "cidrBlock", "expected string type"},
		{"scalar for a list", awstype.OIDCProvider, props.Map{
			"url":           issuer,
			"clientIdLists": "x",
		}, "clientIdLists", "expected array type"},
		{"wrong element", awstype.OIDCProvider, props.Map{
			"url":           issuer,
			"clientIdLists": []any{1.0},
		}, "clientIdLists", "Examine values at 'it.clientIdLists[0]'"},
		{"wrong tag", awstype.VPC, props.Map{"tags": map[string]any{"a": 1.0}}, "tags", "Examine values at 'it.tags.a'"},
		{"missing in an element", awstype.HostedZone, props.Map{
			"vpcs": []any{map[string]any{"vpcRegion": "x"}},
		}, "vpcs", "Examine values at 'it.vpcs[0].vpcId'"},
		{"unknown in an element", awstype.HostedZone, props.Map{
			"vpcs": []any{map[string]any{"vpcId": "v", "id": "x"}},
		}, "vpcs", "Examine values at 'it.vpcs[0].id'"},
		{"not in an enum", awstype.VPC, props.Map{"instanceTenancy": "shared"}, "instanceTenancy", `expected instanceTenancy to be one of ["default" "dedicated"], got shared`},
		{"no CIDR", awstype.VPC, props.Map{"cidrBlock": "10.0.0.0"}, "cidrBlock", "is not a valid IPv4 CIDR block"},
		{"no network address", awstype.VPC, props.Map{"cidrBlock": "10.0.0.1/16"}, "cidrBlock", `did you mean "10.0.0.0/16"?`},
		{"conflict", awstype.Subnet, props.Map{"vpcId": "v", "availabilityZone": "a", "availabilityZoneId": "b"}, "availabilityZoneId", `conflicts with "availabilityZone"`},
		{"neither alias nor records", awstype.Record, props.Map{
			"zoneId": "Z",
			"name":   "x",
			"type":   "A",
			"ttl":    1.0,
		}, "aliases", "one of `aliases,records` must be specified"},
	} {
		_, failures := e.check(c.token, c.inputs)
		require.Len(t, failures, 1, "%s: %v", c.name, failures)
		require.Equal(t, c.property, failures[0].GetProperty(), c.name)
		require.Contains(t, failures[0].GetReason(), c.reason, c.name)
	}
}

func TestUnknownValuesPassEveryCheck(t *testing.T) {
	t.Parallel()
	e := start(t)
	kinds := catalogue().Kinds
	for token, k := range kinds {
		inputs := props.Map{}
		for name, f := range k.Inputs {
			if f.Required {
				inputs[name] = props.Unknown{}
			}
		}
		for _, name := range k.Required {
			inputs[name] = props.Unknown{}
		}
		for _, group := range k.ExactlyOneOf {
			inputs[group[0]] = props.Unknown{}
		}
		checked := e.valid(token, inputs)
		for name := range inputs {
			require.Equal(t, props.Unknown{}, checked[name], "%s.%s", token, name)
		}
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	e := start(t)
	checked := e.valid(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16"})
	require.Equal(t, props.Map{"cidrBlock": "10.0.0.0/16", "enableDnsSupport": true,
		"tagsAll": map[string]any{}}, checked)
}

func TestAnOmittedNameIsGeneratedOnceAndKept(t *testing.T) {
	t.Parallel()
	e := start(t)
	first := e.valid(awstype.Role, props.Map{"assumeRolePolicy": trustText})
	require.Regexp(t, `^it-[0-9a-f]{7}$`, first["name"])
	k := catalogue().Kinds[awstype.Role]
	again, failures := k.Check(aws.Site{}, "it", []byte("another seed"), first, props.Map{"assumeRolePolicy": trustText})
	require.Empty(t, failures)
	require.Equal(t, first["name"], again["name"])
	require.NotContains(t, e.valid(awstype.Role, props.Map{"assumeRolePolicy": trustText, "namePrefix": "x-"}), "name")
}

func TestADocumentMayBeGivenAsAnObject(t *testing.T) {
	t.Parallel()
	checked := start(t).valid(awstype.Role, props.Map{
		"name":             "r",
		"assumeRolePolicy": map[string]any{"Version": "2012-10-17"},
	})
	require.Equal(t, `{"Version":"2012-10-17"}`, checked["assumeRolePolicy"])
}
