package hosted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/iam"
	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/s3"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/network"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/program"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/test/enginetest"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
	"github.com/hypershift-aws/hypershift-aws/test/stackfile"
)

// The engine without the CLI, and without a preview: what the guard refuses changes nothing, not even what the same
// update adds.
func TestTheProgramRefusesToReplaceOrDeleteWhatAClusterDependsOn(t *testing.T) {
	t.Parallel()
	config := stackfile.Cluster{Access: hypershift.PublicAndPrivate, NAT: network.PerZone, Zones: stackfile.ZoneNames(3)}
	stack := enginetest.New(t, program.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(config.String())
	stack.Up()

	for name, change := range map[string]struct {
		edit func(string) string
		want []string
	}{
		"another VPC": {
			func(text string) string {
				return strings.Replace(text, "    network:\n", "    network:\n      vpcCIDR: 10.1.0.0/16\n", 1)
			},
			[]string{"VPC network-vpc would be replaced", "cidrBlock 10.0.0.0/16 -> 10.1.0.0/16", "network.vpcCIDR",
				"its VPC network-vpc would be replaced"},
		},
		"a zone less, and an endpoint more": {
			func(string) string {
				less := config
				less.Zones = stackfile.ZoneNames(2)
				return strings.Replace(less.String(), "interfaceEndpoints: []", "interfaceEndpoints: [sts]", 1)
			},
			[]string{"subnet network-private-us-east-1c would be deleted", "us-east-1c is no longer in the config",
				"add us-east-1c again"},
		},
		"one NAT gateway": {
			func(string) string {
				less := config
				less.NAT = network.Single
				return less.String()
			},
			[]string{"NAT gateway", "would be deleted", "network.nat"},
		},
		"another infrastructure ID": {
			func(text string) string {
				return strings.Replace(text, "    infraID: demo-x1\n", "    infraID: demo-x2\n", 1)
			},
			[]string{"IAM role", "would be replaced", "infraID"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			edited := change.edit(config.String())
			require.NotEqual(t, config.String(), edited)
			enginetest.RequireRefused(t, stack, edited, append(change.want, "--allow")...)
		})
	}

	less := config
	less.NAT = network.Single
	allow := func(name string) string {
		for _, r := range stack.State() {
			if r.URN.Name() == name && r.Type == "aws:ec2/natGateway:NatGateway" {
				return "{name: " + name + ", id: " + string(r.ID) + "}"
			}
		}
		require.Fail(t, "the state has no NAT gateway", name)
		return ""
	}
	const second, third = "network-nat-us-east-1b", "network-nat-us-east-1c"
	less.Extra = "  hypershift-aws:allow: [" + allow(third) + ", {name: " + second + ", id: nat-of-before}]\n"
	enginetest.RequireRefused(t, stack, less.String(), "NAT gateway "+second+" would be deleted", "hypershift-aws:allow:",
		allow(second))
	less.Extra = "  hypershift-aws:allow: [" + allow(third) + ", " + allow(second) + "]\n"
	stack.Configure(less.String())
	stack.Up()
	require.Empty(t, stack.Preview())

	stack.Configure(strings.Replace(less.String(), "tags: {team: platform}", "tags: {team: network}", 1))
	require.NotEmpty(t, stack.Preview().Of(apitype.OpUpdate))
	stack.Up()
	require.Empty(t, stack.Preview(), "other changes are made")
}

func TestTheProgramRefusesToReplaceTheBucketOfAManagementStack(t *testing.T) {
	t.Parallel()
	config := stackfile.Management("    oidcBucket: {name: demo-oidc}\n    operator: {identity: AccessKeys}\n    zone: {domain: clusters.example.com}\n")
	stack := enginetest.New(t, program.Run, enginetest.Options{Seeds: stackfile.ManagementSeeds()})
	stack.Configure(config)
	stack.Up()
	enginetest.RequireRefused(t, stack, strings.Replace(config, "name: demo-oidc", "name: other-oidc", 1), "S3 bucket",
		"would be replaced", "bucket demo-oidc -> other-oidc")
	enginetest.RequireRefused(t, stack, strings.Replace(config, "    zone: {domain: clusters.example.com}\n", "", 1),
		"hosted zone", "would be deleted")
}

// A Deployment whose selector or namespace changes is deleted and created again, unlike one with another image.
func TestTheProgramRefusesToReplaceOrDeleteTheInstalledOperator(t *testing.T) {
	t.Parallel()
	first := stackfile.Installer(stackfile.RenderOf(t), "")
	guarded := stacks.Options{Guard: programguard.New} // there is no management cluster to compare
	stack := enginetest.New(t, guarded.Run, enginetest.Options{Seeds: stackfile.ManagementSeeds()})
	stack.Configure(first)
	stack.Up()
	const selector = "spec:\n  selector:\n    matchLabels: {name: operator"
	enginetest.RequireRefused(t, stack, stackfile.Installer(stackfile.RenderOf(t, selector, selector+", app: operator"),
		""),
		"deployment install-deployment-operator would be replaced", "spec.selector", "operator.install",
		"{name: install-deployment-operator, id: hypershift/operator@")
	enginetest.RequireRefused(
		t,
		stack,
		strings.Replace(stackfile.Installer(stackfile.RenderOf(t, "namespace: hypershift", "namespace: operators",
			"name: hypershift\n", "name: operators\n"), ""),
			"    operator:\n", "    operator:\n      namespace: operators\n", 1),
		"deployment install-deployment-operator would be replaced",
		"metadata.namespace",
	)
	enginetest.RequireRefused(t, stack, strings.Replace(first, "      install:", "      # install:", 1),
		"deployment install-deployment-operator would be deleted")
	stack.Configure(stackfile.Installer(stackfile.RenderOf(t, stackfile.LaterVersion()...), ""))
	require.Empty(t, stack.Up().Replaced())
}

func TestTheProgramRefusesToDeleteWhatTheOperatorOfLivingClustersNeeds(t *testing.T) {
	t.Parallel()
	config := stackfile.Management(stackfile.Managements()["kubernetes"])
	stack := enginetest.New(t, stacks.Options{Guard: programguard.New}.Run, enginetest.Options{
		Seeds: stackfile.ManagementSeeds(),
	})
	stack.Configure(config)
	stack.Up()
	edited := func(before, after string) string {
		require.Contains(t, config, before)
		return strings.Replace(config, before, after, 1)
	}
	enginetest.RequireRefused(
		t,
		stack,
		edited("    kubeconfig:", "    # kubeconfig:"),
		"namespace install-namespace would be deleted",
		"{name: install-namespace, id: hypershift@",
		"secret install-external-dns-credentials would be deleted",
		"set kubeconfig back to its previous value",
	)
	enginetest.RequireRefused(
		t,
		stack,
		edited("AccessKeys}", "AccessKeys, namespace: operators}"),
		"namespace install-namespace would be replaced",
		"set by   operator.namespace",
	)
	enginetest.RequireRefused(t, stack, edited("AccessKeys}", `InstanceRole, instanceRoleARN: "arn:aws:iam::123456789012:role/nodes"}`),
		"IAM user prerequisites-operator-ec2 would be deleted", "IAM user prerequisites-external-dns would be deleted",
		"secret install-external-dns-credentials would be deleted", "set operator.formerIdentity")
}

// The operator gets other credentials while those that it runs with stay, until nothing uses them.
func TestTheOperatorsIdentityChangesInStages(t *testing.T) {
	t.Parallel()
	config := stackfile.Management(stackfile.Managements()["kubernetes"])
	stack := enginetest.New(t, stacks.Options{Guard: programguard.New}.Run, enginetest.Options{
		Seeds: stackfile.ManagementSeeds(),
	})
	stack.Configure(config)
	stack.Up()
	secret := func() map[string]any {
		object, err := stack.Clusters()[0].Get("Secret", "hypershift", "hypershift-operator-aws-credentials")
		require.NoError(t, err)
		return object
	}
	before := secret()
	require.NotNil(t, before)

	const roles = `InstanceRole, instanceRoleARN: "arn:aws:iam::123456789012:role/nodes"`
	stack.Configure(strings.Replace(config, "AccessKeys}", roles+", formerIdentity: AccessKeys}", 1))
	changes := stack.Up()
	require.Empty(t, changes.Of(apitype.OpDelete))
	require.Empty(t, changes.Of(apitype.OpReplace))
	require.Subset(t, changes.Of(apitype.OpCreate), []string{"aws:iam/role:Role prerequisites-operator-ec2"})
	require.Equal(t, before, secret(), "the running operator's credentials")
	stack.RequireStable()

	last := strings.Replace(config, "AccessKeys}", roles+"}", 1)
	enginetest.RequireRefused(t, stack, last, "IAM user prerequisites-operator-ec2 would be deleted",
		"allow the deletion when nothing uses these credentials any more")
	var allowed []string
	for _, r := range stack.State() {
		if strings.HasSuffix(string(r.Type), ":User") || strings.HasSuffix(string(r.Type), ":Secret") {
			unique, _ := r.Outputs["uniqueId"].(string)
			if metadata, is := r.Outputs["metadata"].(map[string]any); is {
				unique, _ = metadata["uid"].(string)
			}
			allowed = append(allowed, fmt.Sprintf("{name: %s, id: %s@%s}", r.URN.Name(), r.ID, unique))
		}
	}
	stack.Configure(last + "  hypershift-aws:allow: [" + strings.Join(allowed, ", ") + "]\n")
	stack.Up()
	for _, r := range stack.State() {
		require.NotContains(t, []string{"aws:iam/user:User", "aws:iam/accessKey:AccessKey", "kubernetes:core/v1:Secret"},
			string(r.Type))
	}
	require.Equal(t, before, secret(), "`hypershift install` has given it other contents, so it stays")
}

func TestTheProgramRefusesToDeleteANodePool(t *testing.T) {
	t.Parallel()
	config := stackfile.WithHostedCluster(t, "      nodePools: [{name: first, zone: us-east-1a}]\n").String()
	stack := enginetest.New(t, stacks.Options{Guard: programguard.New}.Run, enginetest.Options{Seeds: stackfile.Seeds()})
	stack.Configure(config)
	stack.Up()
	enginetest.RequireRefused(t, stack, strings.Replace(config, "{name: first,", "{name: second,", 1),
		"node pool hosted-cluster-first would be deleted", "set by   nodePools",
		"add the new pool first", "{name: hosted-cluster-first, id: clusters/first@")
	stack.Configure(strings.Replace(config, "{name: first, zone: us-east-1a}",
		"{name: first, zone: us-east-1a}, {name: second, zone: us-east-1a}", 1))
	require.Len(t, stack.Up().Of(apitype.OpCreate), 1, "the new pool is added first")
}

// A document with values of new resources is judged before the resource with the document is created.
func TestAPolicyJudgesWhatIsKnownOnlyDuringTheUpdate(t *testing.T) {
	t.Parallel()
	action := "*"
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		return program.Guarded(ctx, func(guard pulumi.ResourceOption) error {
			tags := pulumi.StringMap{"team": pulumi.String("platform")}
			trust := `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}]}`
			role, err := iam.NewRole(ctx, "machines", &iam.RoleArgs{
				Name:             pulumi.String("machines"),
				AssumeRolePolicy: pulumi.String(trust),
				Tags:             tags,
			}, guard)
			if err != nil {
				return err
			}
			_, err = iam.NewRolePolicy(ctx, "machines", &iam.RolePolicyArgs{
				Name: pulumi.String("all"), Role: role.Name,
				Policy: pulumi.Sprintf(`{"Version": "2012-10-17", "Statement": [{"Sid": "%s", "Effect": "Allow", "Action": "%s", "Resource": "*"}]}`, role.Name, action),
			}, guard)
			return err
		})
	}, enginetest.Options{})
	stack.Configure("config:\n  aws:region: us-east-1\n  hypershift-aws:policy: mandatory\n")
	_, err := stack.UpErr()
	require.ErrorContains(t, err, "violates policies: administrator (machines)")
	require.Len(t, stack.Resources(), 1, "the role without the policy")
	action = "s3:GetObject"
	stack.Up()
	require.Len(t, stack.Resources(), 2)
	action = "*"
	calls := stack.Calls()
	_, err = stack.UpErr()
	require.ErrorContains(t, err, "violates policies: administrator (machines)")
	require.Equal(t, calls, stack.Calls())
}

// What other parts of the program register is not the guard's.
func TestTheGuardLeavesOtherResourcesOfTheProgramAlone(t *testing.T) {
	t.Parallel()
	name := "logs-one"
	stack := enginetest.New(t, func(ctx *pulumi.Context) error {
		if err := program.Run(ctx); err != nil {
			return err
		}
		if name == "" {
			return nil
		}
		_, err := s3.NewBucketV2(ctx, "logs", &s3.BucketV2Args{Bucket: pulumi.String(name)})
		return err
	}, enginetest.Options{Seeds: stackfile.Seeds()})
	config := stackfile.Cluster{Access: hypershift.Public, NAT: network.Single, Zones: stackfile.ZoneNames(1)}.String()
	stack.Configure(config)
	stack.Up()
	name = "logs-two"
	require.NotEmpty(t, stack.Preview().Replaced())
	stack.Up()
	enginetest.RequireRefused(t, stack, strings.Replace(config, "infraID: demo-x1\n", "infraID: demo-x2\n", 1), "IAM role",
		"would be replaced")
	stack.Configure(config)
	name = ""
	stack.Up()
	require.Empty(t, stack.Preview())
}

// The guard holds resources back until the program has named all of them, so no kind of stack may wait for a resource
// before that.
func TestEveryKindOfStackIsUpdatedUnderTheGuard(t *testing.T) {
	t.Parallel()
	capaConfig := "config:\n  aws:region: us-east-1\n  hypershift-aws:kind: capa\n  hypershift-aws:capa: {name: demo, kubernetesVersion: v1.33.4, " +
		"network: {zones: [us-east-1b]}, kubeconfig: {}, unprotected: true, tags: {team: platform}}\n"
	for name, c := range sizes.Only(t, map[string]struct {
		config string
		seeds  []offline.Seed
	}{
		"hosted cluster": {stackfile.WithHostedCluster(t, "").String(), stackfile.Seeds()},
		"management":     {stackfile.Managements()["kubernetes"], stackfile.ManagementSeeds()},
		"whole":          {stackfile.Managements()["whole"], stackfile.ManagementSeeds()},
		"capa":           {capaConfig, nil},
		"shared VPC":     {stackfile.SharedVPCOptions()[0].Config(), stackfile.SeedsFor(t, stackfile.SharedVPCOptions()[0].Config())},
	}, "hosted cluster", "management", "capa") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := c.config
			if !strings.HasPrefix(config, "config:") {
				config = stackfile.Management(config)
			}
			guarded := stacks.Options{Guard: programguard.New} // there is no management cluster to compare
			stack := enginetest.New(t, guarded.Run, enginetest.Options{Seeds: c.seeds})
			stack.Configure(config)
			stack.Up()
			stack.Configure(strings.Replace(config, "team: platform", "team: network", 1))
			require.NotEmpty(t, stack.Up().Of(apitype.OpUpdate))
			require.Empty(t, stack.Preview())
		})
	}
}
