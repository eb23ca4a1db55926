package connectivity

import (
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// fromElsewhere returns the paths of clients in other networks than the nodes': to the nodes' endpoint with its names,
// and to the endpoints of consumers with theirs.
func (w clusterWalk) fromElsewhere() []status.Path {
	var paths []status.Path
	for _, client := range w.Clients {
		p := status.Path{Name: "client in " + client + " -> control plane over PrivateLink"}
		beyond(&p, awstype.RouteTable, "", "the route from "+client+" to "+w.VPCID+" and back is not of this stack")
		if endpoint := w.endpoint(&p); endpoint != nil && w.admit(&p, endpoint, client, nil, w.Port) {
			w.intoService(&p, endpoint)
		}
		paths = append(paths, p)
	}
	for _, vpc := range w.LocalZoneVPCs {
		paths = append(paths, w.associated(vpc))
	}
	for _, consumer := range w.Consumers {
		for _, client := range consumer.Clients {
			p := status.Path{Name: "client in " + client + " -> control plane over PrivateLink of consumer " + consumer.Name}
			if endpoint := w.consumerEndpoint(&p, consumer); endpoint != nil && w.admit(&p, endpoint, client, nil, w.Port) {
				w.intoService(&p, endpoint)
			}
			paths = append(paths, p)
		}
		for _, name := range consumer.Names {
			paths = append(paths, w.consumerName(consumer, name))
		}
	}
	return paths
}

// associated returns the path on which a VPC finds the names of the local zone.
func (w clusterWalk) associated(vpcID string) status.Path {
	p := status.Path{Name: "names in " + vpcID + " -> " + w.LocalZone}
	association := w.find(awstype.ZoneAssociation, func(r *props.Resource) bool {
		return r.String("vpcId") == vpcID && r.String("zoneId") == w.LocalZoneID
	})
	if association == nil {
		breaks(&p, awstype.HostedZone, w.withID(awstype.HostedZone, w.LocalZoneID), "is not associated with "+vpcID)
		return p
	}
	p.Hops = append(p.Hops, status.Hop{Kind: hop(awstype.HostedZone), Name: association.Name, ID: w.LocalZoneID,
		Verdict: status.Holds, Why: "associated with " + vpcID})
	return p
}

// consumerEndpoint adds the endpoint of a consumer to the path; it is nil where the path ends there.
func (w clusterWalk) consumerEndpoint(p *status.Path, consumer config.ConsumerPaths) *props.Resource {
	endpoint := w.find(awstype.VPCEndpoint, func(r *props.Resource) bool { return r.Name == consumer.Endpoint })
	if endpoint == nil && w.OperatorOwned {
		beyond(p, awstype.VPCEndpoint, "", "is created by the `up` after HyperShift's operator has created its endpoint service")
		return nil
	}
	return w.connected(p, endpoint, "there is no endpoint of consumer "+consumer.Name+" in "+consumer.VPCID)
}

// consumerName returns the path on which a client in the VPC of a consumer resolves a name: the VPC's private zone that
// has it, its record and the consumer's endpoint.
func (w clusterWalk) consumerName(consumer config.ConsumerPaths, name string) status.Path {
	p := status.Path{Name: name + " in " + consumer.VPCID + " -> endpoint of consumer " + consumer.Name}
	var endpoint status.Path
	target := w.consumerEndpoint(&endpoint, consumer)
	if target == nil {
		p.Hops = endpoint.Hops
		return p
	}
	record := w.find(awstype.Record, func(r *props.Resource) bool {
		return (sameName(r.String("name"), name) || sameName(r.String("fqdn"), name)) && pointsTo(r, target)
	})
	if record == nil && consumer.ExistingZoneID != "" {
		breaks(&p, awstype.Record, nil, consumer.ExistingZoneID+" has no record "+name+" of the endpoint "+target.ID)
		return p
	}
	if record == nil {
		breaks(&p, awstype.Record, nil,
			"no private zone of "+consumer.VPCID+" has a record "+name+" of the endpoint "+target.ID)
		return p
	}
	zone := w.withID(awstype.HostedZone, record.String("zoneId"))
	switch {
	case zone == nil:
		beyond(&p, awstype.HostedZone, record.String("zoneId"), "exists outside the stack")
	case !isOfVPC(zone, consumer.VPCID):
		breaks(&p, awstype.HostedZone, zone, "is not associated with "+consumer.VPCID)
		return p
	default:
		through(&p, zone, "associated with "+consumer.VPCID)
	}
	through(&p, record, record.String("type"))
	through(&p, target, target.String("serviceName"))
	return p
}

// isOfVPC reports whether a private zone is associated with a VPC.
func isOfVPC(zone *props.Resource, vpcID string) bool {
	for _, vpc := range zone.Objects("vpcs") {
		if vpc.String("vpcId") == vpcID {
			return true
		}
	}
	return false
}

// pointsTo reports whether a record has a DNS name of an endpoint as its value or its alias.
func pointsTo(record, endpoint *props.Resource) bool {
	targets := record.Strings("records")
	for _, alias := range record.Objects("aliases") {
		targets = append(targets, alias.String("name"))
	}
	for _, entry := range endpoint.Objects("dnsEntries") {
		for _, target := range targets {
			if sameName(entry.String("dnsName"), strings.TrimPrefix(target, "dualstack.")) {
				return true
			}
		}
	}
	return false
}
