package hypershift

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// Seconds after its creation at which a hosted control plane reaches each stage, by the order of magnitude of real
// ones.
const (
	infrastructureSeconds = 30
	etcdSeconds           = 75
	apiServerSeconds      = 120
	ignitionSeconds       = 150
	availableSeconds      = 180
	rolloutSeconds        = 600
)

// hostedClusterController is the hypershift-operator's controller of a HostedCluster.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go
type hostedClusterController struct{ *hostedCluster }

// reconcile advances the HostedCluster as far as possible at this time.
func (g hostedClusterController) reconcile() error {
	if g.spec.Object("platform").String("type") != "AWS" {
		return nil // other platforms are not modelled
	}
	if kubernetes.Deleting(g.rec) {
		return g.delete()
	}
	if g.infraID == "" {
		// HyperShift sets the network's defaults; the offline cluster does not need them.
		return nil
	}
	kubernetes.AddFinalizer(g.rec, Finalizer)
	g.defaultSpec()
	g.awaited()
	for _, stage := range []struct {
		seconds float64
		reach   func() (bool, error)
	}{
		{0, g.accepted}, {0, g.discoverable}, {infrastructureSeconds, g.reachable}, {etcdSeconds, g.stored},
		{apiServerSeconds, g.served}, {apiServerSeconds, g.nodeResourcesCreated}, {ignitionSeconds, g.ignitionServed},
		{availableSeconds, g.available},
		{availableSeconds, g.clusterResourcesCreated},
		{0, g.rolledOut},
	} {
		if !g.after(g.rec, stage.seconds) {
			return nil
		}
		if on, err := stage.reach(); err != nil || !on {
			return err
		}
	}
	return nil
}

// defaultSpec sets the defaults that HyperShift writes into the spec: the cluster's ID, and the tag that marks its
// resources. The operator writes a Go type, whose field autoscaling is never left out: the API server sets its
// defaults, and the operator manages them.
func (g hostedClusterController) defaultSpec() {
	if !g.spec.Has("autoscaling") {
		g.spec["autoscaling"] = map[string]any{}
	}
	if !g.spec.Has("clusterID") {
		g.spec["clusterID"] = ids.UUID()
	}
	owner := "kubernetes.io/cluster/" + g.infraID
	tags := g.aws.Objects("resourceTags")
	for _, tag := range tags {
		if tag.String("key") == owner {
			return
		}
	}
	list, _ := g.aws["resourceTags"].([]any)
	g.aws["resourceTags"] = append(list[:len(list):len(list)], map[string]any{"key": owner, "value": "owned"})
}

// awaited sets the conditions of a new cluster to unknown, and its version history to the version being rolled out.
func (g hostedClusterController) awaited() {
	status := g.status()
	if !status.Has("conditions") {
		for _, name := range []string{"InfrastructureReady", "EtcdAvailable", "KubeAPIServerAvailable",
			"ValidAWSIdentityProvider",
			"IgnitionEndpointAvailable"} {
			g.set(kubernetes.Condition{
				Name:    name,
				Status:  "Unknown",
				Reason:  "StatusUnknown",
				Message: "The hosted control plane is not found",
			})
		}
		g.set(kubernetes.Condition{
			Name:    "Available",
			Status:  "False",
			Reason:  "WaitingForAvailable",
			Message: "Waiting for hosted control plane to be healthy",
		})
	}
	image := g.spec.Object("release").String("image")
	version := status.Object("version")
	if version == nil {
		version = props.Map{"availableUpdates": []any{}, "desired": map[string]any{}}
		status["version"] = map[string]any(version)
	}
	version["observedGeneration"] = g.generation
	if version.Object("desired").String("image") != image {
		version["desired"] = map[string]any{"image": image, "version": versionOf(image)}
		history, _ := version["history"].([]any)
		version["history"] = append([]any{map[string]any{"state": "Partial", "image": image, "version": "", "verified": false,
			"startedTime": ids.Timestamp(), "completionTime": nil}}, history...)
		g.set(kubernetes.Condition{
			Name:    "Progressing",
			Status:  "True",
			Reason:  "Progressing",
			Message: "HostedCluster is deploying, upgrading, or reconfiguring",
		})
	}
}

var releaseTag = regexp.MustCompile(`:([0-9]+\.[0-9]+\.[0-9]+[^:@]*?)(-x86_64|-aarch64|-multi)?$`)

// versionOf returns the version in a release image's tag, or "" if there is none.
func versionOf(image string) string {
	if m := releaseTag.FindStringSubmatch(image); m != nil {
		return m[1]
	}
	return ""
}

// archOf returns the architecture that a release image's tag names, "" for none.
func archOf(image string) string {
	for suffix, arch := range map[string]string{"-x86_64": "amd64", "-aarch64": "arm64"} {
		if strings.HasSuffix(image, suffix) {
			return arch
		}
	}
	return ""
}

// supportedVersions are the minor versions that HyperShift's operator supports at the commit of the definitions, the
// latest first.
// https://github.com/openshift/hypershift/blob/main/support/supportedversion/version.go
func supportedVersions() []string {
	return []string{"5.1", "5.0", "4.23", "4.22", "4.21", "4.20", "4.19", "4.18", "4.17", "4.16", "4.15", "4.14"}
}

// SupportedVersionsJSON is what the operator publishes in the ConfigMap supported-versions.
func SupportedVersionsJSON() string {
	return `{"versions":["` + strings.Join(supportedVersions(), `","`) + `"]}`
}

// judgeRelease returns why the operator does not find a release image, or does not support it; "" if it does. A digest,
// and a tag without a version, could be any release: the offline cluster has no registry.
func judgeRelease(image string) string {
	version := versionOf(image)
	if !strings.Contains(image, "/") {
		return fmt.Sprintf("failed to lookup release image: unable to read image %q: not found", image)
	}
	if all := supportedVersions(); version != "" && !slices.ContainsFunc(all, func(minor string) bool { return strings.HasPrefix(version, minor+".") }) {
		return fmt.Sprintf("the versions supported are %s to %s. Attempting to use: %q", all[len(all)-1], all[0], version)
	}
	return ""
}

// accepted: the release is supported, and the objects that the cluster refers to exist in its namespace.
func (g hostedClusterController) accepted() (bool, error) {
	g.set(kubernetes.Condition{
		Name:    "ReconciliationActive",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Reconciliation active on resource",
	})
	if why := judgeRelease(g.spec.Object("release").String("image")); why != "" {
		g.set(kubernetes.Condition{Name: "ValidReleaseImage", Status: "False", Reason: "InvalidImage", Message: why})
		return false, nil
	}
	for _, name := range []string{
		g.spec.Object("pullSecret").String("name"), g.spec.Object("sshKey").String("name"),
		g.spec.Object("secretEncryption").Object("aescbc").Object("activeKey").String("name"),
		g.spec.Object("secretEncryption").Object("aescbc").Object("backupKey").String("name"),
		g.spec.Object("serviceAccountSigningKey").String("name"),
	} {
		if name != "" && g.Get(g.secretKey(name)) == nil {
			missing := fmt.Sprintf("Secret %q not found", name)
			g.set(kubernetes.Condition{
				Name:    "ValidConfiguration",
				Status:  "False",
				Reason:  "InvalidConfiguration",
				Message: missing,
			})
			g.set(kubernetes.Condition{
				Name:    "ReconciliationSucceeded",
				Status:  "False",
				Reason:  "ReconciliationError",
				Message: missing,
			})
			return false, nil
		}
	}
	g.set(kubernetes.Condition{
		Name:    "ValidConfiguration",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Configuration passes validation",
	})
	g.set(kubernetes.Condition{
		Name:    "SupportedHostedCluster",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "HostedCluster is supported by operator configuration",
	})
	g.set(kubernetes.Condition{
		Name:    "ValidReleaseImage",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Release image is valid",
	})
	g.set(kubernetes.Condition{
		Name:    "ReconciliationSucceeded",
		Status:  "True",
		Reason:  "ReconciliatonSucceeded",
		Message: "Reconciliation completed successfully",
	})
	g.set(kubernetes.Condition{
		Name:    "PlatformCredentialsFound",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Required platform credentials are found",
	})
	g.set(kubernetes.Condition{
		Name:    "Degraded",
		Status:  "False",
		Reason:  "AsExpected",
		Message: "The hosted cluster is not degraded",
	})
	return true, nil
}

// discoverable: the issuer's documents are where AWS reads them.
func (g hostedClusterController) discoverable() (bool, error) {
	if err := issuer(g).writeDiscovery(); err != nil {
		if !awserr.Is(err) {
			return false, err
		}
		g.set(kubernetes.Condition{
			Name:    "ValidOIDCConfiguration",
			Status:  "False",
			Reason:  "OIDCConfigurationInvalid",
			Message: err.Error(),
		})
		return false, nil
	}
	g.set(kubernetes.Condition{
		Name:    "ValidOIDCConfiguration",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "OIDC configuration is valid",
	})
	return true, nil
}

// reachable: the control plane has its load balancers.
func (g hostedClusterController) reachable() (bool, error) {
	g.status()["controlPlaneEndpoint"] = g.apiServer()
	g.set(kubernetes.Met("InfrastructureReady"))
	return true, nil
}

func (g hostedClusterController) stored() (bool, error) {
	g.set(kubernetes.Condition{Name: "EtcdAvailable", Status: "True", Reason: "QuorumAvailable", Message: ""})
	return true, nil
}

// served: the API server runs, and the Secrets for access to it exist.
func (g hostedClusterController) served() (bool, error) {
	g.set(kubernetes.Condition{
		Name:    "KubeAPIServerAvailable",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Kube APIServer deployment is available",
	})
	encryption(g).encrypted()
	g.writeAccess()
	return true, nil
}

// nodeResourcesCreated: the operators have assumed their role and created in AWS what nodes need. The control plane
// does not need any of it.
func (g hostedClusterController) nodeResourcesCreated() (bool, error) {
	return true, controlPlaneOperator(g).createNodeResources()
}

// clusterResourcesCreated: the cluster's own operators have created their resources in AWS.
func (g hostedClusterController) clusterResourcesCreated() (bool, error) {
	return true, guestOperators(g).createClusterResources()
}

func (g hostedClusterController) ignitionServed() (bool, error) {
	g.status()["ignitionEndpoint"] = g.publishedAt("Ignition", "ignition-server")
	g.set(kubernetes.Condition{
		Name:    "IgnitionEndpointAvailable",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "Ignition server deployment is available",
	})
	return true, nil
}

func (g hostedClusterController) available() (bool, error) {
	g.set(kubernetes.Condition{
		Name:    "Available",
		Status:  "True",
		Reason:  "AsExpected",
		Message: "The hosted control plane is available",
	})
	return true, nil
}

// rolledOut: the version is complete after its time, if there are nodes for the workloads.
func (g hostedClusterController) rolledOut() (bool, error) {
	history := g.status().Object("version").Objects("history")
	if len(history) == 0 || history[0].String("state") == "Completed" {
		return true, nil
	}
	// The duration of an upgrade counts from its start, which is recorded to the second.
	if started := parsed(history[0].String("startedTime")); g.now.Before(started.Add(g.how.Scaled(rolloutSeconds))) ||
		g.nodes() == 0 {
		g.set(kubernetes.Condition{
			Name:    "ClusterVersionAvailable",
			Status:  "False",
			Reason:  "FromClusterVersion",
			Message: "Waiting for nodes",
		})
		return false, nil
	}
	history[0]["state"], history[0]["completionTime"] = "Completed", ids.Timestamp()
	history[0]["version"] = versionOf(history[0].String("image"))
	done := "Done applying " + history[0].String("version")
	g.set(kubernetes.Condition{
		Name:    "ClusterVersionAvailable",
		Status:  "True",
		Reason:  "FromClusterVersion",
		Message: done,
	})
	g.set(kubernetes.Condition{
		Name:    "ClusterVersionSucceeding",
		Status:  "True",
		Reason:  "FromClusterVersion",
		Message: "",
	})
	g.set(kubernetes.Condition{
		Name:    "ClusterVersionProgressing",
		Status:  "False",
		Reason:  "FromClusterVersion",
		Message: "Cluster version is " + history[0].String("version"),
	})
	g.set(kubernetes.Condition{
		Name:    "Progressing",
		Status:  "False",
		Reason:  "AsExpected",
		Message: "HostedCluster is at expected version",
	})
	return true, nil
}

func (g hostedClusterController) nodes() int {
	nodes := 0
	for _, pool := range g.pools() {
		nodes += int(pool.State.Object("status").Number("replicas"))
	}
	return nodes
}

// delete deletes a HostedCluster: its NodePools first, then what its operators created in AWS, then itself.
func (g hostedClusterController) delete() error {
	if !slices.Contains(kubernetes.Finalizers(g.rec), Finalizer) {
		return nil
	}
	pools := g.pools()
	for _, pool := range pools {
		if !kubernetes.Deleting(pool) {
			kubernetes.Delete(g.Tx, pool)
		}
	}
	if len(pools) > 0 || !g.going(g.rec) {
		return nil
	}
	err := controlPlaneOperator(g).deleteNodeResources()
	if err != nil && !awserr.Is(err) {
		return err
	}
	if err != nil && !g.givesUp(g.rec) {
		return nil
	}
	if err := issuer(g).removeDiscovery(); err != nil {
		return err
	}
	if err := g.leaveBehind(); err != nil {
		return err
	}
	g.removeObjects()
	kubernetes.RemoveFinalizers(g.rec, Finalizer, discoveryFinalizer)
	return nil
}

// apiServer returns the address of the cluster's API.
func (g hostedClusterController) apiServer() map[string]any {
	how, port := g.published("APIServer"), 6443.0
	if how.String("type") == "Route" {
		port = 443
	}
	if host := cmp.Or(how.Object("route").String("hostname"), how.Object("loadBalancer").String("hostname")); host != "" {
		return map[string]any{"host": host, "port": port}
	}
	if how != nil && g.access == "Private" {
		return map[string]any{"host": "api." + g.localZone(), "port": port}
	}
	return map[string]any{
		"host": ids.StableEC2("a", g.infraID)[2:] + ".elb." + g.region + ".amazonaws.com",
		"port": 6443.0,
	}
}

// publishedAt returns the hostname in a service's publishing strategy or, without one, the hostname that the management
// cluster's router assigns.
func (g hostedClusterController) publishedAt(service, route string) string {
	return cmp.Or(g.published(service).Object("route").String("hostname"),
		fmt.Sprintf("%s-%s-%s.apps.management.example.com", route, g.namespace, g.name))
}

// leaveBehind creates in AWS what the drivers and controllers of a cluster create and do not delete, of the types that
// no stack creates.
// https://github.com/openshift/hypershift/blob/main/contrib/aws-leaked-resources
func (g hostedClusterController) leaveBehind() error {
	return g.looking(func(c *aws.Call) error {
		for _, left := range []struct{ kind, token, prefix, state string }{
			{faults.LeaveVolumes, awstype.Volume, "vol", "available"},
			{faults.LeaveSnapshots, awstype.Snapshot, "snap", "completed"},
			{faults.LeaveNetworkInterfaces, awstype.NetworkInterface, "eni", "available"},
			{faults.LeaveClassicLoadBalancers, awstype.ClassicLoadBalancer, "", ""},
		} {
			if !g.how.Leaves(left.kind) {
				continue
			}
			id := ids.EC2(left.prefix)
			if left.prefix == "" {
				id = ids.StableEC2("a", g.infraID, "classic")[2:]
			}
			tags := g.tags(g.infraID + "-" + left.kind)
			state := props.Map{"tags": tags, "tagsAll": untyped.Clone(tags), "state": left.state, "status": left.state}
			if left.prefix == "eni" || left.prefix == "" {
				state["vpcId"] = g.vpc
			}
			c.Put(&store.Entry{
				Type:      left.token,
				ID:        id,
				Scope:     g.region,
				Origin:    store.ByOperator,
				CreatedAt: g.now,
				State:     state,
			})
		}
		return nil
	})
}

// removeObjects deletes the objects in the control plane's namespace.
func (g hostedClusterController) removeObjects() {
	for _, rec := range kubernetes.InNamespace(g.Tx, g.controlNamespace()) {
		g.Delete(rec)
	}
}
