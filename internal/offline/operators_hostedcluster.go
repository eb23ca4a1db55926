package offline

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// How many seconds after its creation a hosted control plane gets that far, by the order of magnitude of real ones.
const (
	infrastructureSeconds = 30
	etcdSeconds           = 75
	apiServerSeconds      = 120
	ignitionSeconds       = 150
	availableSeconds      = 180
	rolloutSeconds        = 600
)

// guest is a HostedCluster as its operators see it: what they need of its spec.
type guest struct {
	*reconciler
	rec                     *record
	name, namespace         string
	infraID, issuer, region string
	vpc, access             string
	generation              float64
	spec, aws               props
	// shared is true where the VPC is another account's: what would be made in it is then only said to be there.
	shared bool
}

func (o *reconciler) guest(rec *record) *guest {
	spec, metadata := rec.State.object("spec"), rec.State.object("metadata")
	aws := spec.object("platform").object("aws")
	return &guest{
		reconciler: o, rec: rec, name: metadata.text("name"), namespace: metadata.text("namespace"),
		infraID: spec.text("infraID"), issuer: spec.text("issuerURL"), region: aws.text("region"),
		vpc: aws.object("cloudProviderConfig").text("vpc"), access: cmp.Or(aws.text("endpointAccess"), "Public"),
		generation: metadata.number("generation"), spec: spec, aws: aws, shared: aws.has("sharedVPC"),
	}
}

func (g *guest) status() props { return statusOf(g.rec.State) }

func (g *guest) set(said condition) { conditions{g.status()}.set(g.generation, said) }

func (g *guest) is(name string) bool { return conditions{g.status()}.is(name) }

// hostedCluster brings a HostedCluster as far as it can be by now.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go
func (o *reconciler) hostedCluster(rec *record) error {
	g := o.guest(rec)
	if g.spec.object("platform").text("type") != "AWS" {
		return nil // nothing here knows how others live
	}
	if rec.doomed() {
		return g.goes()
	}
	if g.infraID == "" {
		// HyperShift fills it in; here nobody could make a network for it by then.
		return nil
	}
	hold(rec.State)
	g.awaited()
	for _, stage := range []struct {
		seconds float64
		reach   func() (bool, error)
	}{
		{0, g.accepted}, {0, g.discoverable}, {infrastructureSeconds, g.reachable}, {etcdSeconds, g.stored},
		{apiServerSeconds, g.served}, {apiServerSeconds, g.equipped}, {ignitionSeconds, g.ignites}, {availableSeconds, g.available}, {availableSeconds, g.inhabited},
		{0, g.rolledOut},
	} {
		if !o.after(rec, stage.seconds) {
			return nil
		}
		if on, err := stage.reach(); err != nil || !on {
			return err
		}
	}
	return nil
}

// awaited says of everything that nothing is known yet, and of the version that it is rolling out.
func (g *guest) awaited() {
	status := g.status()
	if !status.has("conditions") {
		for _, name := range []string{"InfrastructureReady", "EtcdAvailable", "KubeAPIServerAvailable", "ValidAWSIdentityProvider",
			"IgnitionEndpointAvailable"} {
			g.set(condition{name, "Unknown", "StatusUnknown", "The hosted control plane is not found"})
		}
		g.set(condition{"Available", "False", "WaitingForAvailable", "Waiting for hosted control plane to be healthy"})
	}
	image := g.spec.object("release").text("image")
	version := status.object("version")
	if version == nil {
		version = props{"availableUpdates": []any{}, "desired": map[string]any{}}
		status["version"] = map[string]any(version)
	}
	version["observedGeneration"] = g.generation
	if version.object("desired").text("image") != image {
		version["desired"] = map[string]any{"image": image, "version": versionOf(image)}
		history, _ := version["history"].([]any)
		version["history"] = append([]any{map[string]any{"state": "Partial", "image": image, "version": "", "verified": false,
			"startedTime": now(), "completionTime": nil}}, history...)
		g.set(condition{"Progressing", "True", "Progressing", "HostedCluster is deploying, upgrading, or reconfiguring"})
	}
}

var releaseTag = regexp.MustCompile(`:([0-9]+\.[0-9]+\.[0-9]+[^:@]*?)(-x86_64|-aarch64|-multi)?$`)

// versionOf is the version that a release image's tag names, "" where it names none.
func versionOf(image string) string {
	if m := releaseTag.FindStringSubmatch(image); m != nil {
		return m[1]
	}
	return ""
}

// accepted: what the cluster refers to is in its namespace.
func (g *guest) accepted() (bool, error) {
	g.set(condition{"ReconciliationActive", "True", "AsExpected", "Reconciliation active on resource"})
	for _, name := range []string{
		g.spec.object("pullSecret").text("name"), g.spec.object("sshKey").text("name"),
		g.spec.object("secretEncryption").object("aescbc").object("activeKey").text("name"),
	} {
		if name != "" && g.record(key{g.namespace, "kubernetes:core/v1:Secret", g.namespace + "/" + name}) == nil {
			missing := fmt.Sprintf("Secret %q not found", name)
			g.set(condition{"ValidConfiguration", "False", "InvalidConfiguration", missing})
			g.set(condition{"ReconciliationSucceeded", "False", "ReconciliationError", missing})
			return false, nil
		}
	}
	g.set(condition{"ValidConfiguration", "True", "AsExpected", "Configuration passes validation"})
	g.set(condition{"SupportedHostedCluster", "True", "AsExpected", "HostedCluster is supported by operator configuration"})
	g.set(condition{"ValidReleaseImage", "True", "AsExpected", "Release image is valid"})
	g.set(condition{"ReconciliationSucceeded", "True", "ReconciliatonSucceeded", "Reconciliation completed successfully"})
	g.set(condition{"PlatformCredentialsFound", "True", "AsExpected", "Required platform credentials are found"})
	g.set(condition{"Degraded", "False", "AsExpected", "The hosted cluster is not degraded"})
	return true, nil
}

// discoverable: the issuer's documents are where AWS looks for them.
func (g *guest) discoverable() (bool, error) {
	if err := g.writeDiscovery(); err != nil {
		var refused *refusal
		if !errors.As(err, &refused) {
			return false, err
		}
		g.set(condition{"ValidOIDCConfiguration", "False", "OIDCConfigurationInvalid", err.Error()})
		return false, nil
	}
	g.set(condition{"ValidOIDCConfiguration", "True", "AsExpected", "OIDC configuration is valid"})
	return true, nil
}

// reachable: the control plane has its load balancers.
func (g *guest) reachable() (bool, error) {
	g.status()["controlPlaneEndpoint"] = g.apiServer()
	g.set(well("InfrastructureReady"))
	return true, nil
}

func (g *guest) stored() (bool, error) {
	g.set(condition{"EtcdAvailable", "True", "QuorumAvailable", ""})
	return true, nil
}

// served: there is an API server, and with it the way in.
func (g *guest) served() (bool, error) {
	g.set(condition{"KubeAPIServerAvailable", "True", "AsExpected", "Kube APIServer deployment is available"})
	g.writeAccess()
	return true, nil
}

// equipped: the operators have taken their role and made in AWS what nodes need. The control plane comes up without.
func (g *guest) equipped() (bool, error) {
	if err := g.equip(); err != nil {
		return false, err
	}
	return true, nil
}

// inhabited: what runs in the cluster has made its own things in AWS.
func (g *guest) inhabited() (bool, error) { return true, g.inhabit() }

func (g *guest) ignites() (bool, error) {
	g.status()["ignitionEndpoint"] = g.publishedAt("Ignition", "ignition-server")
	g.set(condition{"IgnitionEndpointAvailable", "True", "AsExpected", "Ignition server deployment is available"})
	return true, nil
}

func (g *guest) available() (bool, error) {
	g.set(condition{"Available", "True", "AsExpected", "The hosted control plane is available"})
	return true, nil
}

// rolledOut: the version is complete when it has had its time and there are nodes for what runs on them.
func (g *guest) rolledOut() (bool, error) {
	history := g.status().object("version").objects("history")
	if len(history) == 0 || history[0].text("state") == "Completed" {
		return true, nil
	}
	// What an upgrade takes is counted from its start, which is known to the second.
	if started := parsed(history[0].text("startedTime")); g.now.Before(started.Add(g.how.scaled(rolloutSeconds))) || g.nodes() == 0 {
		g.set(condition{"ClusterVersionAvailable", "False", "FromClusterVersion", "Waiting for nodes"})
		return false, nil
	}
	history[0]["state"], history[0]["completionTime"] = "Completed", now()
	history[0]["version"] = versionOf(history[0].text("image"))
	done := "Done applying " + history[0].text("version")
	g.set(condition{"ClusterVersionAvailable", "True", "FromClusterVersion", done})
	g.set(condition{"ClusterVersionSucceeding", "True", "FromClusterVersion", ""})
	g.set(condition{"ClusterVersionProgressing", "False", "FromClusterVersion", "Cluster version is " + history[0].text("version")})
	g.set(condition{"Progressing", "False", "AsExpected", "HostedCluster is at expected version"})
	return true, nil
}

// pools are the cluster's NodePools.
func (g *guest) pools() []*record {
	return slices.DeleteFunc(g.records(g.namespace, nodePoolToken), func(pool *record) bool {
		return pool.State.object("spec").text("clusterName") != g.name
	})
}

func (g *guest) nodes() int {
	nodes := 0
	for _, pool := range g.pools() {
		nodes += int(pool.State.object("status").number("replicas"))
	}
	return nodes
}

// goes takes a HostedCluster down: its NodePools first, then what its operators made in AWS, then itself.
func (g *guest) goes() error {
	if !slices.Contains(g.rec.finalizers(), finalizer) {
		return nil
	}
	pools := g.pools()
	for _, pool := range pools {
		if !pool.doomed() {
			g.doom(pool)
		}
	}
	if len(pools) > 0 || !g.going(g.rec) {
		return nil
	}
	err := g.unequip()
	var refused *refusal
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	if err != nil && !g.givesUp(g.rec) {
		return nil
	}
	if err := g.removeDiscovery(); err != nil {
		return err
	}
	release(g.rec.State)
	return nil
}

// apiServer is where the cluster's API is served.
func (g *guest) apiServer() map[string]any {
	for _, service := range g.spec.objects("services") {
		how := service.object("servicePublishingStrategy")
		if service.text("service") != "APIServer" {
			continue
		}
		if host := cmp.Or(how.object("route").text("hostname"), how.object("loadBalancer").text("hostname")); host != "" {
			return map[string]any{"host": host, "port": portOf(how.text("type"))}
		}
		if g.access == "Private" {
			return map[string]any{"host": "api." + g.name + ".hypershift.local", "port": portOf(how.text("type"))}
		}
	}
	return map[string]any{"host": stableID("a", g.infraID)[2:] + ".elb." + g.region + ".amazonaws.com", "port": 6443.0}
}

func portOf(strategy string) float64 {
	if strategy == "Route" {
		return 443
	}
	return 6443
}

// publishedAt is the host that a service has been given, or that the management cluster's router gives it.
func (g *guest) publishedAt(service, route string) string {
	for _, s := range g.spec.objects("services") {
		if s.text("service") == service {
			if host := s.object("servicePublishingStrategy").object("route").text("hostname"); host != "" {
				return host
			}
		}
	}
	return fmt.Sprintf("%s-%s.apps.management.example.com", route, strings.Join([]string{g.namespace, g.name}, "-"))
}
