package egress

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/features/paths/connectivity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// proxy is the proxy of the nodes.
type proxy struct {
	// address is the URL for HTTPS, "" if it is known only after the update.
	address string
	// service is the endpoint service that has it, "" for none.
	service string
	noProxy []string
}

// proxyServicePort is the port of a proxy behind an endpoint service.
const proxyServicePort = 3128

// proxyOf returns the proxy of a cluster's nodes, nil without one: network.proxy, with the fields of
// spec.configuration.proxy that replace it.
func proxyOf(c *config.Cluster, region string) *proxy {
	var p *proxy
	if given := c.Network.Proxy; given != nil {
		p = &proxy{address: input.Text(given.HTTPSAddress), service: input.Text(given.EndpointService),
			noProxy: slices.Clone(given.NoProxy)}
		if !input.IsSet(given.HTTPSAddress) {
			p.address = input.Text(given.HTTPAddress)
		}
	}
	if c.HostedCluster != nil {
		configuration, _ := c.HostedCluster.Spec["configuration"].(map[string]any)
		fields, _ := configuration["proxy"].(map[string]any)
		if address, is := fields["httpsProxy"].(string); is {
			if p == nil {
				p = &proxy{}
			}
			p.address = address
		}
		if list, is := fields["noProxy"].(string); is && p != nil {
			p.noProxy = strings.Split(list, ",")
		}
	}
	if p == nil {
		return nil
	}
	p.noProxy = append(p.noProxy, ownNoProxy(c, region)...)
	return p
}

// ownNoProxy returns what HyperShift adds to noProxy. Source: HyperShift, support/globalconfig/proxy.go.
func ownNoProxy(c *config.Cluster, region string) []string {
	list := []string{"127.0.0.1", "localhost", ".svc", ".cluster.local", ".local", "169.254.169.254",
		"." + network.DefaultDHCPDomainName(region)}
	networks := c.Network.ClusterNetworks.WithDefaults()
	return slices.Concat(list, c.VPCCIDRs(), networks.ClusterCIDRs, networks.ServiceCIDRs)
}

// uses reports whether nodes connect to a host through the proxy. OpenShift's components decide by the same package.
func (p *proxy) uses(h connectivity.Host) bool {
	if p == nil {
		return false
	}
	name := strings.Replace(h.Name, "*", "any", 1)
	decide := (&httpproxy.Config{HTTPSProxy: "http://proxy.invalid", NoProxy: strings.Join(p.noProxy, ",")}).ProxyFunc()
	to, err := decide(&url.URL{Scheme: "https", Host: net.JoinHostPort(name, strconv.Itoa(h.Port))})
	return err == nil && to != nil
}

// host returns the proxy as what nodes connect to; known is false if its address is not known here.
func (p *proxy) host() (h connectivity.Host, known bool) {
	if p.service != "" {
		return connectivity.Host{Name: "the proxy", Port: proxyServicePort, EndpointService: p.service}, true
	}
	u, err := url.Parse(p.address)
	if err != nil || u.Hostname() == "" {
		return h, false
	}
	h = connectivity.Host{Name: u.Hostname()}
	h.Port, _ = strconv.Atoi(u.Port())
	h.Address, err = netip.ParseAddr(h.Name)
	return h, err == nil
}

// String returns the proxy in messages.
func (p *proxy) String() string {
	switch {
	case p.service != "":
		return "the proxy behind " + p.service
	case p.address == "":
		return "the proxy"
	}
	return "the proxy " + p.address
}

// internal reports whether a host is one that a proxy to the internet usually does not reach: it has a private address,
// or a name that only private DNS has, such as one in the cluster's private zone.
func internal(h connectivity.Host, zone string) bool {
	if h.Address.IsValid() {
		return h.Address.IsPrivate() || h.Address.IsLinkLocalUnicast()
	}
	name := strings.ToLower(strings.TrimSuffix(h.Name, "."))
	if !strings.Contains(name, ".") {
		return true
	}
	for _, suffix := range []string{
		"internal", "local", "corp", "lan", "intra", "intranet", "private", "home.arpa", zone,
	} {
		if name == suffix || strings.HasSuffix(name, "."+suffix) {
			return true
		}
	}
	return false
}
