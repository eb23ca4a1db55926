package hypershift

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

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

// guestOperators are the operators in a hosted cluster that create resources in AWS: cloud controller, ingress, and
// registry.
type guestOperators struct{ *hostedCluster }

// routerZones is the property of a router's load balancer that lists the zones with records for it.
const routerZones = "__zones"

// createClusterResources creates what they create in AWS: the cloud controller the router's load balancer with its
// security group, the ingress operator the DNS records for it, and the registry operator the registry's bucket. They
// are deleted with the HostedCluster if the spec requests a clean-up. A creation that AWS refuses is tried again at the
// next reconciliation.
func (g guestOperators) createClusterResources() error {
	for _, err := range []error{g.makeRouter(), g.makeRouterNames(), g.makeRegistry()} {
		if err != nil && !awserr.Is(err) {
			return err
		}
	}
	return nil
}

// seen returns a resource of the cluster's account, nil if there is none. No role is assumed to delete what does not
// exist.
func (g guestOperators) seen(find func(*aws.Call) *store.Entry) (rec *store.Entry, err error) {
	err = g.looking(func(c *aws.Call) error {
		rec = find(c)
		return nil
	})
	return rec, err
}

func (g guestOperators) routerName() string { return ids.StableEC2("a", g.infraID, "router")[2:] }

func (g guestOperators) router(c *aws.Call) *store.Entry {
	for _, balancer := range c.Where(awstype.LoadBalancer, "name", g.routerName()) {
		return balancer
	}
	return nil
}

// makeRouter creates the router's load balancer in the public subnets. A Private cluster has none: its router is
// reached by PrivateLink. It is a network load balancer, which blocks the same deletions as OpenShift's default, a
// classic load balancer.
func (g guestOperators) makeRouter() error {
	if g.access == "Private" || g.shared {
		return nil
	}
	return g.as(cloudControllerRole, func(a *agent) error {
		subnets := g.publicSubnets(a)
		if len(subnets) == 0 || g.router(a.Call) != nil {
			return nil
		}
		if err := a.may("elasticloadbalancing:CreateLoadBalancer"); err != nil {
			return err
		}
		group, err := g.securityGroup(a, "k8s-elb-"+g.routerName(),
			"Security group for Kubernetes ELB "+g.routerName()+" (openshift-ingress/router-default)", nil)
		if err != nil {
			return err
		}
		tags := g.tags("")
		tags["kubernetes.io/service-name"] = "openshift-ingress/router-default"
		_, err = a.Make(store.ByOperator, awstype.LoadBalancer, "", props.Map{"name": g.routerName(),
			"loadBalancerType": "network", "internal": false,
			"subnets": props.List(subnets...), "securityGroups": props.List(group.ID), "tags": tags})
		return err
	})
}

// publicSubnets returns the VPC's subnets that are tagged for public load balancers, one per zone. Those with the tags
// of other clusters alone are ignored. Source: cloud-provider-aws, pkg/providers/v1/aws.go (findSubnets).
func (g guestOperators) publicSubnets(a *agent) []string {
	var subnets []string
	seen := map[string]bool{}
	for _, subnet := range a.Where(awstype.Subnet, "vpcId", g.vpc) {
		zone, tags := subnet.State.String("availabilityZone"), subnet.State.Object("tags")
		isOthers := !tags.Has("kubernetes.io/cluster/"+g.infraID) &&
			slices.ContainsFunc(slices.Collect(maps.Keys(tags)), func(key string) bool {
				return strings.HasPrefix(key, "kubernetes.io/cluster/")
			})
		if tags.Has("kubernetes.io/role/elb") && !isOthers && !seen[zone] {
			seen[zone] = true
			subnets = append(subnets, subnet.ID)
		}
	}
	return subnets
}

// apps returns the domain of the cluster's applications.
func (g guestOperators) apps() string {
	dns := g.spec.Object("dns")
	prefix := g.name + "."
	if given, has := dns["baseDomainPrefix"].(string); has {
		if prefix = given + "."; given == "" {
			prefix = ""
		}
	}
	return "*.apps." + prefix + dns.String("baseDomain")
}

// makeRouterNames creates the records of the applications' domain in the zones of the cluster's spec.
func (g guestOperators) makeRouterNames() error {
	return g.as(ingressRole, func(a *agent) error {
		router := g.router(a.Call)
		if router == nil {
			return nil
		}
		router = router.Clone()
		zones := router.State.Strings(routerZones)
		for _, id := range []string{g.spec.Object("dns").String("publicZoneID"),
			g.spec.Object("dns").String("privateZoneID")} {
			if id == "" || slices.Contains(zones, id) || a.Find(awstype.HostedZone, id) == nil {
				continue
			}
			if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
				return err
			}
			if _, err := a.Make(store.ByOperator, awstype.Record, "", props.Map{"zoneId": id, "name": g.apps(), "type": "A",
				"aliases": []any{map[string]any{
					"name": router.State["dnsName"], "zoneId": router.State["zoneId"], "evaluateTargetHealth": false}}}); err != nil {
				return err
			}
			zones = append(zones, id)
			router.State[routerZones] = props.List(zones...)
			a.Put(router)
		}
		return nil
	})
}

func (g guestOperators) registryBucket() string {
	return fmt.Sprintf("%s-image-registry-%s-%s", g.infraID, g.region, strings.ToLower(ids.StableCode("", g.infraID)))
}

func (g guestOperators) makeRegistry() error {
	if slices.Contains(g.spec.Object("capabilities").Strings("disabled"), "ImageRegistry") {
		return nil
	}
	return g.as(registryRole, func(a *agent) error {
		if a.Find(awstype.Bucket, g.registryBucket()) != nil {
			return nil
		}
		if err := a.may("s3:CreateBucket"); err != nil {
			return err
		}
		_, err := a.Make(store.ByOperator, awstype.Bucket, "", props.Map{
			"bucket": g.registryBucket(),
			"tags":   g.tags(g.registryBucket()),
		})
		return err
	})
}

// deleteClusterResources deletes what createClusterResources has created. It fails with AWS's error, and returns what
// remains.
func (g guestOperators) deleteClusterResources() (remaining string, err error) {
	for _, part := range []struct {
		name, kind string
		remove     func() error
	}{
		{"image-registry", faults.LeaveBuckets, g.removeRegistry},
		{"ingress-controllers", faults.LeaveRecords, g.removeRouterNames},
		{"loadbalancers", faults.LeaveLoadBalancers, g.removeRouter},
	} {
		if g.how.Leaves(part.kind) {
			continue
		}
		if err := part.remove(); err != nil {
			return part.name, err
		}
	}
	return "", nil
}

func (g guestOperators) removeRegistry() error {
	bucket, err := g.seen(func(c *aws.Call) *store.Entry { return c.Find(awstype.Bucket, g.registryBucket()) })
	if err != nil || bucket == nil {
		return err
	}
	return g.as(registryRole, func(a *agent) error {
		if err := a.may("s3:DeleteBucket"); err != nil {
			return err
		}
		return a.Unmake(awstype.Bucket, g.registryBucket())
	})
}

// removeRouterNames: the zones of the router's records must exist. The ingress operator waits for a missing zone.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html
func (g guestOperators) removeRouterNames() error {
	router, err := g.seen(g.router)
	if err != nil || router == nil || len(router.State.Strings(routerZones)) == 0 {
		return err
	}
	return g.as(ingressRole, func(a *agent) error { return g.removeRouterNamesIn(a, router.State.Strings(routerZones)) })
}

// removeRouterNamesIn removes the records of the router from zones. Another process may have deleted the router since
// the zones were read; its records then have been removed too.
func (g guestOperators) removeRouterNamesIn(a *agent, zones []string) error {
	router := g.router(a.Call)
	if router == nil {
		return nil
	}
	router = router.Clone()
	for i, id := range zones {
		if a.Find(awstype.HostedZone, id) == nil {
			return awserr.Errorf("NoSuchHostedZone", "No hosted zone found with ID: %s", id)
		}
		if err := a.may("route53:ChangeResourceRecordSets"); err != nil {
			return err
		}
		for _, rec := range a.Where(awstype.Record, "zoneId", id) {
			if rec.State.String("fqdn") == g.apps() {
				a.Delete(rec)
			}
		}
		router.State[routerZones] = props.List(zones[i+1:]...)
		a.Put(router)
	}
	return nil
}

func (g guestOperators) removeRouter() error {
	router, err := g.seen(g.router)
	if err != nil || router == nil {
		return err
	}
	return g.as(cloudControllerRole, func(a *agent) error {
		if err := a.may("elasticloadbalancing:DeleteLoadBalancer"); err != nil {
			return err
		}
		router := g.router(a.Call)
		if router == nil { // deleted since it was seen
			return nil
		}
		if err := a.Unmake(awstype.LoadBalancer, router.ID); err != nil {
			return err
		}
		return g.removeGroup(a, "k8s-elb-"+g.routerName())
	})
}

// backups completes new backups, and enables new schedules, as Velero does. An offline cluster stores no contents.
func (o *reconciler) backups() {
	for kind, phase := range map[string]string{crd.Backup: "Completed", crd.Schedule: "Enabled"} {
		for _, rec := range o.everywhere("kubernetes:" + crd.VeleroAPIVersion + ":" + kind) {
			if rec.State.Object("status").String("phase") != "" {
				continue
			}
			after := rec.Clone()
			status := props.Map{"phase": phase}
			if kind == crd.Backup {
				status["completionTimestamp"] = o.now.UTC().Format(time.RFC3339)
			}
			after.State["status"] = map[string]any(status)
			kubernetes.Touch(after.State, rec.State)
			kubernetes.Keep(o.Tx, after)
		}
	}
}
