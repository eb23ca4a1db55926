package stacks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// UseParts makes a file of kind cluster or iam use the network and the roles of the stacks that it names, as the
// program does. read returns the outputs of a stack by its name, nil if there is no such stack; the parts that it
// cannot read are left out. The error is a *fault.Fault, or fault.Faults, with the paths of the config.
func UseParts(file *config.File, read func(stack string) (outputs map[string]any, ok bool)) error {
	if i := config.As[*config.IAM](file); i != nil {
		outputs, ok := read(i.NetworkStack)
		if !ok {
			return nil
		}
		n, err := readNetworkPart(config.KindIAM.Key()+".networkStack", i.NetworkStack, outputs)
		if err != nil {
			return err
		}
		return agreeWithNetwork(i, n, "")
	}
	c := config.As[*config.Cluster](file)
	if c == nil {
		return nil
	}
	if outputs, ok := read(c.NetworkStack); ok && c.NetworkStack != "" {
		n, err := readNetworkPart(config.ClusterKey+".networkStack", c.NetworkStack, outputs)
		if err != nil {
			return err
		}
		if err := useNetwork(c, n, file.Region, ""); err != nil {
			return err
		}
	}
	if outputs, ok := read(c.IAMStack); ok && c.IAMStack != "" {
		o, err := readIAMPart(c.IAMStack, outputs)
		if err != nil {
			return err
		}
		return useIAM(c, o, "")
	}
	return nil
}

// networkPart has the outputs of a stack of kind network that other stacks use.
type networkPart struct {
	// Name, InfraID, BaseDomain, BaseDomainPrefix and EndpointAccess are the keys of its section.
	Name             string `json:"name"`
	InfraID          string `json:"infraID"`
	BaseDomain       string `json:"baseDomain"`
	BaseDomainPrefix string `json:"baseDomainPrefix"`
	EndpointAccess   string `json:"endpointAccess"`
	// AccountID and Region are its account and region.
	AccountID string `json:"accountID"`
	Region    string `json:"region"`
	// ClusterAccountID is the account that the VPC is shared with, "" if it is not shared. ZonesInCluster is true if the
	// private zones are in that account.
	ClusterAccountID string `json:"clusterAccountID"`
	ZonesInCluster   bool   `json:"zonesInCluster"`
	// OwnersPermissionsBoundary is the policy that limits roles in the account of a shared VPC, "" for none.
	OwnersPermissionsBoundary string `json:"ownersPermissionsBoundary"`
	// VPCID, PrivateZoneID, LocalZoneID and PublicZoneID are the IDs of its VPC and zones; "" for a zone that
	// endpointAccess does not need.
	VPCID         string `json:"vpcID"`
	PrivateZoneID string `json:"privateZoneID"`
	LocalZoneID   string `json:"localZoneID"`
	PublicZoneID  string `json:"publicZoneID"`
	// PublicOnly is true if nodes are in public subnets.
	PublicOnly bool `json:"publicOnly"`
	// Zones are the names of the zones, in order, and Private and Public map them to their subnets.
	Zones   []string          `json:"zones"`
	Private map[string]string `json:"privateSubnetIDs"`
	Public  map[string]string `json:"publicSubnetIDs"`
	// Clusters are the infra IDs of further clusters, whose hosted zones and roles are in their own stacks.
	Clusters []string `json:"clusters"`
}

// readNetworkPart reads the outputs of the stack of that name, which the key at path names; they are nil if there is no
// such stack. It returns a *fault.Fault for the key if the stack is not suitable.
func readNetworkPart(path, stack string, outputs map[string]any) (*networkPart, error) {
	n, err := decodeOutputs[networkPart](path, stack, config.KindNetwork, outputs)
	if err == nil && len(n.Zones) == 0 {
		n.Zones = slices.Sorted(maps.Keys(n.Private))
	}
	return n, err
}

// hasFurther reports whether the cluster with an infra ID is a further one that uses the network.
func (n *networkPart) hasFurther(infraID string) bool { return slices.Contains(n.Clusters, infraID) }

// existing returns the network in the form of an existing one. Only the network's own cluster has its hosted zones.
func (n *networkPart) existing(infraID string) *network.ExistingVPC {
	given := func(id string) pulumi.StringInput {
		if id == "" {
			return nil
		}
		return pulumi.String(id)
	}
	e := &network.ExistingVPC{
		VPCID: pulumi.String(n.VPCID),
	}
	if !n.hasFurther(infraID) {
		e.PrivateZoneID, e.LocalZoneID = given(n.PrivateZoneID), given(n.LocalZoneID)
	}
	for _, zone := range n.Zones {
		e.Subnets = append(e.Subnets, network.ExistingSubnets{
			Zone:    zone,
			Private: given(n.Private[zone]),
			Public:  given(n.Public[zone]),
		})
	}
	return e
}

// user returns the account of the cluster that uses the network: the network's own, or the account that the VPC is
// shared with.
func (n *networkPart) user() string { return cmp.Or(n.ClusterAccountID, n.AccountID) }

// shared returns how the VPC is shared with the cluster's account, nil if it is not.
func (n *networkPart) shared() *network.SharedVPC {
	if n.ClusterAccountID == "" {
		return nil
	}
	s := &network.SharedVPC{PrivateZonesIn: network.OwnerZones}
	if n.ZonesInCluster {
		s.PrivateZonesIn = network.ClusterZones
	}
	if n.OwnersPermissionsBoundary != "" {
		s.PermissionsBoundary = pulumi.String(n.OwnersPermissionsBoundary)
	}
	return s
}

// needsOwner returns a fault if the VPC is shared and owner, the account of its owner in the stack that uses it, is
// missing, or the reverse.
func (n *networkPart) needsOwner(stack string, owner *config.Account) error {
	var faults fault.Faults
	switch shared := n.ClusterAccountID != ""; {
	case shared && owner == nil:
		faults.Add("networkStack", stack, "shares a VPC of account "+n.AccountID, "set accounts.vpcOwner to that account")
	case !shared && owner != nil:
		faults.Add("accounts.vpcOwner", nil, "is not used: the VPC of stack "+stack+" is not shared",
			"leave it out, or set network.shared in that stack")
	}
	return faults.Err()
}

// useNetwork makes a cluster use the network of the stack that networkStack names, as if network.existing had its IDs.
// region and account are the cluster's, "" if they are not known. It returns a fault for each value of the section that
// is not the network's.
func useNetwork(c *config.Cluster, n *networkPart, region, account string) error {
	var faults fault.Faults
	values := []agreement{{"networkStack", region, n.Region}, {"networkStack", account, n.user()}}
	switch {
	case n.hasFurther(c.InfraID):
		faults.Join(config.ClusterKey, n.separate(c))
	case c.InfraID != n.InfraID:
		faults.Join(config.ClusterKey, n.refuseOther(c.NetworkStack, c.InfraID))
	default:
		values = append(values, agreement{"name", c.Name, n.Name}, agreement{"baseDomain", c.BaseDomain, n.BaseDomain},
			agreement{"baseDomainPrefix", c.BaseDomainPrefix, n.BaseDomainPrefix},
			agreement{"endpointAccess", string(c.EndpointAccess), n.EndpointAccess})
	}
	faults.Join(config.ClusterKey, agree(c.NetworkStack, values))
	faults.Join(config.ClusterKey, n.needsOwner(c.NetworkStack, c.Accounts.VPCOwner))
	c.Network.Options = network.Options{} // without the defaults of a VPC that is created
	c.Network.Existing, c.Network.PublicOnly, c.Network.Shared = n.existing(c.InfraID), n.PublicOnly, n.shared()
	return faults.Err()
}

// refuseOther returns a fault for a cluster that is neither the network's own nor one of its further ones.
func (n *networkPart) refuseOther(stack, infraID string) error {
	return &fault.Fault{
		Path: "infraID", Value: infraID, Problem: fmt.Sprintf("is not that of stack %s, %q", stack, n.InfraID),
		Remedy: "use the same value in both stacks, or add this one to network.clusters in the file of stack " + stack + " and run `hypershift-aws up -s " +
			stack + "`",
	}
}

// separate returns the faults of a further cluster that needs more than the network has, or a hosted zone with the name
// of one that the network's own cluster has: a VPC has at most one private zone of a name.
func (n *networkPart) separate(c *config.Cluster) error {
	var faults fault.Faults
	own := hypershift.Cluster{Name: n.Name}
	access := hypershift.EndpointAccess(n.EndpointAccess)
	if c.EndpointAccess.HasPublic() && !access.HasPublic() {
		faults.Add("endpointAccess", c.EndpointAccess,
			"needs public subnets, which the network of stack "+c.NetworkStack+" does not have",
			"set endpointAccess PublicAndPrivate in that stack, or Private in this one")
	}
	if c.Name == n.Name && c.EndpointAccess.HasPrivate() && access.HasPrivate() {
		faults.Add("name", c.Name, "is the name of the cluster of stack "+c.NetworkStack+", whose VPC has the private zone "+
			own.LocalZoneName(),
			"use another name")
	}
	zone := c.ZoneName(c.BaseDomainPrefix, c.BaseDomain)
	if zone == own.ZoneName(n.BaseDomainPrefix, n.BaseDomain) {
		faults.Add("baseDomain", c.BaseDomain,
			"leads to the private zone "+zone+", which the cluster of stack "+c.NetworkStack+" has in the same VPC",
			"use another name, baseDomain or baseDomainPrefix")
	}
	return faults.Err()
}

// agreeWithNetwork returns a fault for each value of a section for roles that differs from the network's.
func agreeWithNetwork(i *config.IAM, n *networkPart, account string) error {
	var faults fault.Faults
	key := config.KindIAM.Key()
	if n.hasFurther(i.InfraID) {
		faults.Add(key+".networkStack", i.NetworkStack,
			"has no hosted zones of cluster "+i.InfraID+", to which the roles are limited: they are in that cluster's own stack",
			"leave this stack out: without iamStack, the cluster's own stack has the roles")
		return faults.Err()
	}
	faults.Join(key, agree(i.NetworkStack, []agreement{
		{"name", i.Name, n.Name}, {"infraID", i.InfraID, n.InfraID}, {"networkStack", account, n.user()},
	}))
	faults.Join(key, n.needsOwner(i.NetworkStack, i.Accounts.VPCOwner))
	return faults.Err()
}

// agreement is a value that two stacks of a cluster must have in common.
type agreement struct{ key, own, other string }

// agree returns a fault for each value that differs from the named stack's.
func agree(stack string, values []agreement) error {
	var faults fault.Faults
	for _, v := range values {
		switch {
		case v.own == v.other || v.own == "" && v.key == "networkStack":
		case v.key == "networkStack":
			faults.Add(v.key, stack, "is in "+v.other+", but this stack is in "+v.own,
				"use a stack of the same account and region")
		default:
			faults.Add(v.key, v.own, fmt.Sprintf("is not that of stack %s, %q", stack, v.other),
				"use the same value in both stacks")
		}
	}
	return faults.Err()
}

// iamPart has the outputs of a stack of kind iam that a cluster stack uses.
type iamPart struct {
	// Name and InfraID are the cluster's, and AccountID is the account of the roles.
	Name      string `json:"name"`
	InfraID   string `json:"infraID"`
	AccountID string `json:"accountID"`
	// IssuerURL is the issuer of the cluster's tokens, and Profile the name of the nodes' instance profile.
	IssuerURL string `json:"issuerURL"`
	Profile   string `json:"workerInstanceProfile"`
	// KMSKeyARN is the key that the role for the encryption of etcd may use, "" without one.
	KMSKeyARN string `json:"kmsKeyARN"`
	// RoleARNs map the keys of HyperShift's IAM document, such as ingressARN, to the roles; "" for one that the cluster
	// does not have.
	RoleARNs map[string]string `json:"roleARNs"`
	// SharedVPCRoleARNs are the roles route53 and endpoint in the account of a shared VPC that the operators assume; empty
	// if the VPC is not shared.
	SharedVPCRoleARNs map[string]string `json:"sharedVPCRoleARNs"`
}

// readIAMPart reads the outputs of the stack of that name; they are nil if there is no such stack. It returns a
// *fault.Fault for the config key cluster.iamStack if the stack is not suitable.
func readIAMPart(stack string, outputs map[string]any) (*iamPart, error) {
	return decodeOutputs[iamPart](config.ClusterKey+".iamStack", stack, config.KindIAM, outputs)
}

// roles returns the ARNs of the roles that the cluster has.
func (o *iamPart) roles() map[iam.RoleName]string {
	roles := map[iam.RoleName]string{}
	for key, arn := range o.RoleARNs {
		if arn != "" {
			roles[iam.RoleName(strings.TrimSuffix(key, "ARN"))] = arn
		}
	}
	return roles
}

// useIAM makes a cluster use the issuer, the roles and the instance profile of the stack that iamStack names, as if
// oidc.issuerURL and iam.existing had them. account is the cluster's, "" if it is not known.
func useIAM(c *config.Cluster, o *iamPart, account string) error {
	var faults fault.Faults
	faults.Join("", agree(c.IAMStack, []agreement{{"name", c.Name, o.Name}, {"infraID", c.InfraID, o.InfraID}}))
	if account != "" && account != o.AccountID {
		faults.Add("iamStack", c.IAMStack, "is in account "+o.AccountID+", but the cluster is in "+account,
			"use a stack of the cluster's account")
	}
	switch key, plain := input.Plain(c.KMSKeyARN); {
	case !input.IsSet(c.KMSKeyARN):
		c.KMSKeyARN = pulumi.String(cmp.Or(o.KMSKeyARN, config.NoKMSKey))
	case !plain || key != config.NoKMSKey && key != o.KMSKeyARN:
		faults.Add("kmsKeyARN", input.Value(c.KMSKeyARN),
			fmt.Sprintf("is not the key of stack %s, %q, to which its role is limited", c.IAMStack, o.KMSKeyARN),
			"leave it out, or set it in that stack and update that first")
	}
	c.OIDC.OIDCProviderArgs = iam.OIDCProviderArgs{
		Cluster:   c.Cluster,
		IssuerURL: pulumi.String(o.IssuerURL),
		Existing:  true,
	}
	given := &iam.Existing{InstanceProfile: pulumi.String(o.Profile), Roles: map[iam.RoleName]pulumi.StringInput{}}
	roles := o.roles()
	for name, arn := range roles {
		given.Roles[name] = pulumi.String(arn)
	}
	_, c.IAM.Karpenter = roles["karpenter"]
	c.IAM.Existing = given
	return underKey(config.ClusterKey, faults)
}

// underKey returns faults with the key of their section, nil if there are none.
func underKey(key string, found fault.Faults) error {
	var faults fault.Faults
	faults.Join(key, found.Err())
	return faults.Err()
}
