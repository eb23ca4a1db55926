package network

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// slow is an account that answers lookups of zones once the VPC is being created.
type slow struct {
	*account
	t       *testing.T
	once    sync.Once
	created chan struct{}
}

func (s *slow) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	if args.TypeToken == "aws:ec2/vpc:Vpc" {
		s.once.Do(func() { close(s.created) })
	}
	return s.account.NewResource(args)
}

func (s *slow) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	if strings.HasSuffix(args.Token, ":getZone") || strings.HasSuffix(args.Token, ":getAvailabilityZones") {
		select {
		case <-s.created:
		case <-time.After(20 * time.Second):
			s.t.Errorf("the VPC waits for %s", args.Token)
		}
	}
	return s.account.Call(args)
}

func TestTheVPCIsCreatedBesideTheLookupsOfZones(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers answers
		refused []string
	}{
		"both found": {answers{}, nil},
		"neither": {answers{"getZone example.com": nil, "getAvailabilityZones": {"names": []any{"us-east-1d"}, "zoneIds": []any{"use1-az1"}}},
			[]string{`zones[0]: "us-east-1a" is not a zone of the region`, `baseDomain: "example.com"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &slow{account: &account{lookups: goodAccount()}, t: t, created: make(chan struct{})}
			s.but(answers{"getCallerIdentity": {"accountId": "123456789012"}, "getRecords": {"resourceRecordSets": []any{map[string]any{
				"type": "SOA", "resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}})
			s.but(c.answers)
			err := pulumi.RunErr(func(ctx *pulumi.Context) error {
				_, err := NewGuestNetwork(ctx, "network", &GuestNetworkArgs{
					Cluster:        hypershift.Cluster{Name: "demo", InfraID: "demo-x1"},
					BaseDomain:     "example.com",
					EndpointAccess: hypershift.Public, Options: Options{Zones: []Zone{{Name: "us-east-1a"}}},
				})
				return err
			}, pulumi.WithMocks("hypershift-aws", "test", s))
			if len(c.refused) == 0 {
				require.NoError(t, err)
				return
			}
			for _, words := range c.refused {
				require.ErrorContains(t, err, words)
			}
			for _, made := range s.made {
				require.NotContains(t, made, "aws:ec2/subnet", "what depends on the zones waits for them")
			}
		})
	}
}

// TestZonesAndTheInternetGatewayAreRegisteredBeforeSubnets: a HostedCluster waits for the zones, and NAT gateways for
// the internet gateway.
func TestZonesAndTheInternetGatewayAreRegisteredBeforeSubnets(t *testing.T) {
	t.Parallel()
	var mutex sync.Mutex
	var registered []string
	watch := pulumi.Transformations([]pulumi.ResourceTransformation{
		func(args *pulumi.ResourceTransformationArgs) *pulumi.ResourceTransformationResult {
			mutex.Lock()
			defer mutex.Unlock()
			registered = append(registered, args.Name)
			return nil
		},
	})
	a := &account{lookups: goodAccount()}
	a.but(answers{"getRecords": {"resourceRecordSets": []any{map[string]any{
		"type": "SOA", "resourceRecords": []any{map[string]any{"value": "ns. host. 1 7200 900 1209600 86400"}}}}}})
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := NewGuestNetwork(ctx, "network", &GuestNetworkArgs{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com",
			EndpointAccess: hypershift.PublicAndPrivate, Options: Options{Zones: []Zone{{Name: "us-east-1a"}}},
		}, watch)
		return err
	}, pulumi.WithMocks("hypershift-aws", "test", a)))
	place := func(name string) int { return slices.Index(registered, name) }
	for _, early := range []string{"network-private-zone", "network-local-zone", "network-igw"} {
		require.Positive(t, place(early), registered)
		require.Less(t, place(early), place("network-private-us-east-1a"), early)
		require.Less(t, place(early), place("network-public-us-east-1a"), early)
	}
}
