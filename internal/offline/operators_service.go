package offline

import "slices"

// offer has the hypershift-operator offer a service of the control plane by PrivateLink, in the management account, and
// gives the name that endpoints connect to. One that a stack has made for the cluster is taken as it is.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/platform/aws/controller.go
func (g *guest) offer(service controlService) (name string, err error) {
	err = g.inManagement(func(a *agent) error {
		if found := g.offered(a, service); found != nil {
			name = found.State.text("serviceName")
			return nil
		}
		id := newID("vpce-svc")
		name = "com.amazonaws.vpce." + g.region + "." + id
		principals := []string{g.aws.object("rolesRef").text("controlPlaneOperatorARN")}
		principals = append(principals, g.aws.texts("additionalAllowedPrincipals")...)
		tags := g.tags(g.infraID + "-" + service.name)
		tags[serviceTag] = service.name
		a.put(&record{Type: endpointServiceToken, ID: id, Scope: g.region, Origin: byOperator, State: props{
			"serviceName": name, "serviceType": "Interface", "state": "Available", "acceptanceRequired": false, "tags": tags,
			"allowedPrincipals": list(principals...), "availabilityZones": list(a.zoneNames()...), "networkLoadBalancerArns": []any{},
			"arn": a.arn("ec2", "vpc-endpoint-service/"+id),
		}})
		return nil
	})
	return name, err
}

// serviceTag is the tag by which the operators tell a cluster's endpoints and services apart.
const serviceTag = "AWSEndpointService"

// offered is the endpoint service of one of the cluster's services, nil where there is none.
func (g *guest) offered(a *agent, service controlService) *record {
	for _, rec := range a.all(endpointServiceToken) {
		tags := rec.State.object("tags")
		if tags.text("kubernetes.io/cluster/"+g.infraID) == "owned" && tags.text(serviceTag) == service.name {
			return rec
		}
	}
	return nil
}

// withdraw takes the operator's offer back.
func (g *guest) withdraw(service controlService) error {
	return g.inManagement(func(a *agent) error {
		if found := g.offered(a, service); found != nil && found.Origin == byOperator {
			return a.unmake(endpointServiceToken, found.ID)
		}
		return nil
	})
}

// inManagement works in the account of the management cluster: the one with the bucket that the operators keep documents
// in, else the cluster's own.
func (g *guest) inManagement(act func(*agent) error) error {
	id := ""
	bucket, _ := g.discoveryBucket()
	if _, err := g.withBucket(bucket, func(c *call) error {
		id = c.account
		return nil
	}); err != nil {
		return err
	}
	if id == "" {
		return g.looking(act)
	}
	account, err := g.account(id)
	if err != nil {
		return err
	}
	at, err := siteOf(props{"region": g.region, "allowedAccountIds": list(id)})
	if err != nil {
		return err
	}
	return account.transact(func(t *accountTx) error { return act(&agent{call: &call{accountTx: t, site: at}}) })
}

// lets says whether a service lets in who calls: by the call's role, where it has one.
func (c *call) lets(principals []string) bool { return c.as != "" && slices.Contains(principals, c.as) }
