package hypershift

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// controlPlaneOperator is the control-plane-operator of a hosted cluster: it creates in AWS what the nodes need.
type controlPlaneOperator struct{ *hostedCluster }

// identified fails with AWS's error if the control-plane-operator cannot assume its role, and sets HyperShift's
// condition for it.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/healthcheck/aws.go
func (g controlPlaneOperator) identified() error {
	err := issuer(g).verifiable()
	if err == nil {
		err = g.as(controlPlaneRole, func(a *agent) error { return a.may("ec2:DescribeVpcEndpoints") })
	}
	var refused *awserr.Error
	switch {
	case err == nil:
		g.set(kubernetes.Met("ValidAWSIdentityProvider"))
	case errors.As(err, &refused):
		g.set(kubernetes.Condition{
			Name:    "ValidAWSIdentityProvider",
			Status:  "Unknown",
			Reason:  "AWSError",
			Message: refused.Code,
		})
	}
	return err
}

// createNodeResources creates in AWS what the nodes need: their security group and, if the API is private, the endpoint
// to it.
func (g controlPlaneOperator) createNodeResources() error {
	err := g.identified()
	if awserr.Is(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if g.shared {
		g.reportSharedVPC()
		return g.createSharedEndpoints()
	}
	err = g.as(controlPlaneRole, g.makeDefaultGroup)
	switch {
	case err == nil:
		g.set(kubernetes.Met("AWSDefaultSecurityGroupCreated"))
	case awserr.Is(err):
		g.set(kubernetes.Condition{
			Name:    "AWSDefaultSecurityGroupCreated",
			Status:  "False",
			Reason:  "AWSError",
			Message: err.Error(),
		})
	default:
		return err
	}
	if g.access == "Public" {
		return nil
	}
	return g.createEndpoints()
}

// createEndpoints creates the endpoint of each service of the control plane, in the account of the VPC.
func (g controlPlaneOperator) createEndpoints() error {
	for _, service := range g.controlServices() {
		name, err := endpointServices(g).offer(service)
		if err != nil {
			return err
		}
		g.set(kubernetes.Condition{
			Name:    "AWSEndpointServiceAvailable",
			Status:  "True",
			Reason:  "AWSSuccess",
			Message: kubernetes.AsExpectedMessage,
		})
		var made *store.Entry
		names := func(a *agent) error { return g.makeNames(a, service, made) }
		err = g.inVPC(func(a *agent) (err error) {
			if made, err = g.makeEndpoint(a, service, name); err != nil || g.shared {
				return err
			}
			return names(a)
		})
		if err == nil && g.shared {
			err = g.inZone(names)
		}
		endpoint := idOf(made)
		if awserr.Is(err) {
			g.set(kubernetes.Condition{Name: "AWSEndpointAvailable", Status: "False", Reason: "AWSError", Message: err.Error()})
			g.endpointServiceWritten(service, name, endpoint)
			return nil
		}
		if err != nil {
			return err
		}
		g.set(kubernetes.Condition{
			Name:    "AWSEndpointAvailable",
			Status:  "True",
			Reason:  "AWSSuccess",
			Message: kubernetes.AsExpectedMessage,
		})
		g.endpointServiceWritten(service, name, endpoint)
	}
	return nil
}

// reportSharedVPC sets the conditions that createNodeResources sets, for a VPC that another account shares.
func (g controlPlaneOperator) reportSharedVPC() {
	g.status()["platform"] = map[string]any{
		"aws": map[string]any{"defaultWorkerSecurityGroupID": ids.StableEC2("sg", g.infraID)},
	}
	g.set(kubernetes.Met("AWSDefaultSecurityGroupCreated"))
	if g.access != "Public" {
		g.set(kubernetes.Condition{
			Name:    "AWSEndpointServiceAvailable",
			Status:  "True",
			Reason:  "AWSSuccess",
			Message: kubernetes.AsExpectedMessage,
		})
		g.set(kubernetes.Condition{
			Name:    "AWSEndpointAvailable",
			Status:  "True",
			Reason:  "AWSSuccess",
			Message: kubernetes.AsExpectedMessage,
		})
	}
}

func idOf(entry *store.Entry) string {
	if entry == nil {
		return ""
	}
	return entry.ID
}

// createSharedEndpoints creates the endpoints in the account of the VPC's owner, with the roles there. What exists
// outside a rehearsal, such as the roles that a file only names, is reported.
func (g controlPlaneOperator) createSharedEndpoints() error {
	if g.access == "Public" {
		return nil
	}
	known := false
	switch err := g.asOwner(sharedEndpointRole, func(*agent) error {
		known = true
		return nil
	}); {
	case awserr.Is(err):
		g.set(kubernetes.Condition{Name: "AWSEndpointAvailable", Status: "False", Reason: "AWSError", Message: err.Error()})
		return nil
	case err != nil || !known:
		return err
	}
	return g.createEndpoints()
}

// The roles in sharedVPC.rolesRef, for the endpoint and for the records.
const (
	sharedEndpointRole = "controlPlaneARN"
	sharedRecordsRole  = "ingressARN"
)

// inVPC runs act in the account of the VPC, and inZone in that of the local zone, with the role for it.
func (g controlPlaneOperator) inVPC(act func(*agent) error) error {
	if g.shared {
		return g.asOwner(sharedEndpointRole, act)
	}
	return g.as(controlPlaneRole, act)
}

func (g controlPlaneOperator) inZone(act func(*agent) error) error {
	if g.shared {
		return g.asOwner(sharedRecordsRole, act)
	}
	return g.as(controlPlaneRole, act)
}

// sharedDenied: a role is assumed by another one if it trusts that one, and if the other's own policies allow it.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic-cross-account.html
func sharedDenied(caller, role string) error {
	return awserr.Errorf("AccessDenied", "User: %s is not authorized to perform: sts:AssumeRole on resource: %s", caller,
		role)
}

// asOwner runs act with a role of sharedVPC, which the operator assumes with its own role. It does nothing if no
// account of the rehearsal has the role.
func (g controlPlaneOperator) asOwner(role string, act func(*agent) error) error {
	arn := g.aws.Object("sharedVPC").Object("rolesRef").String(role)
	own := g.aws.Object("rolesRef").String(controlPlaneRole)
	m := roleARN.FindStringSubmatch(arn)
	if m == nil {
		return nil
	}
	account, err := g.Account(m[1])
	if err != nil || account == nil {
		return err
	}
	allowed := false
	if err := g.as(controlPlaneRole, func(a *agent) error {
		allowed = a.allows("sts:AssumeRole", arn)
		return nil
	}); err != nil {
		return err
	}
	return account.In(g.region, func(c *aws.Call) error {
		var assumed *store.Entry
		for _, rec := range c.All(awstype.Role) {
			if rec.State.String("arn") == arn {
				assumed = rec
			}
		}
		if assumed == nil {
			return nil
		}
		trust, err := policy.Parse(assumed.State.String("assumeRolePolicy"))
		if err != nil || !allowed || policy.Evaluate(policy.Request{
			Caller: policy.Caller{AWS: own}, Action: "sts:AssumeRole", Partial: true,
		}, trust) != policy.Allowed {
			return sharedDenied(own, arn)
		}
		c.CallerRole = arn
		return act(&agent{c, assumed})
	})
}

func (g controlPlaneOperator) defaultGroup() string { return g.infraID + "-default-sg" }

// makeDefaultGroup: the VPC of the nodes' security group must exist.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/hostedcontrolplane/hostedcontrolplane_controller.go
func (g controlPlaneOperator) makeDefaultGroup(a *agent) error {
	group := a.owned(awstype.SecurityGroup, g.infraID, g.defaultGroup())
	if group == nil {
		if err := a.may("ec2:DescribeVpcs"); err != nil {
			return err
		}
		if a.Find(awstype.VPC, g.vpc) == nil {
			return awserr.Errorf("InvalidVpcID.NotFound", "failed to describe vpc %s, code InvalidVpcID.NotFound", g.vpc)
		}
		var err error
		if group, err = g.securityGroup(a, g.defaultGroup(), "default worker security group", g.betweenNodes()); err != nil {
			return err
		}
	}
	g.status()["platform"] = map[string]any{"aws": map[string]any{"defaultWorkerSecurityGroupID": group.ID}}
	return nil
}

// betweenNodes allows what nodes send each other: the cluster's network, by OVN and IPsec, host services, kubelets and
// node ports; and SSH and ICMP from the machine network.
// https://github.com/openshift/hypershift/blob/main/support/awsutil/sg.go
func (g controlPlaneOperator) betweenNodes() []any {
	rules := append(g.fromMachines("icmp", -1), g.fromMachines("tcp", 22)...)
	for _, r := range []struct {
		protocol string
		from, to float64
	}{
		{"udp", 4789, 4789}, {"udp", 6081, 6081}, {"udp", 500, 500}, {"udp", 4500, 4500}, {"50", -1, -1}, {"tcp", 9000, 9999},
		{"udp", 9000, 9999},
		{"tcp", 10250, 10250}, {"tcp", 30000, 32767}, {"udp", 30000, 32767},
	} {
		rules = append(rules, map[string]any{
			"protocol":   r.protocol,
			"fromPort":   r.from,
			"toPort":     r.to,
			"cidrBlocks": []any{},
			"self":       true,
		})
	}
	return rules
}

// fromMachines allows the machine network on a port.
func (g controlPlaneOperator) fromMachines(protocol string, port float64) []any {
	var cidrs []string
	for _, network := range g.spec.Object("networking").Objects("machineNetwork") {
		cidrs = append(cidrs, network.String("cidr"))
	}
	return []any{map[string]any{
		"protocol":   protocol,
		"fromPort":   port,
		"toPort":     port,
		"cidrBlocks": props.List(cidrs...),
		"self":       false,
	}}
}

// controlService is a service of the control plane that nodes reach by PrivateLink.
type controlService struct {
	name string
	port float64
	// records are the names in the local zone that resolve to it.
	records []string
}

// controlServices returns the router, and the API server if it has its own load balancer.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go
func (g controlPlaneOperator) controlServices() []controlService {
	if g.published("APIServer").String("type") == "Route" {
		return []controlService{{"private-router", 443, []string{"api", "*.apps"}}}
	}
	return []controlService{{"kube-apiserver-private", 6443, []string{"api"}}, {"private-router", 443, []string{"*.apps"}}}
}

// makeEndpoint creates a service's security group and its endpoint in the VPC.
func (g controlPlaneOperator) makeEndpoint(
	a *agent,
	service controlService,
	serviceName string,
) (*store.Entry, error) {
	group, err := g.securityGroup(a, g.infraID+"-vpce-"+service.name, "VPC endpoint security group",
		g.fromMachines("tcp", service.port))
	if err != nil {
		return nil, err
	}
	endpoint, subnets := g.endpointOf(a, service), g.poolSubnets(a)
	switch {
	case endpoint == nil:
		if err := a.may("ec2:CreateVpcEndpoint"); err != nil {
			return nil, err
		}
		tags := g.tags("")
		tags[serviceTag] = service.name
		if endpoint, err = a.Make(store.ByOperator, awstype.VPCEndpoint, "", props.Map{"vpcId": g.vpc,
			"vpcEndpointType": "Interface", "serviceName": serviceName,
			"subnetIds": props.List(subnets...), "securityGroupIds": props.List(group.ID), "tags": tags}); err != nil {
			return nil, err
		}
	case endpoint.Origin == store.ByOperator && !slices.Equal(subnets,
		slices.Sorted(slices.Values(endpoint.State.Strings("subnetIds")))):
		if err := a.may("ec2:ModifyVpcEndpoint"); err != nil {
			return nil, err
		}
		if err := a.Change(endpoint, props.Map{"subnetIds": props.List(subnets...)}); err != nil {
			return nil, err
		}
	}
	return endpoint, nil
}

// endpointOf returns the endpoint of a service: any that has all of the operator's tags, or nil if there is none.
func (g controlPlaneOperator) endpointOf(a *agent, service controlService) *store.Entry {
	wanted := g.tags("")
	wanted[serviceTag] = service.name
	for _, endpoint := range a.All(awstype.VPCEndpoint) {
		tags, all := endpoint.State.Object("tags"), true
		for key, value := range wanted {
			all = all && tags[key] == value
		}
		if all {
			return endpoint
		}
	}
	return nil
}

// poolSubnets returns the subnets of the cluster's NodePools, sorted: one per zone, that with the lowest ID.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go
func (g controlPlaneOperator) poolSubnets(a *agent) []string {
	byZone := map[string]string{}
	for _, pool := range g.pools() {
		id := pool.State.Object("spec").Object("platform").Object("aws").Object("subnet").String("id")
		subnet := a.Find(awstype.Subnet, id)
		if subnet == nil {
			continue
		}
		zone := subnet.State.String("availabilityZone")
		if other, has := byZone[zone]; !has || id < other {
			byZone[zone] = id
		}
	}
	return slices.Sorted(maps.Values(byZone))
}

// makeNames: the zone of the endpoint's DNS records must exist.
// https://github.com/openshift/hypershift/blob/main/control-plane-operator/controllers/awsprivatelink/awsprivatelink_controller.go
func (g controlPlaneOperator) makeNames(a *agent, service controlService, endpoint *store.Entry) error {
	zone := g.zone(a)
	if zone == nil {
		return awserr.Errorf("NoSuchHostedZone", "hosted zone %s not found", g.localZone())
	}
	for _, name := range service.records {
		fqdn := name + "." + g.localZone()
		if slices.ContainsFunc(a.Where(awstype.Record, "zoneId", zone.ID), func(rec *store.Entry) bool {
			return rec.State.String("fqdn") == fqdn
		}) {
			continue
		}
		if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
			return err
		}
		entries := endpoint.State.Objects("dnsEntries")
		if _, err := a.Make(store.ByOperator, awstype.Record, "", props.Map{"zoneId": zone.ID, "name": fqdn, "type": "CNAME",
			"ttl":     300.0,
			"records": props.List(entries[0].String("dnsName"))}); err != nil {
			return err
		}
	}
	return nil
}

// endpointServiceWritten writes the AWSEndpointService of a service, with the conditions of the HostedCluster about it.
func (g controlPlaneOperator) endpointServiceWritten(service controlService, serviceName, endpoint string) {
	var conditions []any
	for _, name := range []string{"AWSEndpointServiceAvailable", "AWSEndpointAvailable"} {
		if condition := (kubernetes.Conditions{Status: g.status()}).Find(name); condition != nil {
			conditions = append(conditions, map[string]any(condition.Clone()))
		}
	}
	status := map[string]any{"endpointServiceName": serviceName, "conditions": conditions}
	if endpoint != "" {
		status["endpointID"] = endpoint
	}
	subnets := []any{}
	for _, pool := range g.pools() {
		id := pool.State.Object("spec").Object("platform").Object("aws").Object("subnet").String("id")
		if id != "" && !slices.Contains(subnets, any(id)) {
			subnets = append(subnets, id)
		}
	}
	slices.SortFunc(subnets, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	g.writeObject(controlPlaneVersion, crd.EndpointService, service.name, nil, map[string]any{
		"networkLoadBalancerName": service.name, "subnetIDs": subnets,
	}, status)
}

// zone returns the private zone for the cluster's own names, or nil if there is none.
func (g controlPlaneOperator) zone(a *agent) *store.Entry {
	for _, zone := range a.Where(awstype.HostedZone, "name", g.localZone()) {
		if len(zone.State.Objects("vpcs")) > 0 {
			return zone
		}
	}
	return nil
}

// deleteNodeResources deletes what createNodeResources has created, in HyperShift's order. It fails with AWS's error,
// which it also sets in the cluster's conditions.
func (g controlPlaneOperator) deleteNodeResources() error {
	if err := g.identified(); err != nil {
		g.set(kubernetes.Condition{
			Name:    "CloudResourcesDestroyed",
			Status:  "False",
			Reason:  "CloudResourcesCleanupSkipped",
			Message: "Invalid AWS identity provider: " + err.Error(),
		})
		return err
	}
	err := g.inVPC(g.removeEndpoints)
	if err == nil {
		err = g.inZone(g.removeNames)
	}
	if err != nil {
		if awserr.Is(err) {
			g.set(kubernetes.Condition{Name: "AWSEndpointAvailable", Status: "False", Reason: "AWSError", Message: err.Error()})
		}
		return err
	}
	for _, service := range g.controlServices() {
		if g.how.Leaves(faults.LeaveEndpointServices) || g.how.Leaves(faults.LeaveEndpoints) {
			break // a service cannot be deleted while endpoints are connected to it
		}
		if err := endpointServices(g).deleteEndpointService(service); err != nil {
			return err
		}
	}
	// HyperShift leaves the security group, and all that the hosted cluster has created, unless the spec requests a
	// clean-up.
	if kubernetes.Annotation(g.rec.State, "hypershift.openshift.io/cleanup-cloud-resources") != "true" {
		return nil
	}
	remaining, err := guestOperators(g).deleteClusterResources()
	if err != nil {
		g.set(kubernetes.Condition{Name: "CloudResourcesDestroyed", Status: "False", Reason: "RemainingCloudResources",
			Message: "Remaining resources: " + remaining + ": " + err.Error()})
		return err
	}
	g.set(kubernetes.Condition{
		Name:    "CloudResourcesDestroyed",
		Status:  "True",
		Reason:  "CloudResourcesDestroyed",
		Message: "All guest resources destroyed",
	})
	if g.how.Leaves(faults.LeaveInstances) || g.how.Leaves(faults.LeaveNetworkInterfaces) {
		return nil // they keep it
	}
	if err = g.as(controlPlaneRole, g.removeDefaultGroup); awserr.Is(err) {
		g.set(kubernetes.Condition{
			Name:    "AWSDefaultSecurityGroupDeleted",
			Status:  "False",
			Reason:  "AWSError",
			Message: err.Error(),
		})
	}
	return err
}

func (g controlPlaneOperator) removeEndpoints(a *agent) error {
	for _, service := range g.controlServices() {
		if g.how.Leaves(faults.LeaveEndpoints) {
			break
		}
		if endpoint := g.endpointOf(a, service); endpoint != nil {
			if err := a.may("ec2:DeleteVpcEndpoints"); err != nil {
				return err
			}
			if err := a.Unmake(awstype.VPCEndpoint, endpoint.ID); err != nil {
				return fmt.Errorf("failed to delete VPC endpoint %s: %w", endpoint.ID, err)
			}
		}
		if err := g.removeGroup(a, g.infraID+"-vpce-"+service.name); err != nil {
			return err
		}
	}
	return nil
}

func (g controlPlaneOperator) removeNames(a *agent) error {
	zone := g.zone(a)
	if zone == nil || g.how.Leaves(faults.LeaveRecords) {
		return nil // without a zone there are no records
	}
	for _, rec := range a.Where(awstype.Record, "zoneId", zone.ID) {
		name := strings.TrimSuffix(rec.State.String("fqdn"), "."+g.localZone())
		if name != "api" && name != "*.apps" {
			continue
		}
		if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
			return err
		}
		if err := a.Unmake(awstype.Record, rec.ID); err != nil {
			return fmt.Errorf("failed to delete DNS record %s: %w", rec.State.String("fqdn"), err)
		}
	}
	return nil
}

func (g controlPlaneOperator) removeDefaultGroup(a *agent) error {
	return g.removeGroup(a, g.defaultGroup())
}
