package network

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/awsid"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/value/awsprovider"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// The prefixes of the IDs of pools of addresses.
const (
	publicPool = "ipv4pool-ec2"
	ipamPool   = "ipam-pool"
)

// validatePublicIPv4Pool returns a fault if the pool is not one, or if no NAT gateway would use an address of it.
func (args *BaseNetworkArgs) validatePublicIPv4Pool() error {
	if !input.IsSet(args.PublicIPv4Pool) {
		return nil
	}
	var faults fault.Faults
	value := input.Value(args.PublicIPv4Pool)
	if id, plain := input.Plain(args.PublicIPv4Pool); plain && !awsid.IsEC2(publicPool, id) && !awsid.IsEC2(ipamPool, id) {
		faults.Add("", id, "is not the ID of a pool of public addresses", "use one such as ipv4pool-ec2-0123456789abcdef0, or an IPAM pool such as ipam-pool-0123456789abcdef0")
	}
	if validateZones(args.zones()) != nil || args.NAT.Validate() != nil {
		return faults.Err() // it is not known which zones have a NAT gateway
	}
	switch zones := args.natZones(place(args.zones())); {
	case len(zones) == 0:
		faults.Add("", value, "is for the addresses of NAT gateways, but the network has none",
			"leave it out, or use nat PerZone or Single")
	case len(args.pooledAddresses(zones)) == 0:
		faults.Add("", value, "is not used: elasticIPs has the address of each NAT gateway", "leave one of the two out")
	}
	return faults.Err()
}

// pooledAddresses returns the names of the addresses of NAT gateways that are not in ElasticIPs.
func (args *BaseNetworkArgs) pooledAddresses(zones []placedZone) []string {
	return slices.DeleteFunc(args.addressNames(zoneNames(zones)), func(name string) bool {
		return args.ElasticIPs[name] != nil
	})
}

// findPool looks the pool of addresses up, and checks that it has the addresses that are still to be allocated.
func (n *natGateways) findPool() error {
	n.pool = n.args.PublicIPv4Pool
	if !input.IsSet(n.args.PublicIPv4Pool) {
		return nil
	}
	var err error
	n.pool, err = input.Check("publicIPv4Pool", n.args.PublicIPv4Pool, func(id string) error {
		if strings.HasPrefix(id, ipamPool) {
			return n.checkIPAMPool(id)
		}
		return n.checkPool(id)
	})
	return err
}

// checkPool checks a pool of addresses that the account has brought to AWS.
func (n *natGateways) checkPool(id string) error {
	pool, err := ec2.GetPublicIpv4Pool(n.ctx, &ec2.GetPublicIpv4PoolArgs{PoolId: id}, n.parent())
	if err != nil {
		return lookupFault(id, err, "use a pool of this account and region; `aws ec2 describe-public-ipv4-pools` lists them")
	}
	if group := pool.NetworkBorderGroup; group != "" && group != n.region {
		return &fault.Fault{Value: id, Problem: "has addresses of " + group, Remedy: "use a pool of " + n.region}
	}
	missing, err := n.missingAddresses()
	if err != nil || missing <= pool.TotalAvailableAddressCount {
		return err
	}
	return &fault.Fault{Value: id, Problem: fmt.Sprintf("has %d free addresses of %d, but NAT gateways need %d",
		pool.TotalAvailableAddressCount,
		pool.TotalAddressCount, missing), Remedy: "provision more addresses, use another pool, nat Single, or elasticIPs for the other zones"}
}

// checkIPAMPool checks an IPAM pool of public addresses.
func (n *natGateways) checkIPAMPool(id string) error {
	pool, err := n.ipamPool(id)
	switch {
	case err != nil:
		return err
	case pool.IpamScopeType != "public":
		return &fault.Fault{Value: id, Problem: "has private addresses: it is in the scope " + pool.IpamScopeId +
			" of type " + pool.IpamScopeType,
			Remedy: "use a pool in the public scope"}
	}
	missing, err := n.missingAddresses()
	if err != nil || missing == 0 {
		return err
	}
	one := 32
	if _, err := ec2.GetIpamPreviewNextCidr(n.ctx, &ec2.GetIpamPreviewNextCidrArgs{
		IpamPoolId:    id,
		NetmaskLength: &one,
	}, n.parent()); err != nil {
		return lookupFault(id, fmt.Errorf("its next free address: %w", err),
			"provision more addresses, or use another pool or elasticIPs")
	}
	return nil
}

// ipamPool returns an IPAM pool that can allocate addresses of the region.
func (s *site) ipamPool(id string) (*ec2.LookupVpcIpamPoolResult, error) {
	pool, err := ec2.LookupVpcIpamPool(s.ctx, &ec2.LookupVpcIpamPoolArgs{IpamPoolId: &id}, s.parent())
	switch {
	case err != nil:
		return nil, lookupFault(id, err, "use a pool of this account, or one that its owner shares with the account by AWS RAM")
	case pool.AddressFamily != "ipv4":
		return nil, &fault.Fault{
			Value:   id,
			Problem: "has addresses of " + pool.AddressFamily,
			Remedy:  "use a pool of IPv4 addresses",
		}
	case pool.Locale != s.region:
		return nil, &fault.Fault{
			Value:   id,
			Problem: "has the locale " + pool.Locale + ", and allocates no addresses in " + s.region,
			Remedy:  "use a pool with the locale " + s.region,
		}
	}
	return pool, nil
}

// missingAddresses returns how many addresses of NAT gateways do not exist yet.
func (n *natGateways) missingAddresses() (int, error) {
	missing := 0
	for _, name := range n.args.pooledAddresses(n.args.natZones(n.zones)) {
		own, err := ec2.GetEips(n.ctx, &ec2.GetEipsArgs{Tags: n.args.Tagging.Own(n.addressName(name))}, n.parent())
		if err != nil {
			return 0, fmt.Errorf("looking up the address %s: %w", name, err)
		}
		if len(own.AllocationIds) == 0 {
			missing++
		}
	}
	return missing, nil
}

func (n *natGateways) addressName(name string) string { return n.args.Prefix + "-eip-" + name }

// newAddress allocates an elastic IP, from the pool if there is one. Its name is the zone's, or that of
// furtherAddresses.
func (n *natGateways) newAddress(name string, internet *ec2.InternetGateway) (*ec2.Eip, error) {
	args := &ec2.EipArgs{Domain: pulumi.String("vpc"), Tags: n.tags(n.addressName(name))}
	switch pool, plain := input.Plain(n.pool); {
	case !plain: // a pool whose ID is an output is of one of two kinds
		kind := func(prefix string) pulumi.StringPtrInput {
			return n.pool.ToStringOutput().ApplyT(func(id string) *string {
				if strings.HasPrefix(id, prefix) {
					return &id
				}
				return nil
			}).(pulumi.StringPtrOutput)
		}
		args.PublicIpv4Pool, args.IpamPoolId = kind(publicPool), kind(ipamPool)
	case strings.HasPrefix(pool, ipamPool):
		args.IpamPoolId = pulumi.String(pool)
	case pool != "":
		args.PublicIpv4Pool = pulumi.String(pool)
	}
	// AWS detaches an internet gateway only from a VPC without public addresses, so address and NAT gateway depend on it.
	return ec2.NewEip(n.ctx, n.child("eip-"+name), args, n.parent(), pulumi.DependsOn([]pulumi.Resource{internet}))
}

// IPAM allocates the CIDR of a VPC that is created from a pool of Amazon VPC IP Address Manager. The state keeps the
// CIDR, so that later previews and updates use the same one.
type IPAM struct {
	// Pool is the ID of the pool, "ipam-pool-…", with private IPv4 addresses and the VPC's region as its locale. It
	// belongs to the VPC's account, or its owner shares it with the account by AWS RAM. Required. Changing it has no
	// effect on a VPC that exists.
	Pool string `yaml:"pool" pulumi:"pool"`
	// NetmaskLength is the length of the CIDR's prefix, from 16 to 24. Default 16. It cannot be changed.
	NetmaskLength int `yaml:"netmaskLength" pulumi:"netmaskLength,optional"`
}

// length returns the length of the CIDR's prefix.
func (i *IPAM) length() int { return cmp.Or(i.NetmaskLength, layout.LargestVPC) }

// validate returns the faults in the pool of the VPC's CIDR.
func (i *IPAM) validate(args *BaseNetworkArgs) error {
	if i == nil {
		return nil
	}
	var faults fault.Faults
	if args.Existing != nil {
		refuseWithExisting(&faults, "", true, nil)
		return faults.Err()
	}
	switch {
	case i.Pool == "":
		faults.Add("pool", nil, "is missing", "set the ID of the pool, such as ipam-pool-0123456789abcdef0")
	case !awsid.IsEC2(ipamPool, i.Pool):
		faults.Add("pool", i.Pool, "is not the ID of an IPAM pool", "use one such as ipam-pool-0123456789abcdef0")
	}
	if i.length() < layout.LargestVPC || i.length() > layout.SmallestVPC {
		faults.Add("netmaskLength", i.NetmaskLength, "is not the length of a VPC's CIDR that has subnets for eight zones",
			fmt.Sprintf("use %d to %d", layout.LargestVPC, layout.SmallestVPC))
	}
	if _, size, found := strings.Cut(args.VPCCIDR,
		"/"); found && i.NetmaskLength != 0 && size != strconv.Itoa(i.NetmaskLength) {
		faults.Add("netmaskLength", i.NetmaskLength, "differs from that of vpcCIDR, "+args.VPCCIDR, "leave it out")
	}
	return faults.Err()
}

// vpcCIDR is the CIDR of a VPC, from the IPAM pool in the args.
type vpcCIDR struct{ *site }

// allocate sets the CIDR of a VPC with an IPAM pool: the VPC's own if it exists, else the next free CIDR of the pool
// that does not overlap a reserved network. It makes the checks that Validate makes for a CIDR in the args.
func (c vpcCIDR) allocate() error {
	if c.args.IPAM == nil || c.args.VPCCIDR != "" {
		return nil
	}
	id := c.args.IPAM.Pool
	cidr, err := c.own()
	exists := cidr != ""
	if err == nil && !exists {
		cidr, err = c.next(id)
	}
	if err != nil {
		return err
	}
	// Until the VPC exists, another VPC may get the CIDR: the record then follows the pool.
	kept, err := c.record("vpc-cidr", pulumi.String(cidr), exists)
	if err != nil {
		return fmt.Errorf("recording the CIDR that %s allocated: %w", id, err)
	}
	if value, known := kept.(string); known {
		cidr = value
	}
	if wanted := c.args.IPAM.length(); !strings.HasSuffix(cidr, fmt.Sprintf("/%d", wanted)) {
		return &fault.Fault{Path: "ipam.netmaskLength", Value: wanted,
			Problem: "differs from that of " + cidr + ", which the pool has allocated to the VPC",
			Remedy:  "set it to the length of that CIDR"}
	}
	args := *c.args
	args.VPCCIDR, c.args = cidr, &args
	var faults fault.Faults
	faults.Join("transitGateway", args.TransitGateway.validate(&args))
	faults.Join("firewallEndpoint", args.FirewallEndpoint.validate(&args))
	if first, err := layout.New(cidr, args.Reserved); err != nil {
		faults.Join("ipam.pool", err)
	} else if args.SecondaryCIDR != "" {
		_, err = layout.NewSecondary(args.SecondaryCIDR, first, args.Reserved)
		faults.Join("secondaryCIDR", err)
	}
	return faults.Err()
}

// record records a value in the state, and returns the recorded one, nil if it is not known. keeps is false if a
// changed value takes its place. Which resources there are depends on the value, so it cannot be an output. It is known
// in a preview too.
func (s *site) record(name string, value pulumi.Input, keeps bool) (any, error) {
	changes := outputs.KeepsLast
	if keeps {
		changes = outputs.KeepsFirst
	}
	output, err := outputs.Stash(s.ctx, s.child(name), value, changes, s.parent())
	if err != nil {
		return nil, err
	}
	kept, err := internals.UnsafeAwaitOutput(s.ctx.Context(), output)
	if err != nil || !kept.Known {
		return nil, err
	}
	return kept.Value, nil
}

// own returns the CIDR of the network's VPC, "" if it does not exist. A VPC that was given another Name is found by the
// tag of its cluster.
func (c vpcCIDR) own() (string, error) {
	searches := []map[string]string{c.args.Tagging.Own(c.vpcName())}
	for key, value := range c.args.Tagging.Own("") {
		if strings.HasPrefix(key, hypershift.ClusterTagPrefix) {
			searches = append(searches, map[string]string{key: value})
		}
	}
	for _, tags := range searches {
		own, err := ec2.GetVpcs(c.ctx, &ec2.GetVpcsArgs{Tags: tags}, c.parent())
		if err != nil {
			return "", fmt.Errorf("looking up the VPC %s: %w", c.vpcName(), err)
		}
		if len(own.Ids) != 1 {
			continue
		}
		vpc, err := ec2.LookupVpc(c.ctx, &ec2.LookupVpcArgs{Id: &own.Ids[0]}, c.parent())
		if err != nil {
			return "", fmt.Errorf("looking up the VPC %s: %w", own.Ids[0], err)
		}
		return vpc.CidrBlock, nil
	}
	return "", nil
}

func (s *site) vpcName() string { return s.args.Prefix + "-vpc" }

// next returns the pool's next free CIDR, which it does not allocate.
func (c vpcCIDR) next(id string) (string, error) {
	var faults fault.Faults
	pool, err := c.ipamPool(id)
	if err != nil {
		faults.Join("ipam.pool", err)
		return "", faults.Err()
	}
	length := c.args.IPAM.length()
	if pool.IpamScopeType == "public" {
		faults.Add("ipam.pool", id, "has public addresses", "use a pool in a private scope")
	}
	if least, most := pool.AllocationMinNetmaskLength, pool.AllocationMaxNetmaskLength; least > length ||
		most != 0 && most < length {
		faults.Add("ipam.netmaskLength", length,
			fmt.Sprintf("is not a length that %s allocates, from %d to %d", id, least, most), "use one that it allocates")
	}
	if tags := c.args.Tagging.Plain(c.vpcName()); !carries(tags, pool.AllocationResourceTags) {
		faults.Add("ipam.pool", id, fmt.Sprintf("allocates CIDRs only to VPCs with the tags %v", pool.AllocationResourceTags),
			"add them to tags")
	}
	if err := faults.Err(); err != nil {
		return "", err
	}
	var disallowed []string
	for _, taken := range c.args.Reserved {
		disallowed = append(disallowed, taken.Prefix.String())
	}
	next, err := ec2.GetIpamPreviewNextCidr(c.ctx, &ec2.GetIpamPreviewNextCidrArgs{
		IpamPoolId:      id,
		NetmaskLength:   &length,
		DisallowedCidrs: disallowed,
	}, c.parent())
	if err != nil {
		faults.Add("ipam.pool", id, fmt.Sprintf("has no /%d that is free and overlaps none of %s: %s", length,
			strings.Join(disallowed, ", "), awsprovider.Cause(err)),
			"provision more addresses, use another pool, or a longer netmaskLength, up to "+strconv.Itoa(layout.SmallestVPC))
		return "", faults.Err()
	}
	return next.Cidr, nil
}
