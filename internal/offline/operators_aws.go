package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const controlPlaneOperator = "kube-system:control-plane-operator"

// asControlPlane works as the control-plane-operator, with the role that the cluster names for it.
func (g *guest) asControlPlane(act func(*agent) error) error {
	return g.as(g.aws.object("rolesRef").text("controlPlaneOperatorARN"), controlPlaneOperator, act)
}

// identified fails with AWS's refusal where the control-plane-operator cannot take its role, and has HyperShift's condition
// of it.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/healthcheck/aws.go
func (g *guest) identified() error {
	err := g.asControlPlane(func(a *agent) error { return a.may("ec2:DescribeVpcEndpoints") })
	var refused *refusal
	switch {
	case err == nil:
		g.set(well("ValidAWSIdentityProvider"))
	case errors.As(err, &refused) && refused.code == "UnauthorizedOperation":
		g.set(condition{"ValidAWSIdentityProvider", "Unknown", "AWSError", refused.code})
	case errors.As(err, &refused):
		g.set(condition{"ValidAWSIdentityProvider", "False", "InvalidIdentityProvider", "WebIdentityErr"})
	}
	return err
}

// equip makes in AWS what the nodes need: their security group, and where the API is private the way to it.
func (g *guest) equip() error {
	var refused *refusal
	err := g.identified()
	if errors.As(err, &refused) {
		return nil
	}
	if err != nil {
		return err
	}
	if g.shared {
		g.pretend()
		return nil
	}
	err = g.asControlPlane(func(a *agent) error { return g.makeDefaultGroup(a) })
	switch {
	case err == nil:
		g.set(well("AWSDefaultSecurityGroupCreated"))
	case errors.As(err, &refused):
		g.set(condition{"AWSDefaultSecurityGroupCreated", "False", "AWSError", err.Error()})
	default:
		return err
	}
	if g.access == "Public" {
		return nil
	}
	for _, service := range g.controlServices() {
		name, err := g.offer(service)
		if err != nil {
			return err
		}
		g.set(condition{"AWSEndpointServiceAvailable", "True", "AWSSuccess", allIsWell})
		err = g.asControlPlane(func(a *agent) error { return g.makeEndpoint(a, service, name) })
		if errors.As(err, &refused) {
			g.set(condition{"AWSEndpointAvailable", "False", "AWSError", err.Error()})
			return nil
		}
		if err != nil {
			return err
		}
	}
	g.set(condition{"AWSEndpointAvailable", "True", "AWSSuccess", allIsWell})
	return nil
}

// pretend says what equip says, of a VPC that another account shares.
func (g *guest) pretend() {
	g.status()["platform"] = map[string]any{"aws": map[string]any{"defaultWorkerSecurityGroupID": stableID("sg", g.infraID)}}
	g.set(well("AWSDefaultSecurityGroupCreated"))
	if g.access != "Public" {
		g.set(condition{"AWSEndpointServiceAvailable", "True", "AWSSuccess", allIsWell})
		g.set(condition{"AWSEndpointAvailable", "True", "AWSSuccess", allIsWell})
	}
}

// tags are those of what the operators make: the cluster's own and the two by which they find it again.
func (g *guest) tags(name string) map[string]any {
	tags := map[string]any{}
	for _, tag := range g.aws.objects("resourceTags") {
		tags[tag.text("key")] = tag.text("value")
	}
	tags["kubernetes.io/cluster/"+g.infraID] = "owned"
	tags["Name"] = name
	return tags
}

func (g *guest) defaultGroup() string { return g.infraID + "-default-sg" }

// makeDefaultGroup: the VPC of the nodes' security group is there.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/hostedcontrolplane/hostedcontrolplane_controller.go
func (g *guest) makeDefaultGroup(a *agent) error {
	group := a.owned(securityGroupToken, g.infraID, g.defaultGroup())
	if group == nil {
		if err := a.may("ec2:DescribeVpcs", "ec2:CreateSecurityGroup", "ec2:AuthorizeSecurityGroupIngress"); err != nil {
			return err
		}
		if a.find(vpcToken, g.vpc) == nil {
			return refuse("InvalidVpcID.NotFound", "failed to describe vpc %s, code InvalidVpcID.NotFound", g.vpc)
		}
		var err error
		if group, err = a.make(securityGroupToken, props{"name": g.defaultGroup(), "description": "default worker security group",
			"vpcId": g.vpc, "tags": g.tags(g.defaultGroup()), "ingress": g.fromMachines("tcp", 22)}); err != nil {
			return err
		}
	}
	g.status()["platform"] = map[string]any{"aws": map[string]any{"defaultWorkerSecurityGroupID": group.ID}}
	return nil
}

// fromMachines lets the machine network in on a port.
func (g *guest) fromMachines(protocol string, port float64) []any {
	var cidrs []string
	for _, network := range g.spec.object("networking").objects("machineNetwork") {
		cidrs = append(cidrs, network.text("cidr"))
	}
	return []any{map[string]any{"protocol": protocol, "fromPort": port, "toPort": port, "cidrBlocks": list(cidrs...), "self": false}}
}

// controlService is a service of the control plane that nodes reach by PrivateLink.
type controlService struct {
	name string
	port float64
	// records are the names in the local zone that lead to it.
	records []string
}

// controlServices are one for the router, and one for an API server with a load balancer of its own.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go
func (g *guest) controlServices() []controlService {
	for _, service := range g.spec.objects("services") {
		if service.text("service") == "APIServer" && service.object("servicePublishingStrategy").text("type") == "Route" {
			return []controlService{{"private-router", 443, []string{"api", "*.apps"}}}
		}
	}
	return []controlService{{"kube-apiserver-private", 6443, []string{"api"}}, {"private-router", 443, []string{"*.apps"}}}
}

func (g *guest) localZone() string { return g.name + ".hypershift.local" }

// makeEndpoint makes a service's security group, its endpoint in the VPC and its names.
func (g *guest) makeEndpoint(a *agent, service controlService, serviceName string) error {
	name := g.infraID + "-vpce-" + service.name
	group := a.owned(securityGroupToken, g.infraID, name)
	var err error
	if group == nil {
		if err := a.may("ec2:CreateSecurityGroup", "ec2:AuthorizeSecurityGroupIngress"); err != nil {
			return err
		}
		if group, err = a.make(securityGroupToken, props{"name": name, "description": "VPC endpoint security group", "vpcId": g.vpc,
			"tags": g.tags(name), "ingress": g.fromMachines("tcp", service.port)}); err != nil {
			return err
		}
	}
	endpoint := g.endpointOf(a, service)
	if endpoint == nil {
		if err := a.may("ec2:CreateVpcEndpoint"); err != nil {
			return err
		}
		tags := g.tags(name)
		delete(tags, "Name")
		tags[serviceTag] = service.name
		if endpoint, err = a.make(endpointToken, props{"vpcId": g.vpc, "vpcEndpointType": "Interface", "serviceName": serviceName,
			"subnetIds": list(g.nodeSubnets(a)...), "securityGroupIds": list(group.ID), "tags": tags}); err != nil {
			return err
		}
	}
	return g.makeNames(a, service, endpoint)
}

// endpointOf is the endpoint of a service, whoever has made it with the operator's tags; nil where there is none.
func (g *guest) endpointOf(a *agent, service controlService) *record {
	for _, endpoint := range a.all(endpointToken) {
		tags := endpoint.State.object("tags")
		if tags.text("kubernetes.io/cluster/"+g.infraID) == "owned" && tags.text(serviceTag) == service.name {
			return endpoint
		}
	}
	return nil
}

// nodeSubnets are those of the cluster and its NodePools, one a zone.
func (g *guest) nodeSubnets(a *agent) []string {
	ids := []string{g.aws.object("cloudProviderConfig").object("subnet").text("id")}
	for _, pool := range g.pools() {
		ids = append(ids, pool.State.object("spec").object("platform").object("aws").object("subnet").text("id"))
	}
	var subnets []string
	seen := map[string]bool{}
	for _, id := range ids {
		subnet := a.find(subnetToken, id)
		if subnet == nil || seen[subnet.State.text("availabilityZone")] {
			continue
		}
		seen[subnet.State.text("availabilityZone")] = true
		subnets = append(subnets, id)
	}
	return subnets
}

// makeNames: the zone of the names that lead to the endpoint is there.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go
func (g *guest) makeNames(a *agent, service controlService, endpoint *record) error {
	zone := g.zone(a)
	if zone == nil {
		return refuse("NoSuchHostedZone", "hosted zone %s not found", g.localZone())
	}
	for _, name := range service.records {
		fqdn := name + "." + g.localZone()
		if slices.ContainsFunc(a.all(recordToken), func(rec *record) bool {
			return rec.State.text("zoneId") == zone.ID && rec.State.text("fqdn") == fqdn
		}) {
			continue
		}
		if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
			return err
		}
		entries := endpoint.State.objects("dnsEntries")
		if _, err := a.make(recordToken, props{"zoneId": zone.ID, "name": fqdn, "type": "CNAME", "ttl": 300.0,
			"records": list(entries[0].text("dnsName"))}); err != nil {
			return err
		}
	}
	return nil
}

// zone is the private zone for the cluster's own names, nil where there is none.
func (g *guest) zone(a *agent) *record {
	for _, zone := range a.all(zoneToken) {
		if zone.State.text("name") == g.localZone() && len(zone.State.objects("vpcs")) > 0 {
			return zone
		}
	}
	return nil
}

// unequip takes away what equip has made, in HyperShift's order. It fails with AWS's refusal, which the cluster's
// conditions tell too.
func (g *guest) unequip() error {
	var refused *refusal
	if err := g.identified(); err != nil {
		g.set(condition{"CloudResourcesDestroyed", "False", "CloudResourcesCleanupSkipped", "Invalid AWS identity provider: " + err.Error()})
		return err
	}
	if err := g.asControlPlane(g.removeEndpoints); err != nil {
		if errors.As(err, &refused) {
			g.set(condition{"AWSEndpointAvailable", "False", "AWSError", err.Error()})
		}
		return err
	}
	for _, service := range g.controlServices() {
		if err := g.withdraw(service); err != nil {
			return err
		}
	}
	// HyperShift leaves the security group, and all that the cluster itself has made, unless it is told to clean up.
	if g.rec.State.annotation("hypershift.openshift.io/cleanup-cloud-resources") != "true" {
		return nil
	}
	remaining, err := g.evict()
	if err != nil {
		g.set(condition{"CloudResourcesDestroyed", "False", "RemainingCloudResources", "Remaining resources: " + remaining + ": " + err.Error()})
		return err
	}
	g.set(condition{"CloudResourcesDestroyed", "True", "CloudResourcesDestroyed", "All guest resources destroyed"})
	if err = g.asControlPlane(g.removeDefaultGroup); errors.As(err, &refused) {
		g.set(condition{"AWSDefaultSecurityGroupDeleted", "False", "AWSError", err.Error()})
	}
	return err
}

func (g *guest) removeEndpoints(a *agent) error {
	for _, service := range g.controlServices() {
		if endpoint := g.endpointOf(a, service); endpoint != nil {
			if err := a.may("ec2:DeleteVpcEndpoints"); err != nil {
				return err
			}
			if err := a.unmake(endpointToken, endpoint.ID); err != nil {
				return fmt.Errorf("failed to delete VPC endpoint %s: %w", endpoint.ID, err)
			}
		}
		if err := g.removeGroup(a, g.infraID+"-vpce-"+service.name); err != nil {
			return err
		}
	}
	zone := g.zone(a)
	if zone == nil {
		return nil // and its records with it
	}
	for _, rec := range a.all(recordToken) {
		name := strings.TrimSuffix(rec.State.text("fqdn"), "."+g.localZone())
		if rec.State.text("zoneId") != zone.ID || name != "api" && name != "*.apps" {
			continue
		}
		if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
			return err
		}
		if err := a.unmake(recordToken, rec.ID); err != nil {
			return fmt.Errorf("failed to delete DNS record %s: %w", rec.State.text("fqdn"), err)
		}
	}
	return nil
}

func (g *guest) removeDefaultGroup(a *agent) error { return g.removeGroup(a, g.defaultGroup()) }

func (g *guest) removeGroup(a *agent, name string) error {
	group := a.owned(securityGroupToken, g.infraID, name)
	if group == nil {
		return nil
	}
	if err := a.may("ec2:DeleteSecurityGroup"); err != nil {
		return err
	}
	if err := a.unmake(securityGroupToken, group.ID); err != nil {
		return fmt.Errorf("failed to delete security group %s: %w", group.ID, err)
	}
	return nil
}
