package offline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// balancer makes a network load balancer in the zone.
func (e *engine) balancer(name string, zones ...string) string {
	e.t.Helper()
	vpc := e.vpc()
	var subnets []string
	for i, zone := range zones {
		subnets = append(subnets, e.subnet(vpc, []string{"10.0.0.0/20", "10.0.16.0/20", "10.0.32.0/20"}[i], zone))
	}
	return e.id(loadBalancerToken, props{"name": name, "loadBalancerType": "network", "internal": true, "subnets": list(subnets...)})
}

// twoAccounts are provider instances of the management account and of a guest's.
func twoAccounts(t *testing.T) (management, guest *engine) {
	t.Helper()
	server := serve(t, Options{})
	in := func(account string) *engine {
		return attach(t, server, props{"region": "us-east-1", "allowedAccountIds": list(account)})
	}
	return in("222222222222"), in("111111111111")
}

// zoneOf is the name that an account has for a zone's ID.
func (e *engine) zoneOf(id string) string {
	e.t.Helper()
	zone, err := e.invoke("aws:index/getAvailabilityZone:getAvailabilityZone", props{"zoneId": id})
	require.NoError(e.t, err)
	return zone.text("name")
}

func TestAnEndpointServiceIsReachedByTheAccountsThatItAllowsAndInTheZonesOfItsBalancers(t *testing.T) {
	t.Parallel()
	management, guest := twoAccounts(t)
	arn := management.balancer("router", management.zoneOf("use1-az1"), management.zoneOf("use1-az2"))
	inputs := props{"acceptanceRequired": false, "networkLoadBalancerArns": list(arn)}
	id, out := management.create(endpointServiceToken, inputs)
	name := out.text("serviceName")
	require.Equal(t, "com.amazonaws.vpce.us-east-1."+id, name)
	require.ElementsMatch(t, list(management.zoneOf("use1-az1"), management.zoneOf("use1-az2")), out["availabilityZones"])

	vpc := guest.vpc()
	covered := guest.subnet(vpc, "10.0.0.0/20", guest.zoneOf("use1-az1"))
	apart := guest.subnet(vpc, "10.0.16.0/20", guest.zoneOf("use1-az3"))
	endpoint := props{"vpcId": vpc, "serviceName": name, "vpcEndpointType": "Interface", "subnetIds": list(covered)}
	_, _, err := guest.try(endpointToken, endpoint, false)
	refused(t, err, "InvalidServiceName")
	_, err = guest.invoke("aws:ec2/getVpcEndpointService:getVpcEndpointService", props{"serviceName": name})
	require.ErrorContains(t, err, "no matching EC2 VPC Endpoint Service found")

	allowing := inputs.clone()
	allowing["allowedPrincipals"] = list("arn:aws:iam::111111111111:root")
	_, err = management.update(endpointServiceToken, id, inputs, allowing)
	require.NoError(t, err)
	found, err := guest.invoke("aws:ec2/getVpcEndpointService:getVpcEndpointService", props{"serviceName": name})
	require.NoError(t, err)
	require.ElementsMatch(t, list(guest.zoneOf("use1-az1"), guest.zoneOf("use1-az2")), found["availabilityZones"],
		"by the names that the guest's account has for them")

	wrong := endpoint.clone()
	wrong["subnetIds"] = list(covered, apart)
	_, _, err = guest.try(endpointToken, wrong, false)
	refused(t, err, "InvalidParameter")
	require.ErrorContains(t, err, "does not support the availability zone of the subnet: "+apart)
	made, out := guest.create(endpointToken, endpoint)
	require.Equal(t, "available", out["state"])

	refused(t, management.delete(endpointServiceToken, id), "ExistingVpcEndpointConnections")
	refused(t, management.delete(loadBalancerToken, arn), "ResourceInUse")
	require.NoError(t, guest.delete(endpointToken, made))
	require.NoError(t, management.delete(endpointServiceToken, id))
}

func TestAnEndpointWaitsWhereTheServiceAsksForAcceptance(t *testing.T) {
	t.Parallel()
	e := start(t)
	_, out := e.create(endpointServiceToken, props{"acceptanceRequired": true,
		"networkLoadBalancerArns": list(e.balancer("router", "us-east-1a"))})
	vpc := e.vpc()
	_, out = e.create(endpointToken, props{"vpcId": vpc, "serviceName": out["serviceName"], "vpcEndpointType": "Interface",
		"subnetIds": list(e.subnet(vpc, "10.0.0.0/20", "us-east-1a"))})
	require.Equal(t, "pendingAcceptance", out["state"])
}

func TestWhatAnEndpointServiceMayNot(t *testing.T) {
	t.Parallel()
	e := start(t)
	network := e.balancer("router", "us-east-1a")
	application := e.id(loadBalancerToken, props{"name": "web", "subnets": list(e.subnet(e.vpc(), "10.0.0.0/20", "us-east-1a"))})
	e.id(endpointServiceToken, props{"acceptanceRequired": false, "networkLoadBalancerArns": list(network)})
	free := e.balancer("free", "us-east-1a")
	for _, c := range []struct {
		inputs props
		code   string
	}{
		{props{}, "MissingParameter"},
		{props{"networkLoadBalancerArns": list(application)}, "InvalidParameter"},
		{props{"networkLoadBalancerArns": list(network)}, "InvalidParameter"},
		{props{"networkLoadBalancerArns": list(network + "0")}, "LoadBalancerNotFound"},
		{props{"networkLoadBalancerArns": list(free), "allowedPrincipals": list("somebody")}, "InvalidPrincipal"},
	} {
		c.inputs["acceptanceRequired"] = false
		_, _, err := e.try(endpointServiceToken, c.inputs, false)
		refused(t, err, c.code)
	}
}

func TestASeededLoadBalancerIsInItsOwnAccountAlone(t *testing.T) {
	t.Parallel()
	arn := "arn:aws:elasticloadbalancing:us-east-1:222222222222:loadbalancer/net/router/0123456789abcdef"
	server := serve(t, Options{Seeds: []Seed{{Kind: SeedLoadBalancer, Name: arn}}})
	owner := attach(t, server, props{"region": "us-east-1", "allowedAccountIds": list("222222222222")})
	other := attach(t, server, props{"region": "us-east-1", "allowedAccountIds": list("111111111111")})
	found, err := owner.invoke("aws:lb/getLoadBalancer:getLoadBalancer", props{"name": "router"})
	require.NoError(t, err)
	require.Equal(t, arn, found["arn"])
	require.Len(t, found["subnets"], 3)
	_, err = other.invoke("aws:lb/getLoadBalancer:getLoadBalancer", props{"arn": arn})
	require.ErrorContains(t, err, "no matching ELBv2 Load Balancer found")
}
