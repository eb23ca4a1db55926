package offline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

// balancer makes a network load balancer in the zone.
func (e *engine) balancer(name string, zones ...string) string {
	e.t.Helper()
	vpc := e.vpc()
	var subnets []string
	for i, zone := range zones {
		subnets = append(subnets, e.subnet(vpc, []string{"10.0.0.0/20", "10.0.16.0/20", "10.0.32.0/20"}[i], zone))
	}
	return e.id(awstype.LoadBalancer, props.Map{
		"name":             name,
		"loadBalancerType": "network",
		"internal":         true,
		"subnets":          props.List(subnets...),
	})
}

// twoAccounts returns provider instances of the management account and of a guest's.
func twoAccounts(t *testing.T) (management, guest *engine) {
	t.Helper()
	server := serve(t, Options{})
	in := func(account string) *engine {
		return attach(t, server, props.Map{"region": "us-east-1", "allowedAccountIds": props.List(account)})
	}
	return in("222222222222"), in("111111111111")
}

// zoneOf returns the name that an account has for a zone's ID.
func (e *engine) zoneOf(id string) string {
	e.t.Helper()
	zone, err := e.invoke("aws:index/getAvailabilityZone:getAvailabilityZone", props.Map{"zoneId": id})
	require.NoError(e.t, err)
	return zone.String("name")
}

func TestAnEndpointServiceIsReachedByTheAccountsThatItAllowsAndInTheZonesOfItsBalancers(t *testing.T) {
	t.Parallel()
	management, guest := twoAccounts(t)
	arn := management.balancer("router", management.zoneOf("use1-az1"), management.zoneOf("use1-az2"))
	inputs := props.Map{"acceptanceRequired": false, "networkLoadBalancerArns": props.List(arn)}
	id, out := management.create(awstype.VPCEndpointService, inputs)
	name := out.String("serviceName")
	require.Equal(t, "com.amazonaws.vpce.us-east-1."+id, name)
	require.ElementsMatch(t, props.List(management.zoneOf("use1-az1"), management.zoneOf("use1-az2")),
		out["availabilityZones"])

	vpc := guest.vpc()
	covered := guest.subnet(vpc, "10.0.0.0/20", guest.zoneOf("use1-az1"))
	apart := guest.subnet(vpc, "10.0.16.0/20", guest.zoneOf("use1-az3"))
	endpoint := props.Map{
		"vpcId":           vpc,
		"serviceName":     name,
		"vpcEndpointType": "Interface",
		"subnetIds":       props.List(covered),
	}
	_, _, err := guest.try(awstype.VPCEndpoint, endpoint, false)
	refused(t, err, "InvalidServiceName")
	_, err = guest.invoke("aws:ec2/getVpcEndpointService:getVpcEndpointService", props.Map{"serviceName": name})
	require.ErrorContains(t, err, "reading EC2 VPC Endpoint Services: couldn't find resource")

	allowing := inputs.Clone()
	allowing["allowedPrincipals"] = props.List("arn:aws:iam::111111111111:root")
	_, err = management.update(awstype.VPCEndpointService, id, inputs, allowing)
	require.NoError(t, err)
	found, err := guest.invoke("aws:ec2/getVpcEndpointService:getVpcEndpointService", props.Map{"serviceName": name})
	require.NoError(t, err)
	require.ElementsMatch(t, props.List(guest.zoneOf("use1-az1"), guest.zoneOf("use1-az2")), found["availabilityZones"],
		"by the names that the guest's account has for them")

	wrong := endpoint.Clone()
	wrong["subnetIds"] = props.List(covered, apart)
	_, _, err = guest.try(awstype.VPCEndpoint, wrong, false)
	refused(t, err, "InvalidParameter")
	require.ErrorContains(t, err, "does not support the availability zone of the subnet: "+apart)
	made, out := guest.create(awstype.VPCEndpoint, endpoint)
	require.Equal(t, "available", out["state"])

	refused(t, management.delete(awstype.VPCEndpointService, id), "ExistingVpcEndpointConnections")
	refused(t, management.delete(awstype.LoadBalancer, arn), "ResourceInUse")
	require.NoError(t, guest.delete(awstype.VPCEndpoint, made))
	require.NoError(t, management.delete(awstype.VPCEndpointService, id))
}

func TestAnEndpointWaitsIfTheServiceRequiresAcceptance(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, out := e.create(awstype.VPCEndpointService, props.Map{"acceptanceRequired": true,
		"networkLoadBalancerArns": props.List(e.balancer("router", "us-east-1a"))})
	vpc := e.vpc()
	_, out = e.create(awstype.VPCEndpoint, props.Map{"vpcId": vpc, "serviceName": out["serviceName"],
		"vpcEndpointType": "Interface",
		"subnetIds":       props.List(e.subnet(vpc, "10.0.0.0/20", "us-east-1a"))})
	require.Equal(t, "pendingAcceptance", out["state"])
}

func TestAnEndpointServiceNeedsInternalNetworkLoadBalancers(t *testing.T) {
	t.Parallel()
	e := start(t)
	network := e.balancer("router", "us-east-1a")
	application := e.id(awstype.LoadBalancer, props.Map{
		"name":    "web",
		"subnets": props.List(e.subnet(e.vpc(), "10.0.0.0/20", "us-east-1a")),
	})
	e.id(awstype.VPCEndpointService, props.Map{
		"acceptanceRequired":      false,
		"networkLoadBalancerArns": props.List(network),
	})
	free := e.balancer("free", "us-east-1a")
	for _, c := range []struct {
		inputs props.Map
		code   string
	}{
		{props.Map{}, "MissingParameter"},
		{props.Map{"networkLoadBalancerArns": props.List(application)}, "InvalidParameter"},
		{props.Map{"networkLoadBalancerArns": props.List(network)}, "InvalidParameter"},
		{props.Map{"networkLoadBalancerArns": props.List(network + "0")}, "LoadBalancerNotFound"},
		{props.Map{
			"networkLoadBalancerArns": props.List(free),
			"allowedPrincipals":       props.List("somebody"),
		}, "InvalidPrincipal"},
	} {
		c.inputs["acceptanceRequired"] = false
		_, _, err := e.try(awstype.VPCEndpointService, c.inputs, false)
		refused(t, err, c.code)
	}
}

func TestASeededLoadBalancerIsInItsOwnAccountAlone(t *testing.T) {
	t.Parallel()
	arn := "arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/net/router/0123456789abcdef"
	server := serve(t, Options{Seeds: []seed.Seed{{Kind: seed.LoadBalancer, Name: arn}}})
	owner := attach(t, server, props.Map{"region": "us-east-1", "allowedAccountIds": props.List("222222222222")})
	other := attach(t, server, props.Map{"region": "us-east-1", "allowedAccountIds": props.List("111111111111")})
	found, err := owner.invoke("aws:lb/getLoadBalancer:getLoadBalancer", props.Map{"name": "router"})
	require.NoError(t, err)
	require.Equal(t, arn, found["arn"])
	require.Len(t, found["subnets"], 3)
	_, err = other.invoke("aws:lb/getLoadBalancer:getLoadBalancer", props.Map{"arn": arn})
	require.ErrorContains(t, err, "reading ELBv2 Load Balancers: couldn't find resource")
	_, err = owner.invoke("aws:lb/getLoadBalancer:getLoadBalancer", props.Map{"tags": props.Map{"a": "b"}})
	require.ErrorContains(t, err, "Search returned 0 results")
}

func TestAnEndpointHasPrivateNamesOnlyIfItsServiceHasOne(t *testing.T) {
	t.Parallel()
	e := start(t)
	inputs := props.Map{"acceptanceRequired": false, "networkLoadBalancerArns": props.List(e.balancer("router", "us-east-1a"))}
	id, out := e.create(awstype.VPCEndpointService, inputs)
	vpc := e.id(awstype.VPC, props.Map{"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": true})
	endpoint := props.Map{
		"vpcId": vpc, "serviceName": out["serviceName"], "vpcEndpointType": "Interface", "privateDnsEnabled": true,
		"subnetIds": props.List(e.subnet(vpc, "10.0.0.0/20", "us-east-1a")),
	}
	_, _, err := e.try(awstype.VPCEndpoint, endpoint, false)
	refused(t, err, "InvalidParameter")
	require.ErrorContains(t, err, "does not provide a private DNS name")
	named := inputs.Clone()
	named["privateDnsName"] = "api.example.com"
	_, err = e.update(awstype.VPCEndpointService, id, inputs, named)
	require.NoError(t, err)
	e.create(awstype.VPCEndpoint, endpoint)
}
