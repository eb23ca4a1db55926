package hypershift

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

func demo() Cluster {
	return Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}
}

func TestResourcesHaveTheTagsThatHyperShiftSearchesFor(t *testing.T) {
	t.Parallel()
	own := map[string]string{
		"kubernetes.io/cluster/demo-x1":        "owned",
		"hypershift.openshift.io/infra-id":     "demo-x1",
		"hypershift.openshift.io/cluster-name": "demo",
		"team":                                 "platform",
	}
	with := func(more ...string) map[string]string {
		tags := map[string]string{}
		for k, v := range own {
			tags[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			tags[more[i]] = more[i+1]
		}
		return tags
	}
	require.Equal(t, with("Name", "demo-x1-vpc"), demo().EC2Tags("demo-x1-vpc"))
	require.Equal(t, own, demo().EC2Tags(""))
	require.Equal(t, own, demo().ZoneTags())
	require.Equal(t, with("Name", "n", "kubernetes.io/role/internal-elb", "1", "karpenter.sh/discovery", "demo-x1"),
		demo().PrivateSubnetTags("n"))
	require.Equal(t, with("Name", "n", "kubernetes.io/role/elb", "1"), demo().PublicSubnetTags("n"))
	require.Equal(t, with("Name", "n", "kubernetes.io/role/elb", "1", "karpenter.sh/discovery", "demo-x1"),
		demo().PublicOnlySubnetTags("n"))
	require.Equal(t, map[string]string{
		"hypershift.openshift.io/infra-id": "demo-x1",
		"team":                             "platform",
	}, demo().IAMTags())
}

func TestZoneNamesFollowThePrefix(t *testing.T) {
	t.Parallel()
	require.Equal(t, "demo.example.com", demo().ZoneName("", "example.com"))
	require.Equal(t, "blue.example.com", demo().ZoneName("blue", "example.com"))
	require.Equal(t, "example.com", demo().ZoneName(NoPrefix, "example.com"))
	require.Equal(t, "demo.hypershift.local", demo().LocalZoneName())
}

func TestAnIdentityThatAWSOrHyperShiftRefusesIsRefused(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 25 {
		many[fmt.Sprintf("k%d", i)] = "v"
	}
	for want, change := range map[string]func(*Cluster){
		"name is missing":                func(c *Cluster) { c.Name = "" },
		`name: "-a" is not a DNS label`:  func(c *Cluster) { c.Name = "-a" },
		`name: "a.b" is not a DNS label`: func(c *Cluster) { c.Name = "a.b" },
		"infraID is missing":             func(c *Cluster) { c.InfraID = "" },
		"is too long (33 characters)":    func(c *Cluster) { c.InfraID = strings.Repeat("a", 33) },
		`infraID: "A" does not match`:    func(c *Cluster) { c.InfraID = "A" },
		`tags: "25" are more tags`:       func(c *Cluster) { c.Tags = many },
		`tags[x]: "" has 0 characters`:   func(c *Cluster) { c.Tags = map[string]string{"x": ""} },
		"has 257 characters":             func(c *Cluster) { c.Tags = map[string]string{"x": strings.Repeat("v", 257)} },
		"is a key of 129 characters":     func(c *Cluster) { c.Tags = map[string]string{strings.Repeat("k", 129): "v"} },
		"is a key with characters":       func(c *Cluster) { c.Tags = map[string]string{"a b": "v"} },
		"is a key that AWS reserves":     func(c *Cluster) { c.Tags = map[string]string{"AWS:x": "v"} },
		"that is set automatically": func(c *Cluster) {
			c.Tags = map[string]string{"kubernetes.io/cluster/other": "owned"}
		},
	} {
		c := demo()
		change(&c)
		err := c.Validate()
		require.ErrorContains(t, err, want)
		require.Len(t, fault.In(err), 1, want)
	}
	require.NoError(t, demo().Validate())
}

func TestDomainsAreLowerCaseNamesOfTwoLabelsOrMore(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"example.com", "a.b-c.example.com", "1.example.com"} {
		require.NoError(t, ValidateDomain(good), good)
	}
	for _, bad := range []string{"example", "Example.com", "example.com.", ".example.com", "a..b", "a_b.com", "-a.com",
		strings.Repeat("a", 64) + ".com"} {
		require.Error(t, ValidateDomain(bad), bad)
	}
}
