package connectivity

import (
	"github.com/hypershift-aws/hypershift-aws/api/status"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// name returns the path on which a node resolves a name of the control plane: the local zone, the name's record and the
// endpoint that it points to.
func (w clusterWalk) name(name string) status.Path {
	fqdn := name + "." + w.LocalZone
	p := status.Path{Name: fqdn + " -> endpoint"}
	zone := w.withID(awstype.HostedZone, w.LocalZoneID)
	if zone == nil && w.ExistingVPC {
		beyond(&p, awstype.HostedZone, w.LocalZoneID, w.LocalZone+" exists outside the stack")
		return p
	}
	if zone == nil {
		breaks(&p, awstype.HostedZone, nil, w.LocalZone+" does not exist")
		return p
	}
	associated := false
	for _, vpc := range zone.Objects("vpcs") {
		associated = associated || vpc.String("vpcId") == w.VPCID
	}
	if !associated {
		breaks(&p, awstype.HostedZone, zone, "is not associated with "+w.VPCID)
		return p
	}
	through(&p, zone, "associated with "+w.VPCID)
	record := w.find(awstype.Record, func(r *props.Resource) bool {
		return r.String("zoneId") == zone.ID && r.String("type") == "CNAME" && (sameName(r.String("name"), fqdn) ||
			sameName(r.String("fqdn"), fqdn))
	})
	if record == nil && w.OperatorOwned {
		beyond(&p, awstype.Record, "", "HyperShift's operator creates it, and the stack's state does not have it")
		return p
	}
	if record == nil && name == "api" && w.APIServerLoadBalancer {
		beyond(&p, awstype.Record, "", "HyperShift's operator creates it: it points to the endpoint of the API server's own load balancer")
		return p
	}
	if record == nil {
		breaks(&p, awstype.Record, zone, "has no CNAME "+fqdn)
		return p
	}
	target := ""
	if values := record.Strings("records"); len(values) > 0 {
		target = values[0]
	}
	through(&p, record, "CNAME "+target)
	endpoint := w.find(awstype.VPCEndpoint, func(r *props.Resource) bool {
		for _, entry := range r.Objects("dnsEntries") {
			if sameName(entry.String("dnsName"), target) {
				return true
			}
		}
		return false
	})
	if endpoint == nil {
		breaks(&p, awstype.VPCEndpoint, nil, "no endpoint has the name "+target)
		return p
	}
	through(&p, endpoint, endpoint.String("serviceName"))
	return p
}
