package connectivity

import (
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
)

// name returns the path by which a node resolves a name of the control plane: the local zone, the name's record and the endpoint that it
// points to.
func (g *Graph) name(c Cluster, name string) Path {
	fqdn := name + "." + c.LocalZone
	p := Path{Name: fqdn + " -> endpoint"}
	zone := g.withID(awstype.HostedZone, c.LocalZoneID)
	if zone == nil && c.GivenVPC {
		p.beyond(awstype.HostedZone, c.LocalZoneID, c.LocalZone+" exists outside the stack")
		return p
	}
	if zone == nil {
		p.breaks(awstype.HostedZone, nil, c.LocalZone+" does not exist")
		return p
	}
	associated := false
	for _, vpc := range zone.Objects("vpcs") {
		associated = associated || vpc.String("vpcId") == c.VPCID
	}
	if !associated {
		p.breaks(awstype.HostedZone, zone, "is not associated with "+c.VPCID)
		return p
	}
	p.through(zone, "associated with "+c.VPCID)
	record := g.find(awstype.Record, func(r *props.Resource) bool {
		return r.String("zoneId") == zone.ID && r.String("type") == "CNAME" && (sameName(r.String("name"), fqdn) || sameName(r.String("fqdn"), fqdn))
	})
	if record == nil && c.OperatorOwned {
		p.beyond(awstype.Record, "", "HyperShift's operator creates it, and the stack has not read it yet")
		return p
	}
	if record == nil && name == "api" && c.APIServerLoadBalancer {
		p.beyond(awstype.Record, "", "HyperShift's operator creates it: it points to the endpoint of the API server's own load balancer")
		return p
	}
	if record == nil {
		p.breaks(awstype.Record, zone, "has no CNAME "+fqdn)
		return p
	}
	target := ""
	if values := record.Strings("records"); len(values) > 0 {
		target = values[0]
	}
	p.through(record, "CNAME "+target)
	endpoint := g.find(awstype.VPCEndpoint, func(r *props.Resource) bool {
		for _, entry := range r.Objects("dnsEntries") {
			if sameName(entry.String("dnsName"), target) {
				return true
			}
		}
		return false
	})
	if endpoint == nil {
		p.breaks(awstype.VPCEndpoint, nil, "no endpoint has the name "+target)
		return p
	}
	p.through(endpoint, endpoint.String("serviceName"))
	return p
}
