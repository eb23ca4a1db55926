package hypershift

import (
	"cmp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// endpointServices are those of a hosted cluster's control plane, which the hypershift-operator creates in the
// management account.
type endpointServices struct{ *hostedCluster }

// offer creates the endpoint service for a service of the control plane and returns the service name that endpoints
// connect to. An endpoint service that a stack has created for the load balancer is adopted; its principals are the
// operator's: it removes all that the HostedCluster does not name.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/platform/aws/controller.go
func (g endpointServices) offer(service controlService) (name string, err error) {
	err = g.inManagement(func(c *aws.Call) error {
		principals := append([]string{aws.RoleWithoutPath(g.aws.Object("rolesRef").String(controlPlaneRole))},
			g.aws.Strings("additionalAllowedPrincipals")...)
		slices.Sort(principals)
		principals = slices.Compact(principals)
		if found := g.offered(c, service); found != nil {
			name = found.State.String("serviceName")
			now := found.State.Strings("allowedPrincipals")
			if slices.Sort(now); !slices.Equal(now, principals) {
				found = found.Clone()
				found.State["allowedPrincipals"] = props.List(principals...)
				c.Put(found)
			}
			return nil
		}
		id := ids.EC2("vpce-svc")
		name = "com.amazonaws.vpce." + c.Region + "." + id
		tags := g.tags("")
		c.Put(&store.Entry{Type: awstype.VPCEndpointService, ID: id, Scope: c.Region, Origin: store.ByOperator,
			State: props.Map{
				"serviceName": name, "serviceType": "Interface", "state": "Available", "acceptanceRequired": false, "tags": tags,
				"tagsAll":           untyped.Clone(tags),
				"allowedPrincipals": props.List(principals...), "availabilityZones": props.List(c.ZoneNames()...),
				"networkLoadBalancerArns": props.List(g.balancer(c, service)),
				"arn":                     c.ARN("ec2", "vpc-endpoint-service/"+id),
			}})
		return nil
	})
	return name, err
}

// serviceTag is the tag that distinguishes a cluster's endpoints and endpoint services.
const serviceTag = "AWSEndpointService"

// balancer returns the ARN of the load balancer of one of the cluster's services, which is not an account's resource
// here.
func (g endpointServices) balancer(c *aws.Call, service controlService) string {
	return c.ARN("elasticloadbalancing", "loadbalancer/net/"+ids.StableEC2("a", g.infraID,
		service.name)+"/"+ids.StableEC2("", g.infraID)[1:])
}

// offered returns the endpoint service of one of the cluster's services, or nil if there is none: the one that the
// AWSEndpointService names, or that of the load balancer. The load balancer of a stack's is the one whose endpoint the
// stack has created for the service.
func (g endpointServices) offered(c *aws.Call, service controlService) *store.Entry {
	name := ""
	if object := g.Get(g.objectKey(controlPlaneVersion, crd.EndpointService, service.name)); object != nil {
		name = object.State.Object("status").String("endpointServiceName")
	}
	for _, rec := range c.All(awstype.VPCEndpoint) {
		if tags := rec.State.Object("tags"); tags.String("kubernetes.io/cluster/"+g.infraID) == "owned" &&
			tags.String(serviceTag) == service.name {
			name = cmp.Or(name, rec.State.String("serviceName"))
		}
	}
	for _, rec := range c.All(awstype.VPCEndpointService) {
		if rec.State.String("serviceName") == name ||
			slices.Contains(rec.State.Strings("networkLoadBalancerArns"), g.balancer(c, service)) {
			return rec
		}
	}
	return nil
}

// deleteEndpointService deletes the endpoint service of one of the cluster's services, also one that the operator has
// adopted from a stack. It rejects the connections of other endpoints first.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/platform/aws/controller.go
func (g endpointServices) deleteEndpointService(service controlService) error {
	var found *store.Entry
	if err := g.inManagement(func(c *aws.Call) error {
		found = g.offered(c, service)
		return nil
	}); err != nil || found == nil {
		return err
	}
	accounts, err := g.All()
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if err := account.In(found.Scope, func(c *aws.Call) error {
			for _, endpoint := range c.Where(awstype.VPCEndpoint, "serviceName", found.State.String("serviceName")) {
				c.Edit(awstype.VPCEndpoint, endpoint.ID).State["state"] = aws.RejectedConnection
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return g.inManagement(func(c *aws.Call) error { return c.Unmake(awstype.VPCEndpointService, found.ID) })
}

// inManagement runs act in the account and region of the management cluster. Its account is the one that has the bucket
// with the issuers' documents, otherwise the cluster's own. Its region is the one that the hypershift-operator was
// installed for, otherwise the bucket's, otherwise the cluster's own.
func (g endpointServices) inManagement(act func(*aws.Call) error) error {
	id, region := "", ""
	bucket, _ := issuer(g).discoveryBucket()
	if _, err := g.withBucket(bucket, func(c *aws.Call) error {
		id, region = c.Account, c.Region
		return nil
	}); err != nil {
		return err
	}
	region = cmp.Or(g.operatorRegion(), region, g.region)
	if id == "" {
		return g.lookingIn(region, act)
	}
	account, err := g.Account(id)
	if err != nil {
		return err
	}
	return account.In(region, act)
}

// operatorRegion returns the region in the hypershift-operator's Deployment, "" if the cluster has none.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/platform/aws/controller.go
func (g endpointServices) operatorRegion() string {
	operator := g.Get(store.Key{
		Scope: "hypershift", Token: "kubernetes:apps/v1:Deployment", ID: "hypershift/operator",
	})
	if operator == nil {
		return ""
	}
	for _, container := range operator.State.Object("spec").Object("template").Object("spec").Objects("containers") {
		for _, variable := range container.Objects("env") {
			if container.String("name") == "operator" && variable.String("name") == "AWS_REGION" {
				return variable.String("value")
			}
		}
	}
	return ""
}
