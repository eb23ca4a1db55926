package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInputsAreHeldAgainstTheSDKsStructs(t *testing.T) {
	t.Parallel()
	e := start(t)
	for _, c := range []struct {
		name, token string
		inputs      props
		property    string
		reason      string
	}{
		{"unknown", vpcToken, props{"cidrBlock": "10.0.0.0/16", "cidr": "x"}, "cidr", `An argument named "cidr" is not expected here. Examine values at 'it.cidr'.`},
		{"missing scalar", subnetToken, props{}, "vpcId", `Missing required argument. The argument "vpcId" is required`},
		{"missing list", oidcToken, props{"url": issuer}, "clientIdLists", `Missing required argument. The argument "clientIdLists" is required`},
		{"missing document", rolePolicyToken, props{"role": "r"}, "policy", `Missing required argument. The argument "policy" is required`},
		{"wrong scalar", vpcToken, props{"enableDnsSupport": "yes"}, "enableDnsSupport", `expected bool type, got "yes" of type string`},
		{"wrong number", recordToken, props{"zoneId": "Z", "name": "x", "type": "A", "ttl": "300", "records": list("x")}, "ttl", "expected number type"},
		{"list for a scalar", vpcToken, props{"cidrBlock": list("x")}, "cidrBlock", "expected string type"},
		{"scalar for a list", oidcToken, props{"url": issuer, "clientIdLists": "x"}, "clientIdLists", "expected array type"},
		{"wrong element", oidcToken, props{"url": issuer, "clientIdLists": []any{1.0}}, "clientIdLists", "Examine values at 'it.clientIdLists[0]'"},
		{"wrong tag", vpcToken, props{"tags": map[string]any{"a": 1.0}}, "tags", "Examine values at 'it.tags.a'"},
		{"missing in an element", zoneToken, props{"vpcs": []any{map[string]any{"vpcRegion": "x"}}}, "vpcs", "Examine values at 'it.vpcs[0].vpcId'"},
		{"unknown in an element", zoneToken, props{"vpcs": []any{map[string]any{"vpcId": "v", "id": "x"}}}, "vpcs", "Examine values at 'it.vpcs[0].id'"},
		{"not in an enum", vpcToken, props{"instanceTenancy": "shared"}, "instanceTenancy", `expected instanceTenancy to be one of ["default" "dedicated"], got shared`},
		{"no CIDR", vpcToken, props{"cidrBlock": "10.0.0.0"}, "cidrBlock", "is not a valid IPv4 CIDR block"},
		{"no network address", vpcToken, props{"cidrBlock": "10.0.0.1/16"}, "cidrBlock", `did you mean "10.0.0.0/16"?`},
		{"conflict", subnetToken, props{"vpcId": "v", "availabilityZone": "a", "availabilityZoneId": "b"}, "availabilityZoneId", `conflicts with "availabilityZone"`},
		{"neither alias nor records", recordToken, props{"zoneId": "Z", "name": "x", "type": "A", "ttl": 1.0}, "aliases", "one of `aliases,records` must be specified"},
	} {
		_, failures := e.check(c.token, c.inputs)
		require.Len(t, failures, 1, "%s: %v", c.name, failures)
		require.Equal(t, c.property, failures[0].GetProperty(), c.name)
		require.Contains(t, failures[0].GetReason(), c.reason, c.name)
	}
}

func TestWhatIsNotKnownYetPassesEveryCheck(t *testing.T) {
	t.Parallel()
	e := start(t)
	kinds := knownTypes().kinds
	for token, k := range kinds {
		inputs := props{}
		for name, f := range k.inputs {
			if f.required {
				inputs[name] = unknown{}
			}
		}
		for _, name := range k.required {
			inputs[name] = unknown{}
		}
		for _, group := range k.oneOf {
			inputs[group[0]] = unknown{}
		}
		checked := e.valid(token, inputs)
		for name := range inputs {
			require.Equal(t, unknown{}, checked[name], "%s.%s", token, name)
		}
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	e := start(t)
	checked := e.valid(vpcToken, props{"cidrBlock": "10.0.0.0/16"})
	require.Equal(t, props{"cidrBlock": "10.0.0.0/16", "enableDnsSupport": true, "instanceTenancy": "default",
		"tagsAll": map[string]any{}}, checked)
}

func TestANameThatIsLeftOutIsMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	e := start(t)
	first := e.valid(roleToken, props{"assumeRolePolicy": trustText})
	require.Regexp(t, `^it-[0-9a-f]{7}$`, first["name"])
	k := knownTypes().kinds[roleToken]
	again, failures := k.check(site{}, "it", []byte("another seed"), first, props{"assumeRolePolicy": trustText})
	require.Empty(t, failures)
	require.Equal(t, first["name"], again["name"])
	require.NotContains(t, e.valid(roleToken, props{"assumeRolePolicy": trustText, "namePrefix": "x-"}), "name")
}

func TestADocumentMayBeGivenAsAnObject(t *testing.T) {
	t.Parallel()
	checked := start(t).valid(roleToken, props{"name": "r", "assumeRolePolicy": map[string]any{"Version": "2012-10-17"}})
	require.Equal(t, `{"Version":"2012-10-17"}`, checked["assumeRolePolicy"])
}
