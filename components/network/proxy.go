package network

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/fault"
)

// Proxy is the HTTP proxy of the nodes: one with an address that the nodes can reach, or one behind an endpoint service, for
// which an endpoint is created in the VPC.
type Proxy struct {
	// HTTPAddress is the URL of the proxy for HTTP requests, "http://<host>:<port>". Required unless endpointService is
	// given.
	HTTPAddress string `yaml:"httpAddress" pulumi:"httpAddress,optional"`
	// HTTPSAddress is the URL of the proxy for HTTPS requests. Default: httpAddress.
	HTTPSAddress string `yaml:"httpsAddress" pulumi:"httpsAddress,optional"`
	// CA is the CA certificates of the proxy, in PEM. Default: the CAs that nodes trust already.
	CA string `file:"caFile" yaml:"ca" pulumi:"ca,optional"`
	// EndpointService is the name of an endpoint service, "com.amazonaws.vpce.<region>.vpce-svc-…", whose proxy listens on
	// port 3128. An interface endpoint is created for it. Default none.
	EndpointService string `yaml:"endpointService" pulumi:"endpointService,optional"`
}

// proxyPort is the port of a proxy behind an endpoint service, the same as in HyperShift's CLI.
const proxyPort = 3128

var endpointServicePattern = regexp.MustCompile(`^(cn\.)?com\.amazonaws\.vpce\.[a-z0-9-]+\.vpce-svc-[0-9a-f]+$`)

func (args *GuestNetworkArgs) validateProxy() error {
	var faults fault.Faults
	p := args.Proxy
	switch {
	case p == nil:
		return nil
	case p.EndpointService == "" && p.HTTPAddress == "":
		faults.Add("httpAddress", nil, "is missing", "set http://<host>:<port>, or the proxy's endpointService")
	case p.EndpointService == "":
	case p.HTTPAddress != "":
		faults.Add("httpAddress", p.HTTPAddress, "conflicts with endpointService, which has its own address", "leave one of them out")
	case !endpointServicePattern.MatchString(p.EndpointService):
		faults.Add("endpointService", p.EndpointService, "is not the name of an endpoint service",
			"use one such as com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0")
	}
	faults.Join("httpAddress", validateProxyURL(p.HTTPAddress))
	faults.Join("httpsAddress", validateProxyURL(p.HTTPSAddress))
	faults.Join("ca", validateCA(p.CA))
	return faults.Err()
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

func validateCA(text string) error {
	rest := []byte(text)
	for strings.TrimSpace(string(rest)) != "" {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil || block.Type != "CERTIFICATE" {
			return &fault.Fault{Problem: "is not a PEM bundle of certificates", Remedy: "use the certificates only, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----"}
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return &fault.Fault{Problem: "has a certificate that cannot be read: " + err.Error(), Remedy: "use the CA's certificates"}
		}
	}
	return nil
}

// findProxyService looks up in which of the network's zones the proxy's endpoint service is available.
func (b *builder) findProxyService() error {
	if b.args.Proxy == nil || b.args.Proxy.EndpointService == "" {
		return nil
	}
	name := b.args.Proxy.EndpointService
	service, err := ec2.LookupVpcEndpointService(b.ctx, &ec2.LookupVpcEndpointServiceArgs{ServiceName: &name}, b.parent())
	var faults fault.Faults
	if err != nil {
		faults.Join("endpointService", lookupFault(name, err, "use a service of the region that allows this account"))
		return faults.Err()
	}
	for _, zone := range b.zones {
		if slices.Contains(service.AvailabilityZones, zone.name) {
			b.found.proxyZones = append(b.found.proxyZones, zone.name)
		}
	}
	if len(b.found.proxyZones) == 0 {
		faults.Add("endpointService", name, "is available only in "+strings.Join(service.AvailabilityZones, ", "),
			"use a service in at least one of the network's zones")
	}
	return faults.Err()
}

// proxy outputs the proxy's addresses, and creates the endpoint of a proxy behind an endpoint service.
func (b *builder) proxy(v *vpcNetwork) error {
	b.network.ProxyAddress, b.network.SecureProxyAddress = text(""), text("")
	if b.args.Proxy == nil {
		return nil
	}
	b.network.ProxyAddress, b.network.SecureProxyAddress = text(b.args.Proxy.HTTPAddress), text(b.args.Proxy.HTTPSAddress)
	if b.args.Proxy.EndpointService == "" {
		return nil
	}
	name := b.args.Cluster.InfraID + "-proxy-sg"
	group, err := b.securityGroup(v, "proxy", name, "The proxy of "+b.args.Cluster.InfraID)
	if err != nil {
		return err
	}
	if err := b.letVPCIn(v, group, "proxy-http", name, "The proxy's clients in the VPC", proxyPort); err != nil {
		return err
	}
	var subnets pulumi.StringArray
	for _, zone := range b.found.proxyZones {
		subnets = append(subnets, v.nodeSubnets[zone])
	}
	endpoint, err := ec2.NewVpcEndpoint(b.ctx, b.child("proxy"), &ec2.VpcEndpointArgs{
		VpcId:             v.vpcID,
		ServiceName:       pulumi.String(b.args.Proxy.EndpointService),
		VpcEndpointType:   pulumi.String("Interface"),
		PrivateDnsEnabled: pulumi.Bool(false),
		SubnetIds:         subnets,
		SecurityGroupIds:  pulumi.StringArray{group.ID()},
		Tags:              b.tags(b.args.Cluster.InfraID + "-http-proxy"),
	}, b.parent())
	if err != nil {
		return err
	}
	b.network.ProxyAddress = endpoint.DnsEntries.ApplyT(func(entries []ec2.VpcEndpointDnsEntry) (string, error) {
		if len(entries) == 0 || entries[0].DnsName == nil {
			return "", fmt.Errorf("the endpoint of the proxy %s has no DNS name; check that the service's owner has accepted it", b.args.Proxy.EndpointService)
		}
		return fmt.Sprintf("http://%s:%d", *entries[0].DnsName, proxyPort), nil
	}).(pulumi.StringOutput)
	return nil
}
