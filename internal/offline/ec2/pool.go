package ec2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/ec2"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// poolAllocates: a VPC's CIDR is in its IPAM pool, and not allocated to another resource.
// https://docs.aws.amazon.com/vpc/latest/ipam/create-vpc-ipam.html
func poolAllocates(c *aws.Call) error {
	id := c.State().String("ipv4IpamPoolId")
	if id == "" {
		return nil
	}
	pool, err := ipamPool(c, id)
	if err != nil {
		return err
	}
	cidr, err := netip.ParsePrefix(c.State().String("cidrBlock"))
	if err != nil { // of the netmask's length
		next, err := nextCIDR(c, pool, int(c.State().Number("ipv4NetmaskLength")), nil)
		if err != nil {
			return err
		}
		c.Resource.State["cidrBlock"] = next.String()
		return nil
	}
	all := netip.MustParsePrefix(pool.State.String("cidr"))
	if cidr.Bits() < all.Bits() || !all.Contains(cidr.Addr()) {
		return awserr.Errorf("InvalidParameterValue", "The CIDR %s is not in the IPAM pool %s.", cidr, id)
	}
	taken, err := allocations(c, id)
	if err != nil {
		return err
	}
	for _, other := range taken {
		if other.Overlaps(cidr) {
			return awserr.Errorf("InvalidParameterValue",
				"The CIDR %s overlaps with an existing allocation in the IPAM pool %s.", cidr, id)
		}
	}
	return nil
}

// ipamPool returns an IPAM pool of the account, or of one that shares it.
func ipamPool(c *aws.Call, id string) (*store.Entry, error) {
	if pool := c.Find(aws.IPAMPool, id); pool != nil {
		return pool, nil
	}
	return nil, awserr.Errorf("InvalidIpamPoolId.NotFound", "The IPAM pool ID '%s' does not exist", id)
}

// allocations returns the CIDRs that a pool has allocated to VPCs other than the call's.
func allocations(c *aws.Call, pool string) ([]netip.Prefix, error) {
	vpcs, err := c.AllAccounts(awstype.VPC)
	if err != nil {
		return nil, err
	}
	var taken []netip.Prefix
	for _, vpc := range vpcs {
		if c.Resource != nil && vpc.ID == c.Resource.ID || vpc.State.String("ipv4IpamPoolId") != pool {
			continue
		}
		taken = append(taken, netip.MustParsePrefix(vpc.State.String("cidrBlock")))
	}
	return taken, nil
}

// nextCIDR returns the first free CIDR of a pool that overlaps none of the disallowed ones.
func nextCIDR(c *aws.Call, pool *store.Entry, bits int, disallowed []string) (netip.Prefix, error) {
	taken, err := allocations(c, pool.ID)
	if err != nil {
		return netip.Prefix{}, err
	}
	if pool.State.String("scope") == "public" {
		for _, address := range c.Where(awstype.ElasticIP, "ipamPoolId", pool.ID) {
			taken = append(taken, netip.PrefixFrom(netip.MustParseAddr(address.State.String("publicIp")), 32))
		}
	}
	for _, text := range disallowed {
		cidr, err := netip.ParsePrefix(text)
		if err != nil {
			return netip.Prefix{}, awserr.Errorf("InvalidParameterValue", "The CIDR %s is invalid.", text)
		}
		taken = append(taken, cidr)
	}
	all := netip.MustParsePrefix(pool.State.String("cidr"))
	for candidate, in := netip.PrefixFrom(all.Addr(),
		bits), bits >= all.Bits(); in; candidate, in = after(candidate, all) {
		free := true
		for _, other := range taken {
			free = free && !other.Overlaps(candidate)
		}
		if free {
			return candidate, nil
		}
	}
	return netip.Prefix{}, awserr.Errorf("InvalidParameterValue", "The allocation size is too big for the pool.")
}

// after returns the CIDR of the same size behind another one, and whether it is in a pool's.
func after(cidr, pool netip.Prefix) (netip.Prefix, bool) {
	address := cidr.Addr().As4()
	first := binary.BigEndian.Uint32(address[:])
	next := first + uint32(1)<<(32-cidr.Bits())
	binary.BigEndian.PutUint32(address[:], next)
	cidr = netip.PrefixFrom(netip.AddrFrom4(address), cidr.Bits())
	return cidr, next > first && pool.Contains(cidr.Addr())
}

// poolHasAddress: an address from a pool needs a free one there.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AllocateAddress.html
func poolHasAddress(c *aws.Call) error {
	if c.Old != nil {
		return nil
	}
	if id := c.State().String("ipamPoolId"); id != "" {
		pool, err := ipamPool(c, id)
		if err == nil {
			_, err = nextCIDR(c, pool, 32, nil)
		}
		return err
	}
	id := c.State().String("publicIpv4Pool")
	if id == "" || id == "amazon" {
		return nil
	}
	pool := c.Find(aws.PublicIPv4Pool, id)
	if pool == nil {
		return awserr.Errorf("InvalidPublicIpv4PoolID.NotFound", "The public IPv4 pool ID '%s' does not exist", id)
	}
	if total, free := poolSize(c, pool); free == 0 {
		return awserr.Errorf("InsufficientAddressCapacity", "The pool %s has no free address: %d are allocated.", id, total)
	}
	return nil
}

// poolSize returns the number of addresses of a pool of public addresses, and how many are free.
func poolSize(c *aws.Call, pool *store.Entry) (total, free int) {
	total = 1 << (32 - netip.MustParsePrefix(pool.State.String("cidr")).Bits())
	return total, total - len(c.Where(awstype.ElasticIP, "publicIpv4Pool", pool.ID))
}

// pooledAddress returns a free address of the pool that a call names, "" if it names none.
func pooledAddress(c *aws.Call) string {
	pool := c.Find(aws.IPAMPool, c.State().String("ipamPoolId"))
	if pool == nil {
		pool = c.Find(aws.PublicIPv4Pool, c.State().String("publicIpv4Pool"))
	}
	if pool == nil {
		return ""
	}
	taken := map[string]bool{}
	for _, other := range c.All(awstype.ElasticIP) {
		taken[other.State.String("publicIp")] = true
	}
	cidr := netip.MustParsePrefix(pool.State.String("cidr"))
	for address := cidr.Addr(); cidr.Contains(address); address = address.Next() {
		if !taken[address.String()] {
			return address.String()
		}
	}
	return ""
}

func getIPAMPool(c *aws.Call, args ec2.LookupVpcIpamPoolArgs) (*ec2.LookupVpcIpamPoolResult, error) {
	if err := aws.NoFilters(len(args.Filters)); err != nil {
		return nil, err
	}
	pool, err := ipamPool(c, aws.Deref(args.IpamPoolId))
	if err != nil {
		return nil, fmt.Errorf("reading IPAM Pool: %w", err)
	}
	return &ec2.LookupVpcIpamPoolResult{Id: &pool.ID, IpamPoolId: &pool.ID, Arn: c.GlobalARN("ec2", "ipam-pool/"+pool.ID),
		AddressFamily: "ipv4",
		Locale:        pool.State.String("locale"), State: "create-complete", IpamScopeType: pool.State.String("scope"),
		IpamScopeId: ids.StableEC2("ipam-scope", pool.State.String("scope"))}, nil
}

func getIPAMPreviewNextCIDR(
	c *aws.Call,
	args ec2.GetIpamPreviewNextCidrArgs,
) (*ec2.GetIpamPreviewNextCidrResult, error) {
	pool, err := ipamPool(c, args.IpamPoolId)
	if err != nil {
		return nil, fmt.Errorf("previewing next cidr from IPAM pool (%s): %w", args.IpamPoolId, err)
	}
	if args.NetmaskLength == nil {
		return nil, errors.New("the offline account's pools have no default netmask length; set netmaskLength")
	}
	next, err := nextCIDR(c, pool, *args.NetmaskLength, args.DisallowedCidrs)
	if err != nil {
		return nil, fmt.Errorf("previewing next cidr from IPAM pool (%s): %w", args.IpamPoolId, err)
	}
	return &ec2.GetIpamPreviewNextCidrResult{Cidr: next.String(), Id: next.String(), IpamPoolId: pool.ID,
		NetmaskLength:   args.NetmaskLength,
		DisallowedCidrs: args.DisallowedCidrs}, nil
}

func getPublicIPv4Pool(c *aws.Call, args ec2.GetPublicIpv4PoolArgs) (*ec2.GetPublicIpv4PoolResult, error) {
	pool := c.Find(aws.PublicIPv4Pool, args.PoolId)
	if pool == nil {
		return nil, fmt.Errorf("reading EC2 Public IPv4 Pool (%s): %w", args.PoolId,
			awserr.Errorf("InvalidPublicIpv4PoolID.NotFound", "The public IPv4 pool ID '%s' does not exist", args.PoolId))
	}
	total, free := poolSize(c, pool)
	return &ec2.GetPublicIpv4PoolResult{
		Id:                         pool.ID,
		PoolId:                     pool.ID,
		NetworkBorderGroup:         c.Region,
		TotalAddressCount:          total,
		TotalAvailableAddressCount: free,
	}, nil
}
