package languages

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/components/hostedcluster"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	mgmtkubernetes "github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/components/privatelink"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
	"github.com/hypershift-aws/hypershift-aws/internal/value/configfield"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// remote is a component of the plugin, as a program in another language uses it.
type remote struct {
	pulumi.ResourceState

	VPCID         pulumi.StringOutput    `pulumi:"vpcId"`
	MachineCIDRs  pulumi.ArrayOutput     `pulumi:"machineCidrs"`
	NodeSubnetIDs pulumi.StringMapOutput `pulumi:"nodeSubnetIds"`
	PublicZone    pulumi.MapOutput       `pulumi:"publicZone"`
	PrivateZone   pulumi.MapOutput       `pulumi:"privateZone"`
	LocalZone     pulumi.MapOutput       `pulumi:"localZone"`
	ARN           pulumi.StringOutput    `pulumi:"arn"`
	IssuerURL     pulumi.StringOutput    `pulumi:"issuerUrl"`
	Name          pulumi.StringOutput    `pulumi:"name"`
	RoleARN       pulumi.StringOutput    `pulumi:"roleArn"`
	ServiceName   pulumi.StringOutput    `pulumi:"serviceName"`
	BucketName    pulumi.StringOutput    `pulumi:"bucketName"`
	Region        pulumi.StringOutput    `pulumi:"region"`
	Credentials   pulumi.StringMapOutput `pulumi:"credentials"`

	IngressARN              pulumi.StringOutput `pulumi:"ingressArn"`
	ImageRegistryARN        pulumi.StringOutput `pulumi:"imageRegistryArn"`
	StorageARN              pulumi.StringOutput `pulumi:"storageArn"`
	NetworkARN              pulumi.StringOutput `pulumi:"networkArn"`
	KubeCloudControllerARN  pulumi.StringOutput `pulumi:"kubeCloudControllerArn"`
	NodePoolManagementARN   pulumi.StringOutput `pulumi:"nodePoolManagementArn"`
	ControlPlaneOperatorARN pulumi.StringOutput `pulumi:"controlPlaneOperatorArn"`

	PublicSubnetIDs     pulumi.StringMapOutput `pulumi:"publicSubnetIds"`
	PrivateSubnetIDs    pulumi.StringMapOutput `pulumi:"privateSubnetIds"`
	SecurityGroupIDs    pulumi.StringMapOutput `pulumi:"securityGroupIds"`
	Images              pulumi.StringMapOutput `pulumi:"images"`
	ControlPlaneProfile pulumi.StringOutput    `pulumi:"controlPlaneProfile"`
	NodesProfile        pulumi.StringOutput    `pulumi:"nodesProfile"`
}

// remotes registers components of the plugin.
type remotes struct {
	ctx *pulumi.Context
	err error
}

func (r *remotes) register(token, name string, inputs pulumi.Map, opts ...pulumi.ResourceOption) *remote {
	made := &remote{}
	if r.err == nil {
		r.err = r.ctx.RegisterRemoteComponentResource("hypershift-aws:"+token, name, inputs, made, opts...)
	}
	return made
}

// of returns a field of an output that is an object.
func of(output pulumi.MapOutput, key string) pulumi.StringOutput {
	return output.ApplyT(func(m map[string]any) string { return m[key].(string) }).(pulumi.StringOutput)
}

// everyComponentInGo returns a program with one instance of each component of a hosted cluster.
func everyComponentInGo(ctx *pulumi.Context) error {
	cluster := hypershift.Cluster{Name: "demo", InfraID: "demo-x1", Tags: map[string]string{"team": "platform"}}
	guest, err := network.NewGuestNetwork(ctx, "network", &network.GuestNetworkArgs{
		Cluster: cluster, BaseDomain: "example.com", EndpointAccess: hypershift.PublicAndPrivate,
		Options: network.Options{NAT: network.Single, Zones: []network.Zone{{Name: "us-east-1a"}}},
	})
	if err != nil {
		return err
	}
	oidc, err := iam.NewOIDCProvider(ctx, "oidc", &iam.OIDCProviderArgs{
		Cluster:      cluster,
		BucketName:   pulumi.String("demo-oidc"),
		BucketRegion: pulumi.String("us-east-1"),
	})
	if err != nil {
		return err
	}
	workers, err := iam.NewWorkerProfile(ctx, "workers", &iam.WorkerProfileArgs{Cluster: cluster})
	if err != nil {
		return err
	}
	roles, err := iam.NewRoleSet(ctx, "roles", &iam.RoleSetArgs{
		Cluster: cluster, EndpointAccess: hypershift.PublicAndPrivate, OIDCProviderARN: oidc.ARN, IssuerURL: oidc.IssuerURL,
		WorkerRoleARN: workers.RoleARN, PublicZoneARN: guest.PublicZone.ARN, PrivateZoneARN: guest.PrivateZone.ARN,
		LocalZoneARN: guest.LocalZone.ARN,
	})
	if err != nil {
		return err
	}
	if _, err := iam.NewWorkloadRole(ctx, "orders", &iam.WorkloadRoleArgs{
		Cluster: cluster, OIDCProviderARN: oidc.ARN, IssuerURL: oidc.IssuerURL,
		Workload: iam.Workload{
			Namespace:      "shop",
			ServiceAccount: "orders",
			Policies:       []string{"arn:aws:iam::aws:policy/ReadOnlyAccess"},
		},
	}); err != nil {
		return err
	}
	service, err := privatelink.NewEndpointService(ctx, "service", &privatelink.EndpointServiceArgs{
		Cluster: cluster, LoadBalancers: &privatelink.LoadBalancers{ARNs: input.Strings(ownRouterARN)},
		AllowedPrincipals: []pulumi.StringInput{roles.ControlPlaneOperatorARN},
	})
	if err != nil {
		return err
	}
	if _, err := privatelink.NewEndpoint(ctx, "endpoint", &privatelink.EndpointArgs{
		Cluster: cluster, ServiceName: service.ServiceName, VPCID: guest.VPCID, LocalZoneID: guest.LocalZone.ID,
		Subnets: []privatelink.Subnet{{
			Zone: "us-east-1a",
			ID:   guest.NodeSubnetIDs.MapIndex(pulumi.String("us-east-1a")),
		}},
		MachineCIDRs: input.Strings("10.0.0.0/16"),
	}); err != nil {
		return err
	}
	prerequisites, err := management.NewPrerequisites(ctx, "prerequisites", &management.PrerequisitesArgs{
		OIDCBucket:  management.OIDCBucketArgs{Name: "demo-oidc"},
		Operator:    management.OperatorArgs{Identity: management.AccessKeys},
		Unprotected: true,
	})
	if err != nil {
		return err
	}
	if _, err := iam.NewOIDCDocuments(ctx, "documents", &iam.OIDCDocumentsArgs{
		Cluster: otherCluster(), BucketName: prerequisites.BucketName, IssuerURL: pulumi.String(otherIssuer),
		SigningKey: pulumi.ToSecret(pulumi.String(otherKeyPEM())).(pulumi.StringOutput), Unprotected: true,
	}); err != nil {
		return err
	}
	if _, err := management.NewInterruptionQueue(ctx, "queue",
		&management.InterruptionQueueArgs{Name: "demo-interruptions"}); err != nil {
		return err
	}
	provider, err := managementCluster(ctx)
	if err != nil {
		return err
	}
	if _, err := mgmtkubernetes.NewInstallObjects(ctx, "install", &mgmtkubernetes.InstallObjectsArgs{
		Namespace: "hypershift", BucketName: prerequisites.BucketName, BucketRegion: prerequisites.Region,
		Secrets: []string{"hypershift-operator-oidc-provider-s3-credentials"}, Credentials: prerequisites.Credentials,
	}, pulumi.Provider(provider)); err != nil {
		return err
	}
	roleARNs := map[iam.RoleName]pulumi.StringInput{}
	for _, name := range iam.ControlPlaneRoleNames() {
		roleARNs[name] = roles.ARN(name)
	}
	hosted, err := hostedcluster.NewHostedCluster(ctx, "hosted-cluster", &hostedcluster.Args{
		Settings: hostedcluster.Settings{
			Cluster: cluster, Region: "us-east-1", BaseDomain: "example.com", Release: stackfile.Release,
			Spec: map[string]any{"channel": "stable-4.19"},
		},
		Site: hostedcluster.SiteArgs{
			VPCID: guest.VPCID, PrivateZoneID: guest.PrivateZone.ID, PublicZoneID: guest.PublicZone.ID,
			IssuerURL:       oidc.IssuerURL,
			InstanceProfile: workers.Name, MachineCIDRs: input.Strings("10.0.0.0/16"), Roles: roleARNs,
			Zones: []hostedcluster.SiteZoneArgs{{
				Name:     "us-east-1a",
				SubnetID: guest.NodeSubnetIDs.MapIndex(pulumi.String("us-east-1a")),
			}},
		},
		Secrets: map[hostedcluster.SecretValue]pulumi.StringInput{
			hostedcluster.PullSecret: pulumi.ToSecret(pulumi.String(`{"auths":{}}`)).(pulumi.StringOutput),
		},
		Unprotected: true,
	}, pulumi.Provider(provider))
	if err != nil {
		return err
	}
	_, err = hostedcluster.NewNodePools(ctx, "node-pools", &hostedcluster.NodePoolsArgs{
		HostedCluster: hostedcluster.ExistingCluster{
			Name: "demo", InfraID: "demo-x1", Release: stackfile.Release, SubnetID: guest.NodeSubnetIDs.MapIndex(pulumi.String("us-east-1a")),
		},
		NodePools:    []hostedcluster.NodePool{{Name: "gpu", InstanceType: "g4dn.xlarge"}},
		Dependencies: []pulumi.Resource{hosted},
	}, pulumi.Provider(provider))
	return err
}

// everyComponentRemotely returns the program everyComponentInGo with the components of the plugin.
func everyComponentRemotely(ctx *pulumi.Context) error {
	r := &remotes{ctx: ctx}
	text := func(s string) pulumi.String { return pulumi.String(s) }
	cluster := pulumi.Map{"name": text("demo"), "infraId": text("demo-x1"), "tags": pulumi.Map{"team": text("platform")}}
	both := text("PublicAndPrivate")
	guest := r.register("network:GuestNetwork", "network", pulumi.Map{
		"cluster": cluster, "baseDomain": text("example.com"), "endpointAccess": both, "nat": text("Single"),
		"zones": pulumi.Array{pulumi.Map{"name": text("us-east-1a")}},
	})
	oidc := r.register("iam:OIDCProvider", "oidc", pulumi.Map{
		"cluster":      cluster,
		"bucketName":   text("demo-oidc"),
		"bucketRegion": text("us-east-1"),
	})
	workers := r.register("iam:WorkerProfile", "workers", pulumi.Map{"cluster": cluster})
	roles := r.register("iam:RoleSet", "roles", pulumi.Map{
		"cluster": cluster, "endpointAccess": both, "oidcProviderArn": oidc.ARN, "issuerUrl": oidc.IssuerURL,
		"workerRoleArn": workers.RoleARN,
		"publicZoneArn": of(guest.PublicZone, "arn"), "privateZoneArn": of(guest.PrivateZone, "arn"),
		"localZoneArn": of(guest.LocalZone, "arn"),
	})
	r.register("iam:WorkloadRole", "orders", pulumi.Map{
		"cluster": cluster, "oidcProviderArn": oidc.ARN, "issuerUrl": oidc.IssuerURL, "namespace": text("shop"),
		"serviceAccount": text("orders"),
		"policies":       pulumi.Array{text("arn:aws:iam::aws:policy/ReadOnlyAccess")},
	})
	subnet := guest.NodeSubnetIDs.MapIndex(text("us-east-1a"))
	service := r.register("privatelink:EndpointService", "service", pulumi.Map{
		"cluster": cluster, "loadBalancers": pulumi.Map{"arns": pulumi.Array{text(ownRouterARN)}},
		"allowedPrincipals": pulumi.Array{roles.ControlPlaneOperatorARN},
	})
	r.register("privatelink:Endpoint", "endpoint", pulumi.Map{
		"cluster": cluster, "serviceName": service.ServiceName, "vpcId": guest.VPCID,
		"localZoneId":  of(guest.LocalZone, "id"),
		"subnets":      pulumi.Array{pulumi.Map{"zone": text("us-east-1a"), "id": subnet}},
		"machineCidrs": pulumi.Array{text("10.0.0.0/16")},
	})
	prerequisites := r.register("management:Prerequisites", "prerequisites", pulumi.Map{
		"oidcBucket": pulumi.Map{"name": text("demo-oidc")}, "operator": pulumi.Map{"identity": text("AccessKeys")},
		"unprotected": pulumi.Bool(true),
	})
	r.register("iam:OIDCDocuments", "documents", pulumi.Map{
		"cluster":    pulumi.Map{"name": text("other"), "infraId": text("other-x1")},
		"bucketName": prerequisites.BucketName, "issuerUrl": text(otherIssuer),
		"signingKey": pulumi.ToSecret(text(otherKeyPEM())), "unprotected": pulumi.Bool(true),
	})
	r.register("management:InterruptionQueue", "queue", pulumi.Map{"name": text("demo-interruptions")})
	provider, err := managementCluster(ctx)
	if err != nil {
		return err
	}
	r.register("management:InstallObjects", "install", pulumi.Map{
		"namespace": text("hypershift"), "bucketName": prerequisites.BucketName, "bucketRegion": prerequisites.Region,
		"secrets":     pulumi.Array{text("hypershift-operator-oidc-provider-s3-credentials")},
		"credentials": prerequisites.Credentials,
	}, pulumi.Providers(provider))
	hosted := r.register("hostedcluster:HostedCluster", "hosted-cluster", pulumi.Map{
		"settings": pulumi.Map{
			"cluster": cluster, "region": text("us-east-1"), "baseDomain": text("example.com"),
			"release": text(stackfile.Release),
			"spec":    pulumi.Map{"channel": text("stable-4.19")},
		},
		"site": pulumi.Map{
			"vpcId": guest.VPCID, "privateZoneId": of(guest.PrivateZone, "id"), "publicZoneId": of(guest.PublicZone, "id"),
			"issuerUrl":       oidc.IssuerURL,
			"instanceProfile": workers.Name, "machineCidrs": pulumi.Array{text("10.0.0.0/16")},
			"zones": pulumi.Array{pulumi.Map{"name": text("us-east-1a"), "subnetId": subnet}},
			"roles": pulumi.Map{
				"ingress": roles.IngressARN, "imageRegistry": roles.ImageRegistryARN, "storage": roles.StorageARN,
				"network":             roles.NetworkARN,
				"kubeCloudController": roles.KubeCloudControllerARN, "nodePoolManagement": roles.NodePoolManagementARN,
				"controlPlaneOperator": roles.ControlPlaneOperatorARN,
			},
		},
		"secrets":     pulumi.Map{"pullSecret": pulumi.ToSecret(text(`{"auths":{}}`))},
		"unprotected": pulumi.Bool(true),
	}, pulumi.Providers(provider))
	r.register("hostedcluster:NodePools", "node-pools", pulumi.Map{
		"hostedCluster": pulumi.Map{
			"name":     text("demo"),
			"infraId":  text("demo-x1"),
			"release":  text(stackfile.Release),
			"subnetId": subnet,
		},
		"nodePools": pulumi.Array{pulumi.Map{"name": text("gpu"), "instanceType": text("g4dn.xlarge")}},
	}, pulumi.Providers(provider), pulumi.DependsOn([]pulumi.Resource{hosted}))
	return r.err
}

// otherCluster returns a cluster with a signing key of its own, whose hosted cluster another stack has.
func otherCluster() hypershift.Cluster { return hypershift.Cluster{Name: "other", InfraID: "other-x1"} }

const otherIssuer = "https://demo-oidc.s3.us-east-1.amazonaws.com/other-x1"

var otherKeyPEM = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return iam.SigningKeyPEM(key)
})

const ownRouterARN = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/router/0123456789abcdef"

func managementCluster(ctx *pulumi.Context) (*kubernetes.Provider, error) {
	return kubernetes.NewProvider(ctx, "management-cluster", &kubernetes.ProviderArgs{
		Context: pulumi.String("management"), ClusterIdentifier: pulumi.String("management-cluster"),
	})
}

func languageSeeds() []offline.Seed {
	return append(stackfile.Seeds(), offline.Seed{Kind: offline.SeedLoadBalancer, Name: ownRouterARN})
}

func TestEveryComponentOfAnotherLanguageHasTheResourcesOfTheGoComponent(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	registered := map[string]bool{}
	for name, pair := range sizes.Only(t, languagePairs(), "hosted cluster") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inGo := enginetest.New(t, pair.inGo, enginetest.Options{Seeds: languageSeeds(), Components: true})
			inGo.Configure("config:\n  aws:region: us-east-1\n")
			inGo.Up()
			mu.Lock()
			for _, r := range inGo.State() {
				registered[string(r.Type)] = true
			}
			mu.Unlock()
			graph := inGo.Graph(nil, pair.names...)

			inGo.Run(pair.remotely)
			require.Empty(t, changed(inGo.Preview()), "the components by the plugin, in a stack that Go made")
			inGo.Up()
			require.Equal(t, graph, inGo.Graph(nil, pair.names...))
			inGo.Run(pair.inGo)
			require.Empty(t, changed(inGo.Preview()), "the components in Go, in a stack that the plugin made")

			remotely := enginetest.New(t, pair.remotely, enginetest.Options{Seeds: languageSeeds(), Components: true})
			remotely.Configure("config:\n  aws:region: us-east-1\n")
			remotely.Up()
			require.Empty(t, changed(remotely.Preview()), "a second preview")
			remotely.Destroy()
			require.Empty(t, remotely.Resources(), "what destroy left in the account")
		})
	}
	if !sizes.All() {
		return
	}
	t.Cleanup(func() {
		for _, c := range componentplugin.Components() {
			require.True(t, t.Failed() || c.Section != "" || registered[c.Token], "%s is in no program", c.Token)
		}
	})
}

// sectionOf returns the section of a stack's file as inputs of a component, with the pull secret itself in the place of
// its file.
func sectionOf(t *testing.T, text, key string) pulumi.Map {
	t.Helper()
	var file struct{ Config map[string]any }
	require.NoError(t, yaml.Unmarshal([]byte(text), &file))
	section, ok := inputOf(asProperties(file.Config[key], componentWith(t, key).Inputs)).(pulumi.Map)
	require.True(t, ok, "%s has no %s", text, key)
	if hosted, ok := section["hostedCluster"].(pulumi.Map); ok {
		hosted["pullSecret"] = pulumi.ToSecret(pulumi.String(`{"auths":{}}`))
	}
	return section
}

// componentWith returns the component that has a section of a stack's file as its inputs.
func componentWith(t *testing.T, section string) componentplugin.Component {
	t.Helper()
	for _, c := range componentplugin.Components() {
		if c.Section == section {
			return c
		}
	}
	require.Fail(t, "no component", section)
	return componentplugin.Component{}
}

// asProperties returns a value of a stack's file with the names of properties in place of keys.
func asProperties(value any, t reflect.Type) any {
	t = configfield.Indirect(t)
	switch v := value.(type) {
	case map[string]any:
		named := map[string]any{}
		if t.Kind() != reflect.Struct {
			for key, item := range v {
				if t.Kind() == reflect.Map {
					item = asProperties(item, t.Elem())
				}
				named[key] = item
			}
			return named
		}
		for _, field := range componentplugin.Fields(t, true) {
			item, has := v[field.Key]
			if !has {
				continue
			}
			item = asProperties(item, field.Type)
			if items, is := item.(map[string]any); is && field.KeySuffix != "" {
				renamed := map[string]any{}
				for key, role := range items {
					renamed[strings.TrimSuffix(key, field.KeySuffix)+componentplugin.PropertyName(field.KeySuffix)] = role
				}
				item = renamed
			}
			named[componentplugin.PropertyName(field.Key)] = item
		}
		return named
	case []any:
		var named []any
		for _, item := range v {
			named = append(named, asProperties(item, t.Elem()))
		}
		return named
	}
	return value
}

// inputOf returns a value of YAML as an input.
func inputOf(value any) pulumi.Input {
	switch v := value.(type) {
	case map[string]any:
		m := pulumi.Map{}
		for key, inner := range v {
			m[key] = inputOf(inner)
		}
		return m
	case []any:
		list := pulumi.Array{}
		for _, inner := range v {
			list = append(list, inputOf(inner))
		}
		return list
	case bool:
		return pulumi.Bool(v)
	case int:
		return pulumi.Int(v)
	}
	return pulumi.String(fmt.Sprint(value))
}

func TestAWholeStackIsOneComponentOfAnotherLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range sizes.First(1, []struct{ token, section, config string }{
		{stacks.ClusterType, "hypershift-aws:cluster", stackfile.WithHostedCluster(t, "      unprotected: true\n").String()},
		{stacks.ManagementType, "hypershift-aws:management", stackfile.Management(stackfile.Managements()["kubernetes"])},
		{stacks.CAPAType, "hypershift-aws:capa", stackfile.Example(t, "capa-private")},
	}) {
		t.Run(c.section, func(t *testing.T) {
			t.Parallel()
			inputs := sectionOf(t, c.config, c.section)
			program := func(ctx *pulumi.Context) error {
				return ctx.RegisterRemoteComponentResource(c.token, "whole", inputs, &remote{})
			}
			stack := enginetest.New(t, stacks.Run, enginetest.Options{Seeds: stackfile.Seeds(), Components: true})
			stack.Configure(c.config)
			stack.Up()
			outputs, err := stack.Outputs(t.Context())
			require.NoError(t, err)
			delete(outputs, stacks.VersionOutput) // of the program, and not of what it registers
			stack.Run(program)
			require.Equal(t, []string{"create " + c.token + " whole"}, changed(stack.Up()),
				"the component itself is all that changes")
			for _, r := range stack.State() {
				if string(r.Type) == c.token {
					for name, output := range outputs {
						require.Contains(t, r.Outputs, name)
						if !output.Secret {
							require.Equal(t, fmt.Sprint(output.Value), fmt.Sprint(r.Outputs[name]), name)
						}
					}
				}
			}
			stack.Run(stacks.Run)
			require.Equal(t, []string{"delete " + c.token + " whole"}, changed(stack.Preview()),
				"the component itself is all that changes")
			stack.Run(program)
			stack.Destroy()
			require.Empty(t, stack.Resources(), "what destroy left in the account")
		})
	}
}

// changed returns the steps of changes, but for the stack itself, whose outputs another program lacks, and default
// providers.
func changed(changes enginetest.Changes) []string {
	var names []string
	for _, step := range changes {
		if !strings.HasPrefix(step.Type, "pulumi:") {
			names = append(names, string(step.Op)+" "+step.Type+" "+step.Name)
		}
	}
	return names
}

func TestTheResourcesOfAComponentDependOnWhatTheComponentDependsOn(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		r := &remotes{ctx: ctx}
		cluster := pulumi.Map{"name": pulumi.String("demo"), "infraId": pulumi.String("demo-x1")}
		first := r.register("iam:WorkerProfile", "first", pulumi.Map{"cluster": cluster})
		if r.err != nil {
			return r.err
		}
		r.register("management:InterruptionQueue", "second", pulumi.Map{
			"name": pulumi.String("demo-interruptions"),
		}, pulumi.DependsOn([]pulumi.Resource{first}))
		return r.err
	}, enginetest.Options{Components: true})
	stack.Configure("config:\n  aws:region: us-east-1\n")
	stack.Up()
	var queues int
	for _, r := range stack.State() {
		if string(r.Type) == "aws:sqs/queue:Queue" {
			queues++
			require.Contains(t, fmt.Sprint(r.Dependencies), "hypershift-aws:iam:WorkerProfile::first")
		}
	}
	require.Equal(t, 1, queues)
}
