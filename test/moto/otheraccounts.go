package moto

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	route53types "github.com/aws/aws-sdk-go-v2/service/route53/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// ownAccount is the account of credentials that no role has.
const ownAccount = "123456789012"

// accountHeader lets moto answer a request as an account, whatever its credentials are.
const accountHeader = "x-moto-account-id"

// accounts are the accounts of a judge's requests. AWS lets one account use what another one shares with it, and each
// account of moto sees its own resources only.
type accounts struct {
	compute *ec2.Client
	names   *route53.Client

	mu sync.Mutex
	// byKey are accounts by the access key of a role's session, "" for that of other keys.
	byKey map[string]string
}

// accountsOf returns the accounts of requests to the moto of a client; nil is for a list of the answers.
func accountsOf(compute *ec2.Client) *accounts {
	a := &accounts{compute: compute, byKey: map[string]string{"": ownAccount}}
	if compute != nil {
		o := compute.Options()
		a.names = route53.New(route53.Options{BaseEndpoint: o.BaseEndpoint, Region: o.Region, Credentials: o.Credentials})
	}
	return a
}

// computeAs and namesAs are options of operations that moto answers as an account.
func computeAs(account string) func(*ec2.Options) {
	return func(o *ec2.Options) {
		o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue(accountHeader, account))
	}
}

func namesAs(account string) func(*route53.Options) {
	return func(o *route53.Options) {
		o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue(accountHeader, account))
	}
}

// all returns every account.
func (a *accounts) all() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Compact(slices.Sorted(maps.Values(a.byKey)))
}

// accessKey matches the access key in a request's signature, and the one of a role's session.
var (
	accessKey  = regexp.MustCompile(`Credential=([^/]+)/`)
	sessionKey = regexp.MustCompile(`<AccessKeyId>([^<]*)</AccessKeyId>`)
)

// caller returns the account of a request.
func (a *accounts) caller(r *http.Request) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := append(accessKey.FindStringSubmatch(r.Header.Get("Authorization")), "", "")[1]
	return cmp.Or(a.byKey[key], ownAccount)
}

// sessions is the answer by which the accounts of requests are known.
func (a *accounts) sessions() Answer {
	return Answer{
		Action: "sts:AssumeRole", AWS: "moto's: a request has the account of the role whose key signs it",
		Change: func(form url.Values, status int, text string) (int, string) {
			if key := sessionKey.FindStringSubmatch(text); key != nil {
				a.mu.Lock()
				defer a.mu.Unlock()
				a.byKey[key[1]] = strings.Split(form.Get("RoleArn"), ":")[4]
			}
			return status, text
		},
	}
}

// zone returns the owner of the private zone in a request's path, and its name; "" if there is none.
func (a *accounts) zone(r *http.Request) (owner, id, name string) {
	id = path.Base(path.Dir(strings.TrimSuffix(r.URL.Path, "/")))
	for _, account := range a.all() {
		found, err := a.names.GetHostedZone(r.Context(), &route53.GetHostedZoneInput{Id: &id}, namesAs(account))
		if err == nil && found.HostedZone.Config.PrivateZone {
			owner, name = account, aws.ToString(found.HostedZone.Name)
		}
	}
	return owner, id, name
}

// association is a zone of a VPC.
type association struct{ zone, name, owner string }

// zonesOf returns the zones of a VPC, of every account.
func (a *accounts) zonesOf(ctx context.Context, vpc, region string) (all []association) {
	input := &route53.ListHostedZonesByVPCInput{VPCId: &vpc, VPCRegion: route53types.VPCRegion(region)}
	for _, account := range a.all() {
		found, err := a.names.ListHostedZonesByVPC(ctx, input, namesAs(account))
		if err != nil {
			continue
		}
		for _, zone := range found.HostedZoneSummaries {
			id := strings.TrimPrefix(aws.ToString(zone.HostedZoneId), "/hostedzone/")
			all = append(all, association{id, aws.ToString(zone.Name), account})
		}
	}
	return all
}

// zoneVPC is the body of a request about a VPC of a zone.
type zoneVPC struct {
	VPC struct{ VPCRegion, VPCId string }
}

func (v zoneVPC) text() string {
	return fmt.Sprintf("<VPC><VPCRegion>%s</VPCRegion><VPCId>%s</VPCId></VPC>", v.VPC.VPCRegion, v.VPC.VPCId)
}

// vpcOf returns the body of a request, which can be read again.
func vpcOf(r *http.Request) (v zoneVPC) {
	body, _ := io.ReadAll(r.Body) // the proxy has read it before
	r.Body = io.NopCloser(bytes.NewReader(body))
	_ = xml.Unmarshal(body, &v) // none for a request without a body
	return v
}

// answered53 returns an answer of Route 53 with the elements inside.
func answered53(action, inside string) (int, string) {
	return http.StatusOK, fmt.Sprintf(`<%sResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/">%s</%sResponse>`,
		action, inside, action)
}

// refused53 returns an error of Route 53.
func refused53(status int, code, message string) (int, string, bool) {
	return status, fmt.Sprintf(`<ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type>`+
		`<Code>%s</Code><Message>%s</Message></Error><RequestId>1</RequestId></ErrorResponse>`, code, message), true
}

// zoneID matches the ID of a zone in the answer to its creation.
var zoneID = regexp.MustCompile(`<Id>/hostedzone/([^<]*)</Id>`)

// createZone creates zones until one has an ID of AWS's form, which begins with Z: stacks that take it from others
// compare it.
func (a *accounts) createZone(r *http.Request, _ url.Values) (int, string, bool) {
	body, _ := io.ReadAll(r.Body) // the proxy has read it before
	if bytes.Contains(body, []byte("<VPC>")) && !bytes.Contains(body, []byte("<PrivateZone>")) {
		body = bytes.Replace(body, []byte("</HostedZoneConfig>"),
			[]byte("<PrivateZone>true</PrivateZone></HostedZoneConfig>"), 1)
	}
	for {
		request, err := http.NewRequestWithContext(r.Context(), http.MethodPost,
			*a.compute.Options().BaseEndpoint+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			return refused53(http.StatusBadGateway, "ServiceUnavailable", err.Error())
		}
		request.Header = r.Header.Clone()
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return refused53(http.StatusBadGateway, "ServiceUnavailable", err.Error())
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		made := zoneID.FindSubmatch(text)
		if made == nil || made[1][0] == 'Z' {
			return answer.StatusCode, string(text), true
		}
		if _, err := a.names.DeleteHostedZone(r.Context(), &route53.DeleteHostedZoneInput{Id: aws.String(string(made[1]))},
			namesAs(a.caller(r))); err != nil {
			return refused53(http.StatusBadGateway, "ServiceUnavailable", err.Error())
		}
	}
}

// zones are the answers about zones of one account in VPCs of another one, of which moto has none.
func (a *accounts) zones() []Answer {
	var mu sync.Mutex
	authorized := map[string][]zoneVPC{} // by the zone's ID
	is := func(v zoneVPC) func(zoneVPC) bool { return func(other zoneVPC) bool { return v == other } }
	// own answers a request that only the zone's owner may send
	own := func(answer func(id string, v zoneVPC) (int, string)) func(*http.Request, url.Values) (int, string, bool) {
		return func(r *http.Request, _ url.Values) (int, string, bool) {
			owner, id, _ := a.zone(r)
			if owner != a.caller(r) {
				return refused53(http.StatusNotFound, "NoSuchHostedZone", "No hosted zone found with ID: "+id)
			}
			mu.Lock()
			defer mu.Unlock()
			status, text := answer(id, vpcOf(r))
			return status, text, true
		}
	}
	asOwner := func(r *http.Request, body string) string {
		owner, _, _ := a.zone(r)
		r.Header.Set(accountHeader, owner)
		return body
	}
	return []Answer{{
		Action: "route53:CreateHostedZone", AWS: "a zone that is created with a VPC is private, and its ID begins with Z",
		Instead: a.createZone,
	}, {
		Action: "route53:CreateVPCAssociationAuthorization",
		AWS:    "the owner of a private zone authorizes a VPC of another account",
		Instead: own(func(id string, v zoneVPC) (int, string) {
			if !slices.ContainsFunc(authorized[id], is(v)) {
				authorized[id] = append(authorized[id], v)
			}
			return answered53("CreateVPCAssociationAuthorization", "<HostedZoneId>"+id+"</HostedZoneId>"+v.text())
		}),
	}, {
		Action: "route53:ListVPCAssociationAuthorizations", AWS: "likewise",
		Instead: own(func(id string, _ zoneVPC) (int, string) {
			list := ""
			for _, v := range authorized[id] {
				list += v.text()
			}
			return answered53("ListVPCAssociationAuthorizations",
				"<HostedZoneId>"+id+"</HostedZoneId><VPCs>"+list+"</VPCs>")
		}),
	}, {
		Action: "route53:DeleteVPCAssociationAuthorization", AWS: "an association outlives its authorization",
		Instead: own(func(id string, v zoneVPC) (int, string) {
			if !slices.ContainsFunc(authorized[id], is(v)) {
				status, text, _ := refused53(http.StatusNotFound, "VPCAssociationAuthorizationNotFound",
					"no authorization of "+v.VPC.VPCId)
				return status, text
			}
			authorized[id] = slices.DeleteFunc(authorized[id], is(v))
			return answered53("DeleteVPCAssociationAuthorization", "")
		}),
	}, {
		Action: "route53:AssociateVPCWithHostedZone", Request: asOwner,
		AWS: "a VPC's owner associates it with an authorized zone of another account; a VPC has one zone of a name",
		Instead: func(r *http.Request, _ url.Values) (int, string, bool) {
			v, caller := vpcOf(r), a.caller(r)
			owner, id, name := a.zone(r)
			mu.Lock()
			allowed := owner == caller || slices.ContainsFunc(authorized[id], is(v))
			mu.Unlock()
			_, failed := a.compute.DescribeVpcs(r.Context(), &ec2.DescribeVpcsInput{VpcIds: []string{v.VPC.VPCId}},
				computeAs(caller))
			switch {
			case owner == "":
				return refused53(http.StatusNotFound, "NoSuchHostedZone", "No hosted zone found with ID: "+id)
			case !allowed:
				return refused53(http.StatusUnauthorized, "NotAuthorizedException", "The VPC: "+v.VPC.VPCId+
					" has not authorized to associate with your hosted zone.")
			case failed != nil:
				return refused53(http.StatusBadRequest, "InvalidVPCId", "The VPC: "+v.VPC.VPCId+" does not exist.")
			case slices.ContainsFunc(a.zonesOf(r.Context(), v.VPC.VPCId, v.VPC.VPCRegion),
				func(other association) bool { return other.name == name }):
				return refused53(http.StatusBadRequest, "ConflictingDomainExists", "The VPC: "+v.VPC.VPCId+
					" in region "+v.VPC.VPCRegion+" has already been associated with the hosted zone "+id+
					" with the same domain name.")
			}
			return 0, "", false
		},
	}, {
		Action: "route53:DisassociateVPCFromHostedZone", AWS: "either owner ends an association", Request: asOwner,
	}, {
		Action: "route53:ListHostedZonesByVPC", AWS: "a VPC's zones are those of every account",
		Instead: func(r *http.Request, _ url.Values) (int, string, bool) {
			list := ""
			for _, zone := range a.zonesOf(r.Context(), r.URL.Query().Get("vpcid"), r.URL.Query().Get("vpcregion")) {
				list += fmt.Sprintf("<HostedZoneSummary><HostedZoneId>%s</HostedZoneId><Name>%s</Name><Owner>"+
					"<OwningAccount>%s</OwningAccount></Owner></HostedZoneSummary>", zone.zone, zone.name, zone.owner)
			}
			status, text := answered53("ListHostedZonesByVPC",
				"<HostedZoneSummaries>"+list+"</HostedZoneSummaries><MaxItems>100</MaxItems>")
			return status, text, true
		},
	}}
}

// service returns an endpoint service by its name, with the account that has it; nil if there is none.
func (a *accounts) service(ctx context.Context, name string) (owner string, of *ec2types.ServiceConfiguration) {
	ids := []string{name[strings.LastIndex(name, ".")+1:]}
	for _, account := range a.all() {
		found, err := a.compute.DescribeVpcEndpointServiceConfigurations(ctx,
			&ec2.DescribeVpcEndpointServiceConfigurationsInput{ServiceIds: ids}, computeAs(account))
		if err == nil {
			owner, of = account, &found.ServiceConfigurations[0]
		}
	}
	return owner, of
}

// allows reports whether an account may connect to an endpoint service of another one.
func (a *accounts) allows(
	ctx context.Context,
	owner string,
	service *ec2types.ServiceConfiguration,
	caller string,
) bool {
	allowed, err := a.compute.DescribeVpcEndpointServicePermissions(ctx,
		&ec2.DescribeVpcEndpointServicePermissionsInput{ServiceId: service.ServiceId},
		computeAs(owner))
	return err == nil && slices.ContainsFunc(allowed.AllowedPrincipals, func(p ec2types.AllowedPrincipal) bool {
		principal := aws.ToString(p.Principal)
		return principal == "*" || strings.HasPrefix(principal, "arn:aws:iam::"+caller+":")
	})
}

// isShared reports whether the name of an endpoint service is not one of AWS's own.
func isShared(service string) bool { return strings.Contains(service, ".vpce-svc-") }

// missingService refuses an endpoint service that the caller may not use, and leaves others to moto.
func (a *accounts) missingService(r *http.Request, name string) (int, string, bool) {
	if !isShared(name) {
		return 0, "", false
	}
	owner, service := a.service(r.Context(), name)
	if caller := a.caller(r); owner == caller || service != nil && a.allows(r.Context(), owner, service, caller) {
		return 0, "", false
	}
	return refused("InvalidServiceName", "The Vpc Endpoint Service '"+name+"' does not exist")
}

var (
	endpointID    = regexp.MustCompile(`<vpcEndpointId>([^<]*)</vpcEndpointId>`)
	endpointZone  = regexp.MustCompile(`<hostedZoneId>[^<]*</hostedZoneId>`)
	endpointState = regexp.MustCompile(`(?s)<vpcEndpointId>[^<]*</vpcEndpointId>.*?<state>available<`)
)

// services are the answers about endpoint services of one account with endpoints of another one, and the change of an
// answer with endpoints: some wait for their acceptance, and their names are in the zone of us-east-1.
func (a *accounts) services() (answers []Answer, waiting func(text string) string) {
	var pending sync.Map // by the endpoint's ID
	waiting = func(text string) string {
		text = endpointZone.ReplaceAllString(text, "<hostedZoneId>Z7HUB22UULQXV</hostedZoneId>")
		return endpointState.ReplaceAllStringFunc(text, func(item string) string {
			if _, waits := pending.Load(endpointID.FindStringSubmatch(item)[1]); waits {
				return strings.TrimSuffix(item, "available<") + "pendingAcceptance<"
			}
			return item
		})
	}
	return []Answer{{
		Action: "ec2:CreateVpcEndpoint", AWS: "a service's allowed principals may connect to it, and wait if it requires acceptance",
		Instead: func(r *http.Request, form url.Values) (int, string, bool) {
			return a.missingService(r, form.Get("ServiceName"))
		},
		Change: func(form url.Values, status int, text string) (int, string) {
			if id, name := endpointID.FindStringSubmatch(text), form.Get("ServiceName"); id != nil && isShared(name) {
				if _, service := a.service(context.Background(), name); service != nil && *service.AcceptanceRequired {
					pending.Store(id[1], true)
				}
			}
			return status, waiting(text)
		},
	}, {
		Action: "ec2:DeleteVpcEndpointServiceConfigurations", AWS: "a service with connected endpoints is not deleted",
		Instead: func(r *http.Request, form url.Values) (int, string, bool) {
			id, connected := form.Get("ServiceId.1"), false
			for _, account := range a.all() {
				found, err := a.compute.DescribeVpcEndpoints(r.Context(), &ec2.DescribeVpcEndpointsInput{}, computeAs(account))
				connected = connected || err == nil && slices.ContainsFunc(found.VpcEndpoints, func(e ec2types.VpcEndpoint) bool {
					return strings.HasSuffix(aws.ToString(e.ServiceName), "."+id) &&
						!strings.EqualFold(string(e.State), string(ec2types.StateDeleted))
				})
			}
			if !connected {
				return 0, "", false
			}
			return answered("DeleteVpcEndpointServiceConfigurations", "<unsuccessful><item><resourceId>"+id+
				"</resourceId><error><code>ExistingVpcEndpointConnections</code>"+
				"<message>Service has existing active VPC Endpoint connections!</message></error></item></unsuccessful>")
		},
	}, {
		Action: "ec2:DescribeVpcEndpointServices",
		AWS:    "allowed principals see a service of another account; that of a Gateway Load Balancer has the type GatewayLoadBalancer",
		Instead: func(r *http.Request, form url.Values) (int, string, bool) {
			return a.missingService(r, form.Get("ServiceName.1"))
		},
		Request: func(r *http.Request, body string) string {
			if form, err := url.ParseQuery(body); err == nil && isShared(form.Get("ServiceName.1")) {
				owner, _ := a.service(r.Context(), form.Get("ServiceName.1"))
				r.Header.Set(accountHeader, owner)
			}
			return body
		},
		Change: func(_ url.Values, status int, text string) (int, string) {
			return status, gatewayService.ReplaceAllString(text, "${1}GatewayLoadBalancer<")
		},
	}}, waiting
}
