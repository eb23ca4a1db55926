package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What runs in a hosted cluster makes things in AWS too: the router's load balancer with its security group, by the cloud
// controller; the names that lead to it, by the ingress operator; the registry's bucket, by the registry operator. They
// go when the HostedCluster goes, if it is told to clean up.
const (
	cloudController  = "kube-system:kube-controller-manager"
	ingressOperator  = "openshift-ingress-operator:ingress-operator"
	registryOperator = "openshift-image-registry:cluster-image-registry-operator"
)

// routerZones is what a router's load balancer keeps of the zones that names lead to it in.
const routerZones = "__zones"

// inhabit makes what runs in the cluster makes. What AWS refuses is tried again by the next look.
func (g *guest) inhabit() error {
	for _, err := range []error{g.makeRouter(), g.makeRouterNames(), g.makeRegistry()} {
		var refused *refusal
		if err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return nil
}

func (g *guest) asCloudController(act func(*agent) error) error {
	return g.as(g.aws.object("rolesRef").text("kubeCloudControllerARN"), cloudController, act)
}

func (g *guest) asIngress(act func(*agent) error) error {
	return g.as(g.aws.object("rolesRef").text("ingressARN"), ingressOperator, act)
}

func (g *guest) asRegistry(act func(*agent) error) error {
	return g.as(g.aws.object("rolesRef").text("imageRegistryARN"), registryOperator, act)
}

// looking reads the cluster's account with nobody's rights.
func (g *guest) looking(act func(*agent) error) error {
	m := roleARN.FindStringSubmatch(g.aws.object("rolesRef").text("controlPlaneOperatorARN"))
	if m == nil {
		return nil
	}
	account, err := g.account(m[1])
	if err != nil || account == nil {
		return err
	}
	at, err := siteOf(props{"region": g.region, "allowedAccountIds": list(m[1])})
	if err != nil {
		return err
	}
	return account.transact(func(t *accountTx) error { return act(&agent{call: &call{accountTx: t, site: at}}) })
}

func (g *guest) routerName() string { return stableID("a", g.infraID, "router")[2:] }

func (g *guest) router(a *agent) *record {
	for _, balancer := range a.all(loadBalancerToken) {
		if balancer.State.text("name") == g.routerName() {
			return balancer
		}
	}
	return nil
}

// makeRouter makes the router's load balancer in the public subnets. A Private cluster has none: its router is reached by
// PrivateLink. What stands here is a network load balancer, which holds what the classic one of OpenShift's default holds.
func (g *guest) makeRouter() error {
	if g.access == "Private" || g.shared {
		return nil
	}
	return g.asCloudController(func(a *agent) error {
		subnets := g.publicSubnets(a)
		if len(subnets) == 0 || g.router(a) != nil {
			return nil
		}
		if err := a.may("elasticloadbalancing:CreateLoadBalancer", "ec2:CreateSecurityGroup"); err != nil {
			return err
		}
		name := "k8s-elb-" + g.routerName()
		group := a.owned(securityGroupToken, g.infraID, name)
		var err error
		if group == nil {
			if group, err = a.make(securityGroupToken, props{"name": name, "vpcId": g.vpc, "tags": g.tags(name),
				"description": "Security group for Kubernetes ELB " + g.routerName() + " (openshift-ingress/router-default)"}); err != nil {
				return err
			}
		}
		tags := g.tags("")
		delete(tags, "Name")
		tags["kubernetes.io/service-name"] = "openshift-ingress/router-default"
		_, err = a.make(loadBalancerToken, props{"name": g.routerName(), "loadBalancerType": "network", "internal": false,
			"subnets": list(subnets...), "securityGroups": list(group.ID), "tags": tags})
		return err
	})
}

// publicSubnets are those of the VPC that are tagged for public load balancers, one a zone.
func (g *guest) publicSubnets(a *agent) []string {
	var subnets []string
	seen := map[string]bool{}
	for _, subnet := range a.all(subnetToken) {
		zone := subnet.State.text("availabilityZone")
		if subnet.State.text("vpcId") == g.vpc && subnet.State.object("tags").has("kubernetes.io/role/elb") && !seen[zone] {
			seen[zone] = true
			subnets = append(subnets, subnet.ID)
		}
	}
	return subnets
}

// apps is the domain of what the cluster serves.
func (g *guest) apps() string {
	dns := g.spec.object("dns")
	prefix := g.name + "."
	if given, has := dns["baseDomainPrefix"].(string); has {
		if prefix = given + "."; given == "" {
			prefix = ""
		}
	}
	return "*.apps." + prefix + dns.text("baseDomain")
}

// makeRouterNames leads the apps' names to the router in the zones that the cluster names.
func (g *guest) makeRouterNames() error {
	return g.asIngress(func(a *agent) error {
		router := g.router(a)
		if router == nil {
			return nil
		}
		router = router.clone()
		zones := router.State.texts(routerZones)
		for _, id := range []string{g.spec.object("dns").text("publicZoneID"), g.spec.object("dns").text("privateZoneID")} {
			if id == "" || slices.Contains(zones, id) || a.find(zoneToken, id) == nil {
				continue
			}
			if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
				return err
			}
			if _, err := a.make(recordToken, props{"zoneId": id, "name": g.apps(), "type": "A", "aliases": []any{map[string]any{
				"name": router.State["dnsName"], "zoneId": router.State["zoneId"], "evaluateTargetHealth": false}}}); err != nil {
				return err
			}
			zones = append(zones, id)
			router.State[routerZones] = list(zones...)
			a.put(router)
		}
		return nil
	})
}

func (g *guest) registryBucket() string {
	return fmt.Sprintf("%s-image-registry-%s-%s", g.infraID, g.region, strings.ToLower(stableCode("", g.infraID)))
}

func (g *guest) makeRegistry() error {
	if slices.Contains(g.spec.object("capabilities").texts("disabled"), "ImageRegistry") {
		return nil
	}
	return g.asRegistry(func(a *agent) error {
		if a.find(bucketToken, g.registryBucket()) != nil {
			return nil
		}
		if err := a.may("s3:CreateBucket"); err != nil {
			return err
		}
		_, err := a.make(bucketToken, props{"bucket": g.registryBucket(), "tags": g.tags(g.registryBucket())})
		return err
	})
}

// evict takes away what inhabit has made. It fails with AWS's refusal, and says what remains.
func (g *guest) evict() (remaining string, err error) {
	for _, part := range []struct {
		name   string
		remove func() error
	}{{"image-registry", g.removeRegistry}, {"ingress-controllers", g.removeRouterNames}, {"loadbalancers", g.removeRouter}} {
		if err := part.remove(); err != nil {
			return part.name, err
		}
	}
	return "", nil
}

func (g *guest) removeRegistry() error {
	there := false
	err := g.looking(func(a *agent) error {
		there = a.find(bucketToken, g.registryBucket()) != nil
		return nil
	})
	if err != nil || !there {
		return err
	}
	return g.asRegistry(func(a *agent) error {
		if err := a.may("s3:DeleteBucket"); err != nil {
			return err
		}
		return a.unmake(bucketToken, g.registryBucket())
	})
}

// routed says whether there is a router's load balancer, and the zones with names that lead to it.
func (g *guest) routed() (there bool, zones []string, err error) {
	err = g.looking(func(a *agent) error {
		if router := g.router(a); router != nil {
			there, zones = true, router.State.texts(routerZones)
		}
		return nil
	})
	return there, zones, err
}

// removeRouterNames: the zones of the router's names are there. The ingress operator waits for one that is gone.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html
func (g *guest) removeRouterNames() error {
	_, zones, err := g.routed()
	if err != nil || len(zones) == 0 {
		return err
	}
	return g.asIngress(func(a *agent) error {
		router := g.router(a).clone()
		for i, id := range zones {
			if a.find(zoneToken, id) == nil {
				return refuse("NoSuchHostedZone", "No hosted zone found with ID: %s", id)
			}
			if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
				return err
			}
			for _, rec := range a.all(recordToken) {
				if rec.State.text("zoneId") == id && rec.State.text("fqdn") == g.apps() {
					a.drop(rec)
				}
			}
			router.State[routerZones] = list(zones[i+1:]...)
			a.put(router)
		}
		return nil
	})
}

func (g *guest) removeRouter() error {
	there, _, err := g.routed()
	if err != nil || !there {
		return err
	}
	return g.asCloudController(func(a *agent) error {
		if err := a.may("elasticloadbalancing:DeleteLoadBalancer"); err != nil {
			return err
		}
		if err := a.unmake(loadBalancerToken, g.router(a).ID); err != nil {
			return err
		}
		return g.removeGroup(a, "k8s-elb-"+g.routerName())
	})
}
