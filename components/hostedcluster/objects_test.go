package hostedcluster_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

func build(t *testing.T, s *hostedcluster.Settings, site *hostedcluster.Site) *hostedcluster.Objects {
	t.Helper()
	objects, err := s.Objects(site)
	require.NoError(t, err)
	return objects
}

func TestEveryZoneHasANodePoolWhereNoneIsGiven(t *testing.T) {
	t.Parallel()
	pools := build(t, settings(), site()).NodePools
	require.Len(t, pools, 2)
	for i, zone := range site().Zones {
		assert.Equal(t, "acme-"+zone.Name, at(pools[i], "metadata", "name"))
		assert.Equal(t, zone.SubnetID, at(pools[i], "spec", "platform", "aws", "subnet", "id"))
		assert.Equal(t, "m5.large", at(pools[i], "spec", "platform", "aws", "instanceType"))
		assert.Equal(t, int64(2), at(pools[i], "spec", "replicas"))
	}
}

func TestAnEmptyListCreatesNoNodePool(t *testing.T) {
	t.Parallel()
	s := settings()
	s.NodePools = []hostedcluster.NodePool{}
	assert.Empty(t, build(t, s, site()).NodePools)
}

func TestANodePoolHasAllConfiguredFields(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Release = "quay.io/openshift-release-dev/ocp-release:4.19.0-multi"
	s.NodePools = []hostedcluster.NodePool{{
		Name: "spot", Zone: "us-east-1b", Arch: hostedcluster.ARM64, AutoScaling: &hostedcluster.AutoScaling{Min: 1, Max: 5},
		RootVolume: &hostedcluster.RootVolume{
			SizeGiB:   200,
			Type:      "io1",
			IOPS:      4000,
			KMSKeyARN: pulumi.String("arn:aws:kms:us-east-1:123456789012:key/k"),
		},
		Labels: map[string]string{"role": "batch"}, Taints: []hostedcluster.Taint{{Key: "batch", Effect: "NoSchedule"}},
		Spot: &hostedcluster.Spot{MaxPrice: "0.07"}, Spec: map[string]any{"nodeDrainTimeout": "10m"},
	}, {
		Name: "reserved", CapacityReservation: &hostedcluster.CapacityReservation{ID: pulumi.String("cr-0123456789abcdef0")},
		Tenancy: "dedicated",
	}}
	pools := build(t, s, site()).NodePools
	assert.Equal(t, map[string]any{
		"arch": "arm64", "clusterName": "acme", "nodeDrainTimeout": "10m0s",
		"autoScaling": map[string]any{"min": int64(1), "max": int64(5)},
		"management":  map[string]any{"autoRepair": true, "upgradeType": "Replace"},
		"nodeLabels":  map[string]any{"role": "batch"},
		"taints":      []any{map[string]any{"key": "batch", "effect": "NoSchedule"}},
		"release":     map[string]any{"image": s.Release},
		"platform": map[string]any{"type": "AWS", "aws": map[string]any{
			"instanceProfile": "acme-x7k2p-worker", "instanceType": "m6g.large",
			"subnet": map[string]any{"id": "subnet-0bbbbbbbbbbbbbbbb"},
			"rootVolume": map[string]any{
				"size":          int64(200),
				"type":          "io1",
				"iops":          int64(4000),
				"encryptionKey": "arn:aws:kms:us-east-1:123456789012:key/k",
			},
			"placement": map[string]any{"marketType": "Spot", "spot": map[string]any{"maxPrice": "0.07"}},
		}},
	}, pools[0]["spec"])
	assert.Equal(t, map[string]any{
		"capacityReservation": map[string]any{"id": "cr-0123456789abcdef0"}, "tenancy": "dedicated",
	}, at(pools[1], "spec", "platform", "aws", "placement"))
}

func TestTheQueueOfInterruptionsIsInThePlatform(t *testing.T) {
	t.Parallel()
	where := site()
	require.Nil(t, at(build(t, settings(), where).HostedCluster, "spec", "platform", "aws", "terminationHandlerQueueURL"))
	where.InterruptionQueueURL = "https://sqs.us-east-1.amazonaws.com/123456789012/acme-x7k2p-interruptions"
	require.Equal(t, where.InterruptionQueueURL,
		at(build(t, settings(), where).HostedCluster, "spec", "platform", "aws", "terminationHandlerQueueURL"))
}

func TestServicesFollowEndpointAccessAndExternalDNS(t *testing.T) {
	t.Parallel()
	route := func(host string) map[string]any {
		strategy := map[string]any{"type": "Route"}
		if host != "" {
			strategy["route"] = map[string]any{"hostname": host + "-acme.hcp.example.com"}
		}
		return strategy
	}
	loadBalancer := map[string]any{"type": "LoadBalancer"}
	for name, c := range map[string]struct {
		access hypershift.EndpointAccess
		domain string
		want   [4]map[string]any
	}{
		"public":  {hypershift.Public, "", [4]map[string]any{loadBalancer, route(""), route(""), route("")}},
		"private": {hypershift.Private, "", [4]map[string]any{loadBalancer, route(""), route(""), route("")}},
		"public with names": {hypershift.Public, "hcp.example.com",
			[4]map[string]any{route("api"), route("ignition"), route("konnectivity"), route("oauth")}},
		"both with names": {hypershift.PublicAndPrivate, "hcp.example.com",
			[4]map[string]any{route("api"), route(""), route(""), route("oauth")}},
		"private with names": {hypershift.Private, "hcp.example.com",
			[4]map[string]any{route("api"), route(""), route(""), route("oauth")}},
		"both without such names": {hypershift.PublicAndPrivate, "",
			[4]map[string]any{loadBalancer, route(""), route(""), route("")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := settings()
			s.EndpointAccess, s.ExternalDNSDomain = c.access, c.domain
			var want []any
			for i, service := range []string{"APIServer", "Ignition", "Konnectivity", "OAuthServer"} {
				want = append(want, map[string]any{"service": service, "servicePublishingStrategy": c.want[i]})
			}
			assert.Equal(t, want, at(build(t, s, site()).HostedCluster, "spec", "services"))
		})
	}
}

func TestThePrefixOfTheBaseDomainIsOmittedNoneOrGiven(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]any{"": nil, "none": "", "stage": "stage"} {
		s := settings()
		s.BaseDomainPrefix = prefix
		assert.Equal(t, want, at(build(t, s, site()).HostedCluster, "spec", "dns", "baseDomainPrefix"), prefix)
	}
}

func TestEtcdIsEncryptedByTheKMSKeyOrByAKeyInASecret(t *testing.T) {
	t.Parallel()
	objects := build(t, settings(), site())
	assert.Equal(t, "acme-etcd-encryption-key",
		at(objects.HostedCluster, "spec", "secretEncryption", "aescbc", "activeKey", "name"))
	assert.Len(t, objects.Secrets, 2)

	with := site()
	with.KMSKeyARN, with.Roles[iam.RoleKMSProvider] = "arn:aws:kms:us-east-1:123456789012:key/k", account+"kms-provider"
	objects = build(t, settings(), with)
	assert.Equal(t, map[string]any{
		"region": "us-east-1", "activeKey": map[string]any{"arn": with.KMSKeyARN},
		"auth": map[string]any{"awsKms": with.Roles[iam.RoleKMSProvider]},
	}, at(objects.HostedCluster, "spec", "secretEncryption", "kms", "aws"))
	assert.Len(t, objects.Secrets, 1)
}

func TestTheObjectHasASharedVPCsRolesAndZoneAndItsRoleMayConnect(t *testing.T) {
	t.Parallel()
	shared := site()
	shared.SharedVPC = &hostedcluster.SharedVPC{
		IngressARN: "arn:aws:iam::222222222222:role/r53", ControlPlaneARN: "arn:aws:iam::222222222222:role/vpce",
		LocalZoneID: "Z0000000LOCAL",
	}
	s := settings()
	s.AdditionalAllowedPrincipals = input.Strings("arn:aws:iam::333333333333:root")
	platform, _ := at(build(t, s, shared).HostedCluster, "spec", "platform", "aws").(map[string]any)
	assert.Equal(t, map[string]any{
		"rolesRef": map[string]any{
			"ingressARN":      "arn:aws:iam::222222222222:role/r53",
			"controlPlaneARN": "arn:aws:iam::222222222222:role/vpce",
		},
		"localZoneID": "Z0000000LOCAL",
	}, platform["sharedVPC"])
	assert.Equal(t, []any{"arn:aws:iam::222222222222:role/vpce", "arn:aws:iam::333333333333:root"},
		platform["additionalAllowedPrincipals"])
}

func TestTheConfiguredSpecIsMergedLastAndValidated(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Spec = map[string]any{
		"autoscaling": map[string]any{"maxNodesTotal": int64(10)},
		"etcd": map[string]any{"managed": map[string]any{"storage": map[string]any{
			"persistentVolume": map[string]any{"storageClassName": nil},
		}}},
	}
	cluster := build(t, s, site()).HostedCluster
	assert.Equal(t, int64(10), at(cluster, "spec", "autoscaling", "maxNodesTotal"))
	assert.Equal(t, map[string]any{"size": "8Gi"}, at(cluster, "spec", "etcd", "managed", "storage", "persistentVolume"))

	s.Spec = map[string]any{"autoscaling": map[string]any{"expanders": []any{"Luck"}}}
	_, err := s.Objects(site())
	require.ErrorContains(t, err, `spec.autoscaling.expanders[0]: "Luck" is refused by HyperShift's API: unsupported value`)
	s.Spec = map[string]any{"autoscalling": map[string]any{}}
	assert.Contains(t, build(t, s, site()).HostedCluster["spec"], "autoscalling", "a later version may have it")
}

func TestASpecOfAGoProgramMergesAsThatOfAFile(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Spec = map[string]any{
		"networking":  map[string]any{"clusterNetwork": []map[string]any{{"cidr": "10.140.0.0/14", "hostPrefix": 23}}},
		"autoscaling": map[string]int{"maxNodesTotal": 12},
	}
	s.NodePools = []hostedcluster.NodePool{{Zone: "us-east-1a", Spec: map[string]any{"replicas": 4}}}
	assert.Equal(t, []string{"10.140.0.0/14"}, s.Networks().ClusterCIDRs)
	objects := build(t, s, site())
	spec := objects.HostedCluster["spec"].(map[string]any)
	assert.Equal(t, map[string]any{"maxNodesTotal": int64(12)}, spec["autoscaling"])
	assert.Equal(t, int64(4), objects.NodePools[0]["spec"].(map[string]any)["replicas"])
	s.NodePools[0].Spec["replicas"] = func() {}
	_, err := s.Objects(site())
	faults := fault.In(err)
	require.Len(t, faults, 1, "%v", err)
	assert.Equal(t, "nodePools[0].spec.replicas", faults[0].Path)
}

func TestEveryFaultIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Release, s.ControllerAvailability, s.ClusterCIDRs, s.EtcdStorageSize, s.AutoNode = "", "Often",
		[]string{"10.132.0.1/14"}, "much", true
	three := 3
	s.NodePools = []hostedcluster.NodePool{
		{
			Name:        "a",
			Zone:        "us-east-1z",
			Arch:        "sparc",
			UpgradeType: "Never",
			Replicas:    &three,
			AutoScaling: &hostedcluster.AutoScaling{},
		},
		{Name: "a"},
	}
	_, err := s.Objects(site())
	var paths []string
	for _, f := range fault.In(err) {
		paths = append(paths, f.Path)
	}
	assert.ElementsMatch(t, []string{
		"release", "controllerAvailability", "clusterCIDRs[0]", "etcdStorageSize", "autoNode", "nodePools[0].zone",
		"nodePools[0].arch",
		"nodePools[0].upgradeType", "nodePools[0].autoScaling", "nodePools[1].name",
	}, paths)
}

func TestHyperShiftsErrorsAreReportedByThePathOfTheSettingOrTheObject(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Capabilities = &hostedcluster.Capabilities{Disabled: []string{"Ingress"}}
	s.NodePools = []hostedcluster.NodePool{{RootVolume: &hostedcluster.RootVolume{SizeGiB: 1}}}
	_, err := s.Objects(site())
	require.ErrorContains(t, err, "capabilities.disabled is refused by HyperShift's API: Ingress capability can only be disabled if Console capability is also disabled")
	require.ErrorContains(t, err, "nodePools[0].rootVolume.sizeGiB: \"1\" is refused by HyperShift's API: should be greater than or equal to 8")

	s.Spec = map[string]any{"capabilities": map[string]any{"disabled": []any{"Ingress"}}}
	_, err = s.Objects(site())
	require.ErrorContains(t, err, "spec.capabilities.disabled is refused", "the value is set there")

	overlapping := site()
	overlapping.MachineCIDRs = []string{"172.31.0.0/16"}
	_, err = settings().Objects(overlapping)
	require.ErrorContains(t, err, `serviceCIDRs[0]: "172.31.0.0/16" overlaps 172.31.0.0/16, a machine network`)
}

func TestMoreTagsThanHyperShiftAllowsAreRefused(t *testing.T) {
	t.Parallel()
	s := settings()
	s.ResourceTags = map[string]string{}
	for c := 'a'; c < 'a'+24; c++ {
		s.ResourceTags[string(c)] = "x"
	}
	_, err := s.Objects(site())
	require.ErrorContains(t, err, `resourceTags: "25" is the number of tags together with the cluster's own; use at most 24`)
}

func TestTheListOfResourceTagsAlwaysEndsWithTheOwnersTag(t *testing.T) {
	t.Parallel()
	owner := map[string]any{"key": "kubernetes.io/cluster/acme-x7k2p", "value": "owned"}
	tag := func(key, value string) map[string]any { return map[string]any{"key": key, "value": value} }
	tags := func(s *hostedcluster.Settings) any {
		return at(build(t, s, site()).HostedCluster, "spec", "platform", "aws", "resourceTags")
	}
	s := settings()
	s.Cluster.Tags = nil
	assert.Equal(t, []any{owner}, tags(s), "without any other")
	s.Cluster.Tags, s.ResourceTags = map[string]string{"team": "platform"}, map[string]string{"zeta": "1", "alpha": "2"}
	assert.Equal(t, []any{tag("alpha", "2"), tag("team", "platform"), tag("zeta", "1"), owner}, tags(s))
	s.Spec = map[string]any{
		"platform": map[string]any{"aws": map[string]any{"resourceTags": []any{tag("given", "whole")}}},
	}
	assert.Equal(t, []any{tag("given", "whole"), owner}, tags(s), "where spec gives the list")
}

func TestDurationsQuantitiesAndNetworksAreInHyperShiftsFormat(t *testing.T) {
	t.Parallel()
	s := settings()
	s.EtcdStorageSize = "8192Mi"
	s.Spec = map[string]any{
		"networking": map[string]any{
			"clusterNetwork": []any{map[string]any{"cidr": "10.132.0.0/14"}, map[string]any{
				"cidr":       "fd01:0::/48",
				"hostPrefix": int64(64),
			}},
			"serviceNetwork": []any{map[string]any{"cidr": "172.31.0.0/16"}, map[string]any{"cidr": "fd02::/112"}},
		},
	}
	s.NodePools = []hostedcluster.NodePool{{Zone: "us-east-1a", Spec: map[string]any{
		"nodeDrainTimeout": "90m", "nodeVolumeDetachTimeout": "3600s",
		"management": map[string]any{"autoRepair": true, "upgradeType": "Replace"},
	}}}
	objects := build(t, s, site())
	assert.Equal(t, "8Gi", at(objects.HostedCluster, "spec", "etcd", "managed", "storage", "persistentVolume", "size"))
	network := at(objects.HostedCluster, "spec", "networking", "clusterNetwork").([]any)[1].(map[string]any)
	assert.Equal(t, "fd01::/48", network["cidr"])
	assert.Equal(t, int64(64), network["hostPrefix"], "other values than strings are unchanged")
	assert.Equal(t, "1h30m0s", at(objects.NodePools[0], "spec", "nodeDrainTimeout"))
	assert.Equal(t, "1h0m0s", at(objects.NodePools[0], "spec", "nodeVolumeDetachTimeout"))
}

func TestEachReleaseOfTheSettingsIsAPullSpec(t *testing.T) {
	t.Parallel()
	s := settings()
	s.Release = "4.22.5"
	s.NodePools = []hostedcluster.NodePool{{Name: "pool", Zone: "us-east-1b", Release: "nonsense"}}
	s.Spec = map[string]any{"controlPlaneRelease": map[string]any{"image": "latest"}}
	var paths []string
	_, err := s.Objects(site())
	for _, f := range fault.In(err) {
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{"release", "spec.controlPlaneRelease.image", "nodePools[0].release"}, paths)
}
