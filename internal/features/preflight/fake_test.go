package preflight

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/finding"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/iam/policy"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// fake is an account that answers what a test sets. What is not set is as it should be.
type fake struct {
	account.Account
	limits, used map[string]int
	denied       map[string]error
	simulated    []account.Denial
	notOptedIn   bool
	zones        []account.Zone
	offers       map[string][]string
	services     map[string][]string
	taken        map[string]Holder
	peers        []inventory.Resource
	servers      []any
	policies     map[string]account.Policies
	restricted   map[account.Restriction]string
}

func (f fake) Restricted(_ context.Context, what account.Restriction) (string, error) {
	return f.restricted[what], f.denied["Restricted"]
}

func (f fake) Snapshot() account.Account { return f }

func (f fake) Identity(context.Context) (awsconfig.Identity, error) {
	return awsconfig.Identity{Place: here, ARN: "arn:aws:iam::111111111111:role/deployer"}, f.denied["Identity"]
}

func (f fake) Limit(_ context.Context, q awstype.Quota, of string) (limit, used int, err error) {
	limit, set := f.limits[q.Name]
	if !set {
		limit = 1000
	}
	return limit, f.used[q.Name+of], f.denied["Limit"]
}

func (f fake) Simulate(context.Context, awsconfig.Identity, policy.Statement) ([]account.Denial, error) {
	return f.simulated, f.denied["Simulate"]
}

func (f fake) PoliciesOf(_ context.Context, role string) (account.Policies, error) {
	return f.policies[role], f.denied["PoliciesOf"]
}

func (f fake) RegionEnabled(context.Context) (bool, error) {
	return !f.notOptedIn, f.denied["RegionEnabled"]
}

func (f fake) Zones(context.Context) ([]account.Zone, error) { return f.zones, f.denied["Zones"] }

func (f fake) VCPUs(_ context.Context, types []string) (map[string]int, error) {
	counts := map[string]int{}
	for _, t := range types {
		counts[t] = 4
	}
	return counts, nil
}

func (f fake) Offers(context.Context, []string) (map[string][]string, error) {
	return f.offers, f.denied["Offers"]
}

func (f fake) ServiceZones(_ context.Context, service string) ([]string, bool, error) {
	zones, exists := f.services[service]
	return zones, exists, f.denied["ServiceZones"]
}

func (f fake) Head(_ context.Context, _, bucket, key string) (int, error) {
	name := bucket
	if infraID, is := strings.CutSuffix(key, "/.well-known/openid-configuration"); is {
		name = bucket + ".s3.us-east-1.amazonaws.com/" + infraID
	}
	status := map[Holder]int{Nobody: http.StatusNotFound, Own: http.StatusOK, Hidden: http.StatusForbidden}[f.taken[name]]
	if err := f.denied["Head"]; err != nil {
		return 0, err
	}
	return status, nil
}

func (f fake) List(_ context.Context, q account.Query) ([]inventory.Resource, error) {
	r := inventory.Resource{
		Type:       q.Type,
		ID:         q.Text("name"),
		Properties: map[string]any{"name": q.Text("name"), "url": q.Text("url")},
	}
	vpcs, _ := q.Inputs["vpcs"].([]any)
	switch {
	case q.Type == awstype.VPCPeering:
		return f.peers, f.denied["Peers"]
	case q.Type == awstype.Policy:
		_, r.ID, _ = strings.Cut(q.IDs[0], ":policy")
	case q.Type == awstype.HostedZone && f.servers != nil:
		r.Properties["nameServers"] = f.servers
		if len(q.IDs) > 0 {
			r.ID = q.IDs[0]
		}
		return []inventory.Resource{r}, f.denied["NameServers"]
	case len(vpcs) > 0:
		r.Properties["vpcs"] = vpcs
		r.ID += account.Texts(r, "vpcs.vpcId")[0]
	}
	if f.taken[r.ID] == Nobody {
		return nil, nil
	}
	return []inventory.Resource{r}, nil
}

var here = inventory.Place{Partition: "aws", Account: "111111111111", Region: "us-east-1"}

func created(token, name string, inputs map[string]any) Resource {
	return Resource{
		URN: "urn:pulumi:dev::hypershift-aws::" + token + "::" + name, Type: token, Place: here, Created: true, Inputs: inputs, From: map[string][]string{},
	}
}

// from returns which resources give an input.
func (r Resource) from(input string, given ...Resource) Resource {
	for _, g := range given {
		r.From[input] = append(r.From[input], g.URN)
	}
	r.Inputs[input] = plugin.UnknownStringValue
	return r
}

// networkPlan returns a VPC in two zones.
func networkPlan() Plan {
	vpc := created(awstype.VPC, "vpc", map[string]any{"cidrBlock": "10.0.0.0/16"})
	p := Plan{Stack: "dev", Own: here, Resources: []Resource{vpc}}
	for _, zone := range []string{"a", "b"} {
		subnet := created(awstype.Subnet, "subnet-"+zone, map[string]any{
			"availabilityZone": "us-east-1" + zone,
		}).from("vpcId", vpc)
		p.Resources = append(p.Resources, subnet,
			created(awstype.NATGateway, "nat-"+zone, map[string]any{}).from("subnetId", subnet),
			created(awstype.ElasticIP, "eip-"+zone, map[string]any{}))
	}
	endpoint := created(awstype.VPCEndpoint, "sts", map[string]any{
		"serviceName":     "com.amazonaws.us-east-1.sts",
		"vpcEndpointType": "Interface",
	}).
		from("vpcId", vpc).from("subnetIds", p.Resources[1], p.Resources[4])
	p.Resources = append(p.Resources, endpoint)
	return p
}

func findingOn(t *testing.T, r *Report, check, subject string) finding.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Check == check && f.Subject == subject {
			return f
		}
	}
	require.Failf(t, "no such finding", "%s %q in\n%s", check, subject, r.Text())
	return finding.Finding{}
}

func accessDenied(service, operation string) error {
	return &smithy.OperationError{
		ServiceID:     service,
		OperationName: operation,
		Err:           &smithy.GenericAPIError{Code: "AccessDenied", Message: "no"},
	}
}

type fakeDNS struct {
	servers []string
	// serves is the issuer whose documents are served.
	serves string
	// resolves are the names that a server resolves.
	resolves map[string][]string
	err      error
}

func (d fakeDNS) ServesDocuments(_ context.Context, issuer string) (bool, error) {
	return issuer == d.serves, nil
}

func (d fakeDNS) LookupNS(context.Context, string) ([]string, error) { return d.servers, d.err }

func (d fakeDNS) Resolves(_ context.Context, server, name string, zone bool) (bool, error) {
	if zone {
		name = "zone " + name
	}
	return slices.Contains(d.resolves[server], name), d.err
}
