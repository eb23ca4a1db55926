package hostedcluster_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
)

func TestNamesAreJudgedAsHyperShiftComposesThem(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, test := range map[string]struct {
		change func(*hostedcluster.Settings)
		path   string
		remedy string
	}{
		"namespace and name": {func(s *hostedcluster.Settings) { s.Cluster.Name = long(55) }, "namespace",
			"use a cluster's name of at most 54 characters, or a shorter namespace"},
		"a long namespace": {func(s *hostedcluster.Settings) { s.Namespace = long(60) }, "namespace",
			"use a cluster's name of at most 2 characters, or a shorter namespace"},
		"a service's name": {func(s *hostedcluster.Settings) {
			s.Cluster.Name, s.Namespace, s.ExternalDNSDomain = long(51), "c", "hcp.example.com"
		}, "externalDNSDomain", "use a cluster's name of at most 50 characters, or set the hostname in spec.services"},
		"a pool": {func(s *hostedcluster.Settings) { s.NodePools = []hostedcluster.NodePool{{Name: long(64)}} },
			"nodePools[0].name", "use a name of at most 63 characters"},
		"a label": {func(s *hostedcluster.Settings) {
			s.NodePools = []hostedcluster.NodePool{{Labels: map[string]string{long(32): "x"}}}
		}, "nodePools[0].labels[" + long(32) + "]",
			"use a key of at most 31 characters, or one with a prefix, such as example.com/NAME"},
	} {
		s := settings()
		test.change(s)
		_, err := s.Objects(site())
		found := fault.In(err)
		require.NotEmpty(t, found, name)
		require.Equal(t, test.path, found[0].Path, name)
		require.Equal(t, test.remedy, found[0].Remedy, name)
	}
	s := settings()
	s.Cluster.Name = long(54)
	s.NodePools = []hostedcluster.NodePool{{
		Name:   long(63),
		Labels: map[string]string{long(31): "x", "example.com/" + long(60): "x"},
	}}
	_, err := s.Objects(site())
	require.NoError(t, err)
}

func TestAPoolsTagWithTheKeyOfAClustersTagHasNoEffect(t *testing.T) {
	t.Parallel()
	s := settings()
	s.NodePools = []hostedcluster.NodePool{{ResourceTags: map[string]string{"team": "b", "cost": "1"}}}
	cluster := map[string]string{"team": "a"}
	found := fault.In(s.OverriddenPoolTags(cluster))
	require.Len(t, found, 1)
	require.Equal(t, "nodePools[0].resourceTags[team]", found[0].Path)
	s.Spec = map[string]any{"platform": map[string]any{"aws": map[string]any{"resourceTags": []any{
		map[string]any{"key": "team", "value": "a", "overridePolicy": "Allow"},
	}}}}
	require.NoError(t, s.OverriddenPoolTags(cluster))
}
