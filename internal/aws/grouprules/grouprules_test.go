package grouprules

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

func TestUncoveredPartsOfANetwork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cidr   string
		others []string
		rest   []string
	}{
		{"10.0.0.0/20", nil, []string{"10.0.0.0/20"}},
		{"10.0.0.0/20", []string{"10.0.0.0/16"}, nil},
		{"10.0.0.0/20", []string{"10.0.0.0/21", "10.0.8.0/21"}, nil},
		{"10.0.0.0/20", []string{"10.0.0.0/21"}, []string{"10.0.8.0/21"}},
		{"10.0.0.0/22", []string{"10.0.1.0/24"}, []string{"10.0.0.0/24", "10.0.2.0/23"}},
		{"10.0.0.0/20", []string{"10.1.0.0/16", "not known yet"}, []string{"10.0.0.0/20"}},
		{"0.0.0.0/0", []string{"0.0.0.0/1", "128.0.0.0/1"}, nil},
		{"0.0.0.0/0", []string{"::/0"}, []string{"0.0.0.0/0"}},
		{"10.0.0.1/32", []string{"10.0.0.0/24"}, nil},
		{"2001:db8::/56", []string{"2001:db8::/57"}, []string{"2001:db8:0:80::/57"}},
	} {
		rest, known := Uncovered(test.cidr, test.others)
		require.True(t, known)
		require.Equal(t, test.rest, rest, test.cidr)
	}
	_, known := Uncovered("vpc-1's", nil)
	require.False(t, known)
}

func TestRulesAdmitTogether(t *testing.T) {
	t.Parallel()
	rule := func(protocol string, from, to int, more props.Map) props.Map {
		more["ipProtocol"], more["fromPort"], more["toPort"] = protocol, float64(from), float64(to)
		return more
	}
	half := func(cidr string) props.Map { return rule("tcp", 443, 443, props.Map{"cidrIpv4": cidr}) }
	lists := func(id string) []string { return map[string][]string{"pl-1": {"10.0.8.0/21"}}[id] }
	list := rule("tcp", 0, 65535, props.Map{"prefixListId": "pl-1"})
	peer := rule("-1", 0, 0, props.Map{"referencedSecurityGroupId": "sg-1"})
	for name, test := range map[string]struct {
		rules   []props.Map
		traffic Traffic
		want    bool
	}{
		"one half":             {[]props.Map{half("10.0.0.0/21")}, TCP(443), false},
		"two halves":           {[]props.Map{half("10.0.0.0/21"), half("10.0.8.0/21")}, TCP(443), true},
		"a half and a list":    {[]props.Map{half("10.0.0.0/21"), list}, TCP(443), true},
		"another port":         {[]props.Map{half("10.0.0.0/16")}, TCP(6443), false},
		"the clients' group":   {[]props.Map{peer}, TCP(443), true},
		"a protocol by number": {[]props.Map{rule("4", 0, 0, props.Map{"cidrIpv4": "10.0.0.0/16"})}, Traffic{Protocol: "4"}, true},
		"all of ICMP": {
			[]props.Map{rule("icmp", -1, -1, props.Map{"cidrIpv4": "10.0.0.0/16"})}, Traffic{"1", 8, 0}, true,
		},
		"another protocol": {[]props.Map{rule("udp", 443, 443, props.Map{"cidrIpv4": "10.0.0.0/16"})}, TCP(443), false},
	} {
		require.Equal(t, test.want, Admit(test.rules, test.traffic, lists, "10.0.0.0/20", []string{"sg-1"}), name)
	}
}
