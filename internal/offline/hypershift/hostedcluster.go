package hypershift

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// controlPlaneVersion is the version of the kinds in the control plane's namespace, which no stack creates.
const controlPlaneVersion = crd.APIVersion

// hostedCluster is a HostedCluster as its operators see it: the parts of its spec that they need.
type hostedCluster struct {
	*reconciler
	rec                     *store.Entry
	name, namespace         string
	infraID, issuer, region string
	vpc, access             string
	generation              float64
	spec, aws               props.Map
	// shared is true if the VPC belongs to another account: resources in it are then only reported.
	shared bool
}

// clusterOf returns the HostedCluster of a record.
func (o *reconciler) clusterOf(rec *store.Entry) *hostedCluster {
	spec, metadata := rec.State.Object("spec"), rec.State.Object("metadata")
	aws := spec.Object("platform").Object("aws")
	return &hostedCluster{
		reconciler: o, rec: rec, name: metadata.String("name"), namespace: metadata.String("namespace"),
		infraID: spec.String("infraID"), issuer: spec.String("issuerURL"), region: aws.String("region"),
		vpc: aws.Object("cloudProviderConfig").String("vpc"), access: cmp.Or(aws.String("endpointAccess"), "Public"),
		generation: metadata.Number("generation"), spec: spec, aws: aws, shared: aws.Has("sharedVPC"),
	}
}

func (g *hostedCluster) status() props.Map { return kubernetes.StatusOf(g.rec.State) }

func (g *hostedCluster) set(said kubernetes.Condition) {
	kubernetes.Conditions{Status: g.status()}.Set(g.generation, said)
}

func (g *hostedCluster) is(name string) bool {
	return kubernetes.Conditions{Status: g.status()}.Is(name)
}

// published returns the publishing strategy of a service, nil if the spec has none.
func (g *hostedCluster) published(service string) props.Map {
	for _, s := range g.spec.Objects("services") {
		if s.String("service") == service {
			return s.Object("servicePublishingStrategy")
		}
	}
	return nil
}

// pools returns the cluster's NodePools.
func (g *hostedCluster) pools() []*store.Entry {
	return slices.DeleteFunc(g.List(g.namespace, kubernetes.NodePoolToken), func(pool *store.Entry) bool {
		return pool.State.Object("spec").String("clusterName") != g.name
	})
}

// tags returns the tags of resources that the operators create: the cluster's own and the two by which they find the
// resources again. A resource without a name has only the first.
func (g *hostedCluster) tags(name string) map[string]any {
	tags := map[string]any{}
	for _, tag := range g.aws.Objects("resourceTags") {
		tags[tag.String("key")] = tag.String("value")
	}
	tags["kubernetes.io/cluster/"+g.infraID] = "owned"
	if name != "" {
		tags["Name"] = name
	}
	return tags
}

func (g *hostedCluster) localZone() string { return g.name + ".hypershift.local" }

// securityGroup returns a security group of the cluster in its VPC. It is created if it does not exist.
func (g *hostedCluster) securityGroup(a *agent, name, description string, ingress []any) (*store.Entry, error) {
	if group := a.owned(awstype.SecurityGroup, g.infraID, name); group != nil {
		return group, nil
	}
	if err := a.may("ec2:CreateSecurityGroup"); err != nil {
		return nil, err
	}
	if len(ingress) > 0 {
		if err := a.may("ec2:AuthorizeSecurityGroupIngress"); err != nil {
			return nil, err
		}
	}
	return a.Make(store.ByOperator, awstype.SecurityGroup, "", props.Map{"name": name, "description": description,
		"vpcId": g.vpc,
		"tags":  g.tags(name), "ingress": ingress})
}

// removeGroup deletes a security group of the cluster, unless it does not exist or the faults leave it.
func (g *hostedCluster) removeGroup(a *agent, name string) error {
	group := a.owned(awstype.SecurityGroup, g.infraID, name)
	if group == nil || g.how.Leaves(faults.LeaveSecurityGroups) {
		return nil
	}
	if err := a.may("ec2:DeleteSecurityGroup"); err != nil {
		return err
	}
	if err := a.Unmake(awstype.SecurityGroup, group.ID); err != nil {
		return fmt.Errorf("failed to delete security group %s: %w", group.ID, err)
	}
	return nil
}

// looking reads the cluster's account without a role.
func (g *hostedCluster) looking(act func(*aws.Call) error) error { return g.lookingIn(g.region, act) }

func (g *hostedCluster) lookingIn(region string, act func(*aws.Call) error) error {
	m := roleARN.FindStringSubmatch(g.aws.Object("rolesRef").String(controlPlaneRole))
	if m == nil {
		return nil
	}
	account, err := g.Account(m[1])
	if err != nil || account == nil {
		return err
	}
	return account.In(region, act)
}

// secretKey returns the key of a Secret in the cluster's namespace.
func (g *hostedCluster) secretKey(name string) store.Key {
	return store.Key{Scope: g.namespace, Token: "kubernetes:core/v1:Secret", ID: g.namespace + "/" + name}
}

// controlNamespace returns the namespace of the control plane.
func (g *hostedCluster) controlNamespace() string {
	return crd.ControlPlaneNamespace(g.namespace, g.name)
}

// objectKey returns the key of an object in the control plane's namespace.
func (g *hostedCluster) objectKey(version, kind, name string) store.Key {
	return store.Key{
		Scope: g.controlNamespace(),
		Token: "kubernetes:" + version + ":" + kind,
		ID:    g.controlNamespace() + "/" + name,
	}
}

// writeObject writes an object of the operators in the control plane's namespace, if it differs.
func (g *hostedCluster) writeObject(version, kind, name string, annotations, spec, status map[string]any) {
	key := g.objectKey(version, kind, name)
	old := g.Get(key)
	metadata := props.Map{
		"name":              name,
		"namespace":         g.controlNamespace(),
		"uid":               ids.UUID(),
		"creationTimestamp": ids.Timestamp(),
	}
	if old != nil {
		metadata = old.State.Object("metadata").Clone()
	}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	object := props.Map{
		"apiVersion": version,
		"kind":       kind,
		"metadata":   map[string]any(metadata),
		"spec":       spec,
		"status":     status,
	}
	if old != nil && props.JSONText(map[string]any(old.State)) == props.JSONText(map[string]any(object)) {
		return
	}
	g.Put(&store.Entry{
		Type:      key.Token,
		ID:        key.ID,
		Scope:     key.Scope,
		Origin:    store.ByOperator,
		CreatedAt: g.now,
		State:     object,
	})
}
