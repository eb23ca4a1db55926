package stacks

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// createHostedCluster applies the objects if the config has a management cluster. What the section refers to is read in
// any case.
func (e *clusterProgram) createHostedCluster(ctx *pulumi.Context) error {
	h := e.config.HostedCluster
	if h == nil {
		return nil
	}
	secrets, err := h.SecretInputs()
	if err != nil {
		var faults fault.Faults
		faults.Join(config.HostedClusterPath, err)
		return e.place.origin.placed(faults.Err())
	}
	settings, site := e.settings(), e.config.Site(e.site(), e.kmsKeyARN)
	if settings.Referred, err = h.ReferredInputs(settings, &site); err != nil {
		var faults fault.Faults
		faults.Join(config.HostedClusterPath, err)
		return e.place.origin.placed(faults.Err())
	}
	if h.Kubeconfig == nil {
		return nil
	}
	if err := hostedcluster.CheckArchitectures(ctx, settings.NodePools, e.place.lookups...); err != nil {
		return e.place.origin.refused(err, config.KindCluster, "hostedCluster")
	}
	if err := e.warnOfNamelessServices(ctx, settings); err != nil {
		return err
	}
	if err := e.warnOfNewAddresses(ctx, settings); err != nil {
		return err
	}
	if err := e.warnOfSecondPath(ctx, settings); err != nil {
		return err
	}
	if key, err := e.config.SigningKey(); err != nil {
		return e.place.origin.placed(err)
	} else if key != nil {
		secrets[hostedcluster.SigningKey] = pulumi.ToSecret(key).(pulumi.StringOutput)
	}
	hash, err := etcdKeyHash(h)
	if err != nil {
		return err
	}
	cluster, err := e.place.managementCluster(ctx, h.Kubeconfig)
	if err != nil {
		return err
	}
	args := &hostedcluster.Args{
		Settings: *settings, Site: site,
		NodeAddresses: e.nodeAddresses(),
		Secrets:       secrets, EtcdKeyHash: hash, Unprotected: h.Unprotected,
		Live: e.live, Held: e.place.options.Held, Unpreviewed: e.place.options.Unpreviewed,
		Dependencies: e.dependencies.all, Egress: e.dependencies.forNodes,
		Refused: func(err error) error {
			return e.place.origin.refused(inOIDC(err), config.KindCluster, "hostedCluster")
		},
	}
	e.hostedCluster, err = hostedcluster.NewHostedCluster(ctx, "hosted-cluster", args, e.place.with(cluster)...)
	if found := fault.In(err); len(found) > 0 && !strings.HasPrefix(found[0].Path, config.HostedClusterPath) {
		return args.Refused(found) // of the objects, which the API of the management cluster judges
	}
	return err
}

// decideAPIServerRoute decides how the API server of a private cluster without a domain is published.
func (e *clusterProgram) decideAPIServerRoute(ctx *pulumi.Context, last lastUpdate) error {
	if e.config.HostedCluster == nil || e.config.EndpointAccess.HasPublic() {
		return nil
	}
	inState, err := readLastHostedCluster(ctx)
	if err == nil {
		e.apiServerRoute = routesAPIServer(e.settings(), e.live, inState, last)
	}
	return err
}

// routesAPIServer reports whether the API server is behind the private router without a host name. HyperShift cannot
// change it, so an existing cluster has what it had: in the management cluster, else in the stack's state. A cluster
// whose objects others apply is recorded by the first update only, and has no record by earlier versions.
func routesAPIServer(settings *hostedcluster.Settings, live *hostedcluster.Live, inState, last lastUpdate) bool {
	switch {
	case settings.ExternalDNSDomain != "":
		return false
	case live.Exists():
		return hostedcluster.RoutesAPIServer(live.HostedCluster)
	case inState.exists:
		return inState.apiServerRoute
	case live == nil && last.exists:
		return last.apiServerRoute
	}
	return settings.CanRoutePrivately(live)
}

// warnOfNamelessServices warns in the preview of a new cluster, while its services can still get names, if it could
// never be restored in another management cluster. externalDNSDomain: none is a user's decision.
func (e *clusterProgram) warnOfNamelessServices(ctx *pulumi.Context, settings *hostedcluster.Settings) error {
	decided := settings.ExternalDNSDomain != "" || e.config.HostedCluster.ExternalDNSDomain == config.NoExternalDNS
	if decided || !ctx.DryRun() || e.live == nil || e.live.Exists() {
		return nil
	}
	return ctx.Log.Warn("the API server's name is that of its load balancer, which cannot be changed later: the cluster can never be restored in another "+
		"management cluster; set hostedCluster.externalDNSDomain, or none to accept it", nil)
}

// warnOfNewAddresses warns in the preview of a new cluster that up refuses allowed networks without the addresses of
// the NAT gateways, which are known only once they exist.
func (e *clusterProgram) warnOfNewAddresses(ctx *pulumi.Context, settings *hostedcluster.Settings) error {
	if len(settings.AllowedCIDRs()) == 0 || !ctx.DryRun() {
		return nil
	}
	if e.nodeAddresses() == nil {
		return ctx.Log.Warn("the API server is open to "+strings.Join(settings.AllowedCIDRs(),
			", ")+" only, and nodes connect over the internet in mode Public: "+
			"the list must have the addresses from which they reach it, which this stack does not know", nil)
	}
	if len(settings.APIAccess.CIDRs) > 0 || e.live.Exists() || e.config.Network.NAT == network.None {
		return nil
	}
	return ctx.Log.Warn("hostedCluster.spec.networking.apiServer.allowedCIDRBlocks needs the addresses of the NAT gateways: up stops before it creates the "+
		"HostedCluster if they are not among them, and names them; use cluster.apiAccess.cidrs, to which the stack adds them", nil)
}

// warnOfSecondPath warns in the preview of a new private cluster that its API server gets a path of its own beside the
// router's, which cannot be changed later.
// https://github.com/openshift/hypershift/blob/main/docs/content/reference/service-publishing-strategies.md
func (e *clusterProgram) warnOfSecondPath(ctx *pulumi.Context, settings *hostedcluster.Settings) error {
	byRoute, err := settings.APIServerByRoute()
	if err != nil || e.config.EndpointAccess.HasPublic() || !ctx.DryRun() || e.live.Exists() {
		return err
	}
	host, err := settings.APIServerHost()
	if err != nil {
		return err
	}
	version, known := hostedcluster.ReleaseVersion(e.config.HostedCluster.Release)
	can := !known || version.GE(hostedcluster.RoutesPrivately())
	if text := secondPath(byRoute, host != "", known, can); text != "" {
		return ctx.Log.Warn(text, nil)
	}
	return nil
}

// secondPath returns the warning about how the API server of a new private cluster is published: by a Route or not,
// with a domain for it or not. can is false if the release is known not to publish it by a Route without a domain.
func secondPath(byRoute, named, known, can bool) string {
	const cost = "without externalDNSDomain the API server has a load balancer, an endpoint service and a PrivateLink endpoint of its own " +
		"beside the router's, for as long as the cluster lives; HyperShift discourages this path: "
	const remedy = "set the type of APIServer in hostedCluster.spec.services to Route"
	switch {
	case byRoute && !named && !can:
		return "hostedCluster.spec.services publishes APIServer as a Route without a host name, for which the control plane operator of releases " +
			"before " + hostedcluster.RoutesPrivately().String() + " creates a route with an empty host; use LoadBalancer, set externalDNSDomain, or use a later release"
	case byRoute:
		return ""
	case !can:
		return cost + "set externalDNSDomain, or use release " + hostedcluster.RoutesPrivately().String() + " or later"
	case known:
		return cost + remedy + ", which the control plane operator of this release supports"
	}
	return cost + "with release " + hostedcluster.RoutesPrivately().String() + " or later, " + remedy
}

// nodeAddresses returns the addresses of the network's NAT gateways by zone, nil if they are not the stack's.
func (e *clusterProgram) nodeAddresses() pulumi.StringMapInput {
	if e.network.NATAddresses.OutputState == nil {
		return nil
	}
	return e.network.NATAddresses
}

// readLive reads the hosted cluster from its management cluster. In a preview it isn't an error if the management
// cluster doesn't answer: the plan then has no stages.
func (e *clusterProgram) readLive(ctx *pulumi.Context) (*hostedcluster.Live, error) {
	h, read := e.config.HostedCluster, e.place.options.Live
	if h == nil || h.Kubeconfig == nil || read == nil {
		return nil, nil //nolint:nilnil // not read
	}
	live, err := read(ctx.Context(), *h.Kubeconfig, h.NamespaceOrDefault(), e.config.Name)
	if err == nil {
		e.place.readVersions(ctx.Context(), live, e.config)
	}
	if err != nil && ctx.DryRun() {
		if *e.place.unread { // the preview has its cause already
			return nil, nil //nolint:nilnil // not read
		}
		return nil, ctx.Log.Warn("the hosted cluster could not be read, so the plan does not show the stages of a new release or a new key: "+err.Error(), nil)
	}
	return live, err
}

// readVersions reads the versions of the section's release images that a cluster's history does not have.
func (p placement) readVersions(ctx context.Context, live *hostedcluster.Live, section config.ReleaseSection) {
	if p.options.ReleaseVersions == nil || live == nil {
		return
	}
	releases, err := section.Releases()
	if err != nil {
		return // of a secret, which has a fault of its own
	}
	releases.Images = slices.DeleteFunc(slices.Clone(releases.Images), live.KnowsVersion)
	if len(releases.Images) > 0 {
		live.Versions = p.options.ReleaseVersions(ctx, releases)
	}
}

// settings returns the settings of the config, with the domain that the cluster inherited from its management stack.
func (e *clusterProgram) settings() *hostedcluster.Settings {
	settings := e.config.HostedClusterSettings(e.region)
	if e.config.HostedCluster.ExternalDNSDomain == "" {
		settings.ExternalDNSDomain = e.management.ZoneDomain
	}
	settings.APIServerRoute = e.apiServerRoute
	settings.AllowPrincipals(e.config.EndpointPrincipals(e.location.GlobalARN("iam", "root")))
	return settings
}

// site returns the outputs of the stack's components for a HostedCluster, whether or not its config uses them.
func (e *clusterProgram) site() hostedcluster.SiteArgs {
	site := hostedcluster.SiteArgs{
		VPCID: e.network.VPCID, MachineCIDRs: e.network.NodeCIDRs,
		PublicZoneID: e.network.PublicZone.ID, PrivateZoneID: e.network.PrivateZone.ID,
		IssuerURL: e.oidc.IssuerURL, InstanceProfile: e.workers.Name, Roles: map[iam.RoleName]pulumi.StringInput{},
		ProxyAddress: e.network.ProxyAddress, HTTPSProxyAddress: e.network.SecureProxyAddress,
	}
	for _, name := range iam.RoleNames() {
		site.Roles[name] = e.roles.ARN(name)
	}
	for _, zone := range e.network.Zones {
		subnet := e.network.NodeSubnetID(zone)
		site.Zones = append(site.Zones, hostedcluster.SiteZoneArgs{Name: zone, SubnetID: subnet})
	}
	if e.queue != nil {
		site.InterruptionQueueURL = e.queue.URL
	}
	if e.sharedRoles != nil {
		site.SharedVPC = &hostedcluster.SharedVPCArgs{
			IngressARN: e.sharedRoles.Route53ARN, ControlPlaneARN: e.sharedRoles.EndpointARN,
			LocalZoneID: e.network.LocalZone.ID,
		}
	}
	return site
}

// unset is an input without a value. kubernetes.NewProvider has no default for it.
func unset[T any, Output pulumi.Output]() Output {
	return pulumi.String("").ToStringOutput().ApplyT(func(string) *T { return nil }).(Output)
}

// managementCluster registers the provider of the management cluster.
func (p placement) managementCluster(ctx *pulumi.Context, c *config.Kubeconfig) (*kubernetes.Provider, error) {
	args := &kubernetes.ProviderArgs{
		// A stack's objects never move to another cluster. A kubeconfig with another address of the same API server, a new CA
		// or another name of the context changes the provider's settings, but must not replace any object: with an unchanged
		// cluster identifier, no other setting does. Adding the identifier to an existing provider replaces nothing.
		ClusterIdentifier: pulumi.String("management-cluster"),
		// Objects keep their names, and are updated instead of replaced, because operators read them.
		EnableConfigMapMutable: pulumi.Bool(true),
		EnableSecretMutable:    pulumi.Bool(true),
		// An input that is not set has the value of an environment variable of the program, which the state would keep. The
		// engine's own environment has the kubeconfig, as the copy of the selected context.
		Kubeconfig:            unset[string, pulumi.StringPtrOutput](),
		DeleteUnreachable:     unset[bool, pulumi.BoolPtrOutput](),
		SkipUpdateUnreachable: unset[bool, pulumi.BoolPtrOutput](),
		EnableServerSideApply: unset[bool, pulumi.BoolPtrOutput](),
		EnablePatchForce:      unset[bool, pulumi.BoolPtrOutput](),
		UpsertExistingObjects: unset[bool, pulumi.BoolPtrOutput](),
	}
	if c.File != "" {
		args.Kubeconfig = pulumi.String(c.File)
	}
	if c.Context != "" {
		args.Context = pulumi.String(c.Context)
	}
	provider, err := kubernetes.NewProvider(ctx, "management-cluster", args, p.top...)
	if err != nil {
		return nil, fmt.Errorf("registering the provider of the management cluster: %w", err)
	}
	return provider, nil
}

// etcdKeyHash returns the SHA-256 of the key in etcdKey in hex, as HyperShift reports it; "" without one, and for an
// output.
func etcdKeyHash(h *config.HostedCluster) (string, error) {
	texts, err := h.Secrets()
	if err != nil || texts[hostedcluster.EtcdKey] == "" {
		return "", err
	}
	key, err := base64.StdEncoding.DecodeString(texts[hostedcluster.EtcdKey])
	if err != nil {
		return "", fmt.Errorf("decoding the key of etcd: %w", err) // without the key
	}
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:]), nil
}
