package stacks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// hostedClusterType is the type of a HostedCluster in a state.
const hostedClusterType = "kubernetes:" + crd.APIVersion + ":" + crd.HostedCluster

// inherited are the values that a cluster takes from its management stack at its first update. HyperShift cannot change
// them afterwards, so what the management stack gains, changes or loses later is for new clusters.
type inherited struct {
	// etcdKeyARN is the key for etcd, "" for none.
	etcdKeyARN string
	// zoneDomain and issuerBaseURL are from config.ManagementOutputs.
	zoneDomain, issuerBaseURL string
}

// lastUpdate are the values that the cluster has by the last update of its stack.
type lastUpdate struct {
	// exists is false for a new cluster; the other fields are then empty.
	exists bool
	// etcdKeyARN is the key for etcd, "" for none; zoneDomain is the domain of the management stack.
	etcdKeyARN, zoneDomain string
	// signingKeyID is the ID of the cluster's own signing key, "" for none. It is known if complete is true, that is, if
	// the update was completed.
	signingKeyID string
	complete     bool
	// issuerURL is the cluster's issuer, and infraID its ID.
	issuerURL, infraID string
	// apiServerRoute is true if the API server is published as a Route without a host name.
	apiServerRoute bool
}

// readLastUpdate reads the stack's own outputs, which it has after the first complete update; in a program that embeds
// the stack, its component has them.
func readLastUpdate(ctx *pulumi.Context) (lastUpdate, error) {
	outputs, err := stackOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return lastUpdate{}, fmt.Errorf("reading the last state of stack %s: %w", ctx.Stack(), err)
	}
	if last := lastUpdateOf(outputs); last.exists {
		return last, nil
	}
	resources, err := resourceOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return lastUpdate{}, fmt.Errorf("reading the last state of stack %s: %w", ctx.Stack(), err)
	}
	for _, r := range resources {
		if r.Type == ClusterType {
			return lastUpdateOf(r.Outputs), nil
		}
	}
	return lastUpdate{}, nil
}

// lastUpdateOf returns the values in a stack's outputs. exists is false if they aren't a cluster's outputs.
func lastUpdateOf(outputs map[string]any) lastUpdate {
	iam, hasIAM := outputs["iam"].(map[string]any)
	if outputs["kind"] != string(config.KindCluster) || !hasIAM {
		return lastUpdate{}
	}
	last := lastUpdate{exists: true, complete: true}
	last.signingKeyID, _ = outputs["signingKeyID"].(string)
	last.etcdKeyARN, _ = iam["kmsKeyARN"].(string)
	last.issuerURL, _ = iam["issuerURL"].(string)
	last.infraID, _ = iam["infraID"].(string)
	last.zoneDomain, _ = outputs["externalDNSDomain"].(string)
	last.apiServerRoute, _ = outputs["apiServerRoute"].(bool)
	return last
}

// readLastHostedCluster reads the HostedCluster in the stack's own state: the first update may have been interrupted
// after it was created.
func readLastHostedCluster(ctx *pulumi.Context) (lastUpdate, error) {
	resources, err := resourceOutputs(ctx, qualified(ctx, ctx.Stack()))
	if err != nil {
		return lastUpdate{}, fmt.Errorf("reading the last state of stack %s: %w", ctx.Stack(), err)
	}
	for _, r := range resources {
		if r.Type != hostedClusterType {
			continue
		}
		last := lastUpdate{exists: true}
		last.etcdKeyARN, last.zoneDomain, last.issuerURL, last.infraID = hostedcluster.Inherited(r.Outputs)
		last.apiServerRoute = hostedcluster.RoutesAPIServer(r.Outputs)
		return last, nil
	}
	return lastUpdate{}, nil
}

// first returns what the cluster, whose account is own, inherits if nothing was recorded before: the values of its last
// update or, for a new cluster, the management stack's. It returns a fault if a new cluster could not use the
// management stack's key.
func (e *clusterProgram) first(last lastUpdate, own string) (inherited, error) {
	m := e.management
	offered := inherited{zoneDomain: m.ZoneDomain, issuerBaseURL: m.IssuerBaseURL}
	if last.exists {
		offered.etcdKeyARN, offered.zoneDomain = last.etcdKeyARN, last.zoneDomain
		if base, found := strings.CutSuffix(last.issuerURL, "/"+last.infraID); found {
			offered.issuerBaseURL = base
		}
		return offered, nil
	}
	if explicit, plain := input.Plain(e.config.KMSKeyARN); plain && explicit != "" {
		if explicit != config.NoKMSKey {
			offered.etcdKeyARN = explicit
		}
		return offered, nil
	}
	var faults fault.Faults
	switch {
	case input.IsSet(e.config.KMSKeyARN) || m.EtcdKeyARN == "":
	case m.Region != e.region:
		faults.Add(config.ManagementPath, e.config.Management,
			"has a key for etcd in "+m.Region+", but the cluster is in "+e.region,
			"set kmsKeyARN to a key of "+e.region+", or "+config.NoKMSKey)
	case m.AccountID != own && !slices.Contains(m.EtcdKeyAccounts, own):
		faults.Add(config.ManagementPath, e.config.Management,
			"has a key for etcd that does not allow the cluster's account "+own,
			"add the account to etcdKey.accounts of that stack and update the stack, or use another kmsKeyARN or "+config.NoKMSKey)
	default:
		offered.etcdKeyARN = m.EtcdKeyARN
	}
	return offered, faults.Err()
}

// inherit records first in the state, unless values are recorded already, and uses what is recorded in place of the
// management stack's values.
func (e *clusterProgram) inherit(ctx *pulumi.Context, first inherited) error {
	output, err := outputs.Stash(ctx, "inherited", pulumi.Map{
		"etcdKeyARN":    pulumi.String(first.etcdKeyARN),
		"zoneDomain":    pulumi.String(first.zoneDomain),
		"issuerBaseURL": pulumi.String(first.issuerBaseURL),
	}, outputs.KeepsFirst, e.place.top...)
	if err != nil {
		return fmt.Errorf("recording what the cluster inherits from its management stack: %w", err)
	}
	// Which resources there are depends on the values, so they cannot be outputs. They are known in a preview too.
	kept, err := internals.UnsafeAwaitOutput(ctx.Context(), output)
	if err != nil {
		return fmt.Errorf("reading what the cluster inherits from its management stack: %w", err)
	}
	if values, known := kept.Value.(map[string]any); known && kept.Known {
		first.etcdKeyARN, _ = values["etcdKeyARN"].(string)
		first.zoneDomain, _ = values["zoneDomain"].(string)
		first.issuerBaseURL, _ = values["issuerBaseURL"].(string)
	}
	e.management.EtcdKeyARN, e.management.ZoneDomain, e.management.IssuerBaseURL = first.etcdKeyARN, first.zoneDomain,
		first.issuerBaseURL
	return nil
}

// keepKey refuses a key that the existing cluster's etcd cannot be rotated to. If the cluster's status was not read, it
// refuses any key but the last update's. A control plane needs the key as long as it exists, even if GitOps applied its
// objects.
func (e *clusterProgram) keepKey(last lastUpdate) error {
	key, plain := input.Plain(e.kmsKeyARN)
	if plain && e.live.Exists() {
		var faults fault.Faults
		faults.Join(config.ClusterKey, e.live.JudgeKMSKey(key))
		return faults.Err()
	}
	if !last.exists || !plain || key == last.etcdKeyARN {
		return nil
	}
	named := func(key string) string {
		if key == "" {
			return config.NoKMSKey
		}
		return key
	}
	return &fault.Fault{
		Path: config.ClusterKey + ".kmsKeyARN", Value: named(key),
		Problem: "is not the key with which the existing cluster encrypts etcd, " + named(last.etcdKeyARN) +
			": what etcd stores could no longer be read; the key is replaced only in stages, which follow from the status of the HostedCluster, and that was not read",
		Remedy: "set kmsKeyARN: " + named(last.etcdKeyARN),
	}
}
