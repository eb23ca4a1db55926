package network

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
)

// account is a mock of the engine and of AWS: it answers lookups from its records, and records what is created.
type account struct {
	// lookups are the answers, by the function's last word and the ID, name or tags of the lookup: an answer
	// by the function alone is for all.
	lookups map[string]map[string]any

	mutex sync.Mutex
	made  []string
	// inputs are those of the resources, by type and name.
	inputs map[string]resource.PropertyMap
}

var _ pulumi.MockResourceMonitor = (*account)(nil)

func (a *account) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if args.Custom {
		name := args.TypeToken + " " + args.Name
		if a.inputs == nil {
			a.inputs = map[string]resource.PropertyMap{}
		}
		a.made, a.inputs[name] = append(a.made, name), args.Inputs
	}
	return args.Name + "-id", args.Inputs, nil
}

func (a *account) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	function := args.Token[lastColon(args.Token)+1:]
	given := args.Args.Mappable()
	keys := []string{}
	for _, key := range []string{"id", "subnetId", "routeTableId", "dhcpOptionsId", "zoneId", "name", "serviceName"} {
		if value, ok := given[key].(string); ok {
			keys = append(keys, function+" "+value)
		}
	}
	if tags, ok := given["tags"].(map[string]any); ok {
		keys = append(keys, fmt.Sprint(function, " ", tags))
	}
	for _, key := range append(keys, function) {
		if answer := a.lookups[key]; answer != nil && isOfType(answer, given) {
			if refusal, fails := answer["error"].(string); fails {
				return nil, errors.New(refusal)
			}
			return resource.NewPropertyMapFromMap(answer), nil
		}
	}
	return nil, errors.New("no matching " + function[len("get"):] + " found")
}

// isOfType reports whether an answer about an endpoint has the type that the lookup filters by.
func isOfType(answer, given map[string]any) bool {
	wanted, has := answer["vpcEndpointType"]
	filters, _ := given["filters"].([]any)
	for _, filter := range filters {
		filter, _ := filter.(map[string]any)
		if values, _ := filter["values"].([]any); has && !slices.Contains(values, wanted) {
			return false
		}
	}
	return true
}

func lastColon(token string) int {
	last := -1
	for i, r := range token {
		if r == ':' {
			last = i
		}
	}
	return last
}

const (
	givenVPC     = "vpc-0123456789abcdef0"
	givenPrivate = "subnet-0aaaaaaaaaaaaaaa0"
	givenPublic  = "subnet-0aaaaaaaaaaaaaaa1"
	otherPrivate = "subnet-0bbbbbbbbbbbbbbb0"
)

type answers = map[string]map[string]any

// goodAccount returns the answers of an account with an existing VPC that passes every check.
func goodAccount() answers {
	return answers{
		"getRegion":             {"name": "us-east-1"},
		"getVpcEndpointService": {"availabilityZones": []any{"us-east-1a", "us-east-1b", "us-east-1c"}},
		"getZone example.com":   {"zoneId": "ZPUBLIC", "arn": "arn:aws:route53:::hostedzone/ZPUBLIC", "name": "example.com"},
		"getVpc": {
			"id": givenVPC, "enableDnsSupport": true, "enableDnsHostnames": true, "dhcpOptionsId": "dopt-1",
			"mainRouteTableId": "rtb-main",
			"cidrBlockAssociations": []any{
				map[string]any{"cidrBlock": "10.0.0.0/16", "state": "associated"},
				map[string]any{"cidrBlock": "10.9.0.0/16", "state": "associated"},
			},
		},
		"getVpcDhcpOptions":            {"domainName": "corp.example.com", "domainNameServers": []any{"AmazonProvidedDNS"}},
		"getSubnet " + givenPrivate:    subnetIn("us-east-1a", "10.0.128.0/20"),
		"getSubnet " + givenPublic:     subnetIn("us-east-1a", "10.0.0.0/20"),
		"getSubnet " + otherPrivate:    subnetIn("us-east-1b", "10.0.144.0/20"),
		"getRouteTable " + givenPublic: tableTo("rtb-public", "gatewayId", "igw-1"),
		"getRouteTable rtb-main":       tableTo("rtb-main", "natGatewayId", "nat-1"),
	}
}

func subnetIn(zone, cidr string) map[string]any {
	return map[string]any{
		"id":                      "subnet",
		"vpcId":                   givenVPC,
		"availabilityZone":        zone,
		"cidrBlock":               cidr,
		"availableIpAddressCount": 100.0,
	}
}

// tableTo returns a route table whose default route has the target.
func tableTo(id, target, value string) map[string]any {
	return map[string]any{"routeTableId": id, "routes": []any{map[string]any{"cidrBlock": anywhere, target: value}}}
}

// but returns a copy of a with the given answers changed.
func (a *account) but(changes answers) {
	for key, change := range changes {
		changed := maps.Clone(a.lookups[key])
		if changed == nil {
			changed = map[string]any{}
		}
		maps.Copy(changed, change)
		a.lookups[key] = changed
		if change == nil {
			delete(a.lookups, key)
		}
	}
}

// inExisting returns args for the existing VPC of goodAccount.
func inExisting(access hypershift.EndpointAccess) *GuestNetworkArgs {
	return &GuestNetworkArgs{
		Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x1"}, BaseDomain: "example.com", EndpointAccess: access,
		Existing: &ExistingVPC{VPCID: pulumi.String(givenVPC),
			Subnets: []ExistingSubnets{{Zone: "us-east-1a", Private: pulumi.String(givenPrivate),
				Public: pulumi.String(givenPublic)}}},
	}
}

// run registers the network in the account, and returns the resources that were registered.
func (a *account) run(t *testing.T, args *GuestNetworkArgs) ([]string, error) {
	t.Helper()
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		_, err := NewGuestNetwork(ctx, "network", args)
		return err
	}, pulumi.WithMocks("hypershift-aws", "test", a))
	slices.Sort(a.made)
	return a.made, err
}
