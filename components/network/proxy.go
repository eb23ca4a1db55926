package network

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

// Proxy is the HTTP proxy of the nodes: one with an address that the nodes can reach, or one behind an endpoint
// service, for which an endpoint is created in the VPC.
type Proxy struct {
	// HTTPAddress is the URL of the proxy for HTTP requests, "http://<host>:<port>". Required unless endpointService is
	// given.
	HTTPAddress pulumi.StringInput `yaml:"httpAddress" pulumi:"httpAddress,optional"`
	// HTTPSAddress is the URL of the proxy for HTTPS requests. Default: httpAddress.
	HTTPSAddress pulumi.StringInput `yaml:"httpsAddress" pulumi:"httpsAddress,optional"`
	// CA is the CA certificates of the proxy, in PEM. Default: the CAs that nodes trust already.
	CA pulumi.StringInput `file:"caFile" yaml:"ca" pulumi:"ca,optional"`
	// NoProxy are what nodes reach without the proxy: names, domains that begin with a dot, addresses and CIDRs. OpenShift
	// adds the networks of pods, Services and machines, and the cluster's own names. Default none.
	NoProxy []string `yaml:"noProxy" pulumi:"noProxy,optional"`
	// EndpointService is the name of an endpoint service, "com.amazonaws.vpce.<region>.vpce-svc-…", whose proxy listens on
	// port 3128. An interface endpoint is created for it. Default none.
	EndpointService pulumi.StringInput `yaml:"endpointService" pulumi:"endpointService,optional"`
}

// proxyPort is the port of a proxy behind an endpoint service, the same as in HyperShift's CLI.
const proxyPort = 3128

func (args *GuestNetworkArgs) validateProxy() error {
	var faults fault.Faults
	p := args.Proxy
	switch {
	case p == nil:
		return nil
	case !input.IsSet(p.EndpointService) && !input.IsSet(p.HTTPAddress):
		faults.Add("httpAddress", nil, "is missing", "set http://<host>:<port>, or the proxy's endpointService")
	case !input.IsSet(p.EndpointService):
	case input.IsSet(p.HTTPAddress):
		faults.Add("httpAddress", input.Value(p.HTTPAddress), "conflicts with endpointService, which has its own address",
			"leave one of them out")
	default:
		faults.Join("endpointService", input.IfPlain(p.EndpointService, validateProxyService))
	}
	faults.Join("httpAddress", input.IfPlain(p.HTTPAddress, validateProxyURL))
	faults.Join("httpsAddress", input.IfPlain(p.HTTPSAddress, validateProxyURL))
	faults.Join("ca", input.IfPlain(p.CA, validateCA))
	for i, host := range p.NoProxy {
		faults.Join(fmt.Sprintf("noProxy[%d]", i), validateNoProxy(host))
	}
	return faults.Err()
}

// validateNoProxy returns a fault unless OpenShift's cluster network operator accepts an entry of noProxy: a domain,
// also one that begins with a dot, an address, a CIDR, or "*" for all.
// https://github.com/openshift/cluster-network-operator/blob/master/pkg/util/validation/network.go
func validateNoProxy(host string) error {
	name := strings.TrimPrefix(host, ".")
	_, notCIDR := netip.ParsePrefix(host)
	_, notAddress := netip.ParseAddr(host)
	notDomain := hypershift.ValidateDomain(strings.ToLower(name) + ".local") // a single label is accepted too
	if host == "*" || notCIDR == nil || notAddress == nil || notDomain == nil {
		return nil
	}
	return &fault.Fault{
		Value: host, Problem: "is not a name, a domain, an address or a CIDR",
		Remedy: "use one such as registry.example.com, .example.com or 10.0.0.0/8, one in each element, without a port",
	}
}

func validateProxyService(name string) error {
	if awsid.EndpointServiceRegion(name) != "" {
		return nil
	}
	return &fault.Fault{
		Value: name, Problem: "is not the name of an endpoint service",
		Remedy: "use one such as com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0",
	}
}

func validateProxyURL(address string) error {
	if address == "" {
		return nil
	}
	refuse := func(problem string) error {
		return &fault.Fault{Problem: problem, Remedy: "use http://<host>:<port> or https://<host>:<port>"}
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return refuse("is not the URL of a proxy")
	case u.User != nil:
		return refuse("contains credentials, which would be readable in the stack's outputs")
	case u.Port() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return refuse("is not a URL with only a host and a port")
	}
	return nil
}

// validateCA returns a fault if text is not a PEM bundle of CA certificates; "" is one.
func validateCA(text string) error {
	rest := []byte(text)
	for strings.TrimSpace(string(rest)) != "" {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return &fault.Fault{Problem: "is not a PEM bundle of certificates", Remedy: "use the certificates only, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----"}
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return &fault.Fault{
				Problem: "has a certificate that cannot be read: " + err.Error(),
				Remedy:  "use the CA's certificates",
			}
		}
	}
	return nil
}

// proxyEndpoint is the proxy of a cluster, with its endpoint if it is behind an endpoint service.
type proxyEndpoint struct {
	*guest
	// zonesOfService are the network's zones in which the endpoint service is available; nil if the service's name is an
	// output.
	zonesOfService []string
}

// find looks up in which of the network's zones the proxy's endpoint service is available.
func (p *proxyEndpoint) find() error {
	if p.args.Proxy == nil {
		return nil
	}
	name, plain := input.Plain(p.args.Proxy.EndpointService)
	if !plain || name == "" {
		return nil
	}
	var err error
	p.zonesOfService, err = p.serviceZones(name)
	return err
}

// serviceZones returns the network's zones in which the proxy's endpoint service is available.
func (p *proxyEndpoint) serviceZones(name string) ([]string, error) {
	service, err := ec2.LookupVpcEndpointService(p.ctx, &ec2.LookupVpcEndpointServiceArgs{ServiceName: &name}, p.parent())
	var faults fault.Faults
	if err != nil {
		faults.Join("endpointService", lookupFault(name, err, "use a service of the region that allows this account"))
		return nil, faults.Err()
	}
	var zones []string
	for _, zone := range p.zones {
		if slices.Contains(service.AvailabilityZones, zone.name) {
			zones = append(zones, zone.name)
		}
	}
	if len(zones) == 0 {
		faults.Add("endpointService", name, "is available only in "+strings.Join(service.AvailabilityZones, ", "),
			"use a service in at least one of the network's zones")
	}
	return zones, faults.Err()
}

// subnets returns the node subnets in the zones of the proxy's endpoint service.
func (p *proxyEndpoint) subnets(v *vpcNetwork) pulumi.StringArrayInput {
	if input.ArePlain(p.args.Proxy.EndpointService) {
		var subnets pulumi.StringArray
		for _, zone := range p.zonesOfService {
			subnets = append(subnets, v.nodeSubnets[zone])
		}
		return subnets
	}
	return pulumi.All(p.args.Proxy.EndpointService, stringMap(v.nodeSubnets)).ApplyT(func(values []any) ([]string, error) {
		name, subnets := values[0].(string), values[1].(map[string]string)
		var faults fault.Faults
		err := validateProxyService(name)
		faults.Join("proxy.endpointService", err)
		var ids []string
		if err == nil {
			zones, err := p.serviceZones(name)
			faults.Join("proxy", err)
			for _, zone := range zones {
				ids = append(ids, subnets[zone])
			}
		}
		return ids, faults.Err()
	}).(pulumi.StringArrayOutput)
}

// address returns one of the proxy's URLs, "" for none.
func (p *proxyEndpoint) address(path string, given pulumi.StringInput) (pulumi.StringOutput, error) {
	checked, err := input.Check(path, given, validateProxyURL)
	return input.Output(checked), err
}

// create outputs the proxy's addresses, and creates the endpoint of a proxy behind an endpoint service.
func (p *proxyEndpoint) create(v *vpcNetwork) error {
	if p.args.Proxy == nil {
		return nil
	}
	var err error
	if p.network.ProxyAddress, err = p.address("proxy.httpAddress", p.args.Proxy.HTTPAddress); err != nil {
		return err
	}
	if p.network.SecureProxyAddress, err = p.address("proxy.httpsAddress", p.args.Proxy.HTTPSAddress); err != nil {
		return err
	}
	if !input.IsSet(p.args.Proxy.EndpointService) {
		return nil
	}
	name := p.args.Cluster.InfraID + "-proxy-sg"
	group, err := p.securityGroup(v, "proxy", name, "The proxy of "+p.args.Cluster.InfraID)
	if err != nil {
		return err
	}
	if err := p.allowFromVPC(v, group, "proxy-http", name, "The proxy's clients in the VPC", proxyPort); err != nil {
		return err
	}
	endpoint, err := ec2.NewVpcEndpoint(p.ctx, p.child("proxy"), &ec2.VpcEndpointArgs{
		VpcId:             v.vpcID,
		ServiceName:       input.Optional(p.args.Proxy.EndpointService),
		VpcEndpointType:   pulumi.String("Interface"),
		PrivateDnsEnabled: pulumi.Bool(false),
		SubnetIds:         p.subnets(v),
		SecurityGroupIds:  pulumi.StringArray{group.ID()},
		Tags:              p.tags(p.args.Cluster.InfraID + "-http-proxy"),
	}, p.parent())
	if err != nil {
		return err
	}
	p.network.ProxyAddress = endpoint.DnsEntries.ApplyT(func(entries []ec2.VpcEndpointDnsEntry) (string, error) {
		if len(entries) == 0 || entries[0].DnsName == nil {
			return "", errors.New("the endpoint of the proxy has no DNS name; check that the owner of its endpoint service has accepted it")
		}
		return fmt.Sprintf("http://%s:%d", *entries[0].DnsName, proxyPort), nil
	}).(pulumi.StringOutput)
	return nil
}
