package hostedcluster

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/internal/component"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
)

const nodePoolsType = "hypershift-aws:hostedcluster:NodePools"

// NodePools are node pools of a HostedCluster that exists and that other tools own. They are created with the caller's
// kubernetes provider, by server-side apply. The HostedCluster is neither created nor changed.
type NodePools struct {
	pulumi.ResourceState

	// NodePools are the names of the node pools.
	NodePools pulumi.StringArrayOutput `pulumi:"nodePools"`

	// Stages are the changes that a further update continues, in words; none if there is nothing to continue.
	Stages []string
}

// NodePoolsArgs are the inputs of NodePools.
type NodePoolsArgs struct {
	// HostedCluster is the cluster that the pools belong to. Required.
	HostedCluster ExistingCluster `yaml:"-" pulumi:"hostedCluster"`
	// NodePools are the pools. Each needs a name. Required.
	NodePools []NodePool `yaml:"-" pulumi:"nodePools"`
	// NodesPausedSince is the time since which the pools have no nodes: see Settings. Default: they have their nodes.
	NodesPausedSince string `yaml:"-" pulumi:"nodesPausedSince,optional"`
	// Referred are the ConfigMaps to create in the same namespace, which the pools refer to by their names in config and
	// tuningConfig. They are created before the pools and deleted after them. Default none.
	Referred []Referred `yaml:"-" pulumi:"objects,optional"`
	// Owner is the value of the annotation hypershift-aws/stack, which distinguishes these pools from other owners' pools.
	// Default: the project and the stack of the program.
	Owner string `yaml:"-" pulumi:"owner,optional"`
	// Dependencies are the resources that the pools need: they are created before them and deleted after them, such as a
	// HostedCluster of the same program. Default none.
	Dependencies []pulumi.Resource `yaml:"-"`
	// Held, Unpreviewed, and Refused are the same as in Args.
	Held        map[string][]string `yaml:"-"`
	Unpreviewed []string            `yaml:"-"`
	Refused     func(error) error   `yaml:"-"`
	// Live is the cluster's status in the management cluster. With it, a new release is rolled out after the control plane
	// has it, and a release that does not fit the control plane's is refused. Default: only the release of HostedCluster
	// is compared, and the embedded API judges the objects.
	Live *Live `yaml:"-"`
}

// ExistingCluster is an existing HostedCluster, with what its node pools take from it.
type ExistingCluster struct {
	// Name is the name of the HostedCluster. Required.
	Name string `yaml:"-" pulumi:"name"`
	// Namespace is the namespace of the HostedCluster, and of the pools. Default clusters.
	Namespace string `yaml:"-" pulumi:"namespace,optional"`
	// InfraID is the infra ID of the HostedCluster. Required.
	InfraID string `yaml:"-" pulumi:"infraID"`
	// Release is the release image of the HostedCluster. Required.
	Release string `yaml:"-" pulumi:"release"`
	// Zone is the zone of SubnetID. Default none.
	Zone string `yaml:"-" pulumi:"zone,optional"`
	// SubnetID is the ID of the subnet of pools without subnetID, "subnet-…". Default: each pool needs its own.
	SubnetID pulumi.StringInput `yaml:"-" pulumi:"subnetID,optional"`
	// InstanceProfile is the name of the instance profile of pools without one. Default: <infraID>-worker, as in
	// HyperShift's CLI.
	InstanceProfile pulumi.StringInput `yaml:"-" pulumi:"instanceProfile,optional"`
}

// NewNodePools registers the pools. The error lists every fault in args, including those that HyperShift's API would
// return.
func NewNodePools(
	ctx *pulumi.Context,
	name string,
	args *NodePoolsArgs,
	opts ...pulumi.ResourceOption,
) (*NodePools, error) {
	return component.New(ctx, nodePoolsType, "node pools", name, args, opts,
		func(c *NodePools, args *NodePoolsArgs) error {
			return args.build(ctx, name, c)
		})
}

// Validate returns every fault in args.
func (args *NodePoolsArgs) Validate() error {
	_, _, err := args.objects(input.Placeholders{})
	return err
}

// Manifests returns the pools as files, after the ConfigMaps that they refer to, in the order in which they can be
// applied. It fails as Validate does.
func (args *NodePoolsArgs) Manifests() ([]Manifest, error) {
	settings, objects, err := args.objects(input.Placeholders{})
	if err != nil {
		return nil, err
	}
	var manifests []Manifest
	for _, r := range settings.Referred {
		if manifest, plain := settings.referredManifest(r); plain {
			manifests = append(manifests, manifest)
		}
	}
	for _, pool := range objects.NodePools {
		manifests = append(manifests, Manifest{"30-nodepool-" + textAt(pool, "metadata", "name") + ".yaml", pool})
	}
	return manifests, nil
}

// ConfigKey is Settings.ConfigKey for the pool with an index.
func (args *NodePoolsArgs) ConfigKey(pool int, path string) string {
	return (&Settings{NodePools: args.NodePools}).ConfigKey(pool, path)
}

// noSubnet represents the subnet of a pool whose zone has none. That is a separate fault.
const noSubnet = "subnet-00000000000000000"

// settings returns the cluster of the pools, as far as the pools need it.
func (args *NodePoolsArgs) settings() (*Settings, *SiteArgs, error) {
	var faults fault.Faults
	c := args.HostedCluster
	for key, value := range map[string]string{"name": c.Name, "infraID": c.InfraID, "release": c.Release} {
		if value == "" {
			faults.Add("hostedCluster."+key, nil, "is missing", "set that of the HostedCluster")
		}
	}
	if c.Name != "" && (len(c.Name) > 253 || !hypershift.IsInfraID(c.Name)) { // the same pattern
		faults.Add("hostedCluster.name", c.Name, "is not the name of a HostedCluster",
			"use at most 253 of a-z, 0-9, and -, and begin and end with a letter or digit")
	}
	settings := &Settings{
		Cluster: hypershift.Cluster{Name: c.Name, InfraID: c.InfraID}, Namespace: c.Namespace, Release: c.Release,
		NodePools: args.NodePools, Referred: args.Referred, NodesPausedSince: args.NodesPausedSince,
	}
	site := &SiteArgs{InstanceProfile: c.InstanceProfile}
	if !input.IsSet(site.InstanceProfile) {
		site.InstanceProfile = pulumi.String(c.InfraID + "-worker")
	}
	subnets := map[string]pulumi.StringInput{}
	add := func(zone string, subnet pulumi.StringInput) {
		if _, known := subnets[zone]; !known {
			subnets[zone] = subnet
			site.Zones = append(site.Zones, SiteZoneArgs{Name: zone, SubnetID: subnet})
		}
	}
	if input.IsSet(c.SubnetID) {
		add(c.Zone, c.SubnetID)
	}
	if len(args.NodePools) == 0 {
		faults.Add("nodePools", nil, "is missing", "set at least one pool")
	}
	for i, pool := range args.NodePools {
		path := fmt.Sprintf("nodePools[%d]", i)
		if pool.Name == "" {
			faults.Add(path+".name", nil, "is missing", "set a name that no other pool of the namespace has")
		}
		_, hasSubnet := subnets[pool.Zone]
		switch {
		case input.IsSet(pool.SubnetID):
			add(pool.Zone, pool.SubnetID)
		case pool.Zone == "" && len(subnets) == 0:
			faults.Add(path+".subnetID", nil, "is missing, and the HostedCluster names no subnet",
				"set a subnet of the cluster's VPC")
			add("", pulumi.String(noSubnet))
		case pool.Zone != "" && !hasSubnet:
			faults.Add(path+".zone", pool.Zone, "is not the zone of the subnet that the HostedCluster names",
				"set subnetID to a subnet of the cluster's VPC in that zone")
			add(pool.Zone, pulumi.String(noSubnet))
		}
	}
	return settings, site, faults.Err()
}

// objects returns the objects of the pools, with placeholders for outputs.
func (args *NodePoolsArgs) objects(in input.Placeholders) (*Settings, *Objects, error) {
	var faults fault.Faults
	settings, siteArgs, err := args.settings()
	faults.Join("", err)
	plain, site, objects := &Settings{}, &Site{}, &Objects{}
	in.Fill(plain, settings)
	in.Fill(site, siteArgs)
	pools := objectBuilder{plain, site, args.Live.api()}
	faults.Join("", pools.validatePools())
	if len(faults) == 0 {
		for _, f := range fault.In(pools.addNodePools(objects)) {
			own := *f
			if match := poolField.FindStringSubmatch(f.Path); match != nil && clusterFields()[match[1]] != "" {
				own.Path = clusterFields()[match[1]]
			}
			faults.Join("", &own)
		}
	}
	return settings, objects, faults.Err()
}

// poolField matches a field of a pool's object that no setting of the pool sets.
var poolField = regexp.MustCompile(`^nodePools\[\d+\]\.((?:spec|metadata)\..*)$`)

// clusterFields returns the inputs that such fields take their values from.
func clusterFields() map[string]string {
	return map[string]string{
		"spec.clusterName": "hostedCluster.name", "metadata.namespace": "hostedCluster.namespace",
		"spec.platform.aws.instanceProfile": "hostedCluster.instanceProfile",
		"spec.platform.aws.subnet":          "hostedCluster.subnetID",
		"spec.platform.aws.subnet.id":       "hostedCluster.subnetID",
	}
}

// live returns what is known about the cluster.
func (args *NodePoolsArgs) live() *Live {
	if args.Live.Exists() {
		return args.Live
	}
	release := map[string]any{"image": args.HostedCluster.Release}
	return &Live{HostedCluster: map[string]any{"spec": map[string]any{"release": release}}}
}

func (args *NodePoolsArgs) build(ctx *pulumi.Context, name string, c *NodePools) error {
	in := input.Placeholders{}
	settings, objects, err := args.objects(in)
	if err != nil {
		return err
	}
	owner := args.Owner
	if owner == "" {
		owner = ctx.Project() + "/" + ctx.Stack()
	}
	b := &builder{
		ctx: ctx, name: name, parent: c, inputs: in, marks: pulumi.StringMap{hypershift.StackTag: pulumi.String(owner)},
		args: &Args{Settings: *settings, Held: args.Held, Unpreviewed: args.Unpreviewed, Refused: args.Refused},
	}
	live := args.live()
	objects.HostedCluster = live.HostedCluster
	if err := live.judgeReleases(objects); err != nil {
		return b.refused(err)
	}
	if err := b.warn(live.unchecked(objects)); err != nil {
		return err
	}
	c.Stages = []string{}
	if open := live.stageReleases(objects); open != "" {
		c.Stages = append(c.Stages, open)
		if err := ctx.Log.Info(open, nil); err != nil {
			return err
		}
	}
	b.forLife, err = b.refuse("-for-life", func(before, after resource.PropertyMap) error {
		return settings.judgeUpdate(args.Live, before, after, true)
	})
	if err != nil {
		return err
	}
	references := (&Objects{NodePools: objects.NodePools}).references()
	first := slices.Clone(args.Dependencies)
	for i, referred := range settings.Referred {
		made, err := b.referred(i, referred, references[referred.Name], args.Dependencies)
		if err != nil {
			return err
		}
		first = append(first, made)
	}
	var names pulumi.StringArray
	for _, object := range objects.NodePools {
		pool := textAt(object, "metadata", "name")
		if _, err := b.object(name+"-"+pool, object, first); err != nil {
			return err
		}
		names = append(names, pulumi.String(pool))
	}
	c.NodePools = names.ToStringArrayOutput()
	return nil
}
