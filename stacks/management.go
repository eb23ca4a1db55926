package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runManagement registers what the management account needs, and outputs it for the cluster stacks.
func runManagement(ctx *pulumi.Context, origin config.Origin, m *config.Management) error {
	made, err := management.NewPrerequisites(ctx, "prerequisites", m.Prerequisites())
	if err != nil {
		return origin.RefusedManagement(err)
	}
	if err := makeInstallObjects(ctx, m, made); err != nil {
		return err
	}
	var etcdKeyAccounts []string
	if m.EtcdKey != nil {
		etcdKeyAccounts = m.EtcdKey.Accounts
	}
	for name, value := range map[string]pulumi.Input{
		"kind":                 pulumi.String(config.KindManagement),
		"accountID":            made.AccountID,
		"region":               made.Region,
		"bucketName":           made.BucketName,
		"issuerBaseURL":        made.IssuerBaseURL,
		"distributionDomain":   made.DistributionDomain,
		"zoneID":               made.Zone.ID,
		"zoneDomain":           made.Zone.Domain,
		"zoneNameServers":      made.Zone.NameServers,
		"zoneDelegation":       made.Zone.Delegation,
		"operatorRoles":        made.OperatorRoles.Outputs(),
		"operatorCredentials":  made.Credentials,
		"installArgs":          made.InstallArgs,
		"registryBucketName":   made.RegistryBucketName,
		"etcdKeyARN":           made.EtcdKeyARN,
		"etcdKeyAccounts":      pulumi.ToStringArray(etcdKeyAccounts),
		"interruptionQueueURL": made.InterruptionQueueURL,
	} {
		ctx.Export(name, value)
	}
	return nil
}

// makeInstallObjects makes what HyperShift's CLI looks for in the management cluster, where the config
// leads to it.
func makeInstallObjects(ctx *pulumi.Context, m *config.Management, made *management.Prerequisites) error {
	if m.Kubeconfig == nil {
		return nil
	}
	cluster, err := managementCluster(ctx, m.Kubeconfig)
	if err != nil {
		return err
	}
	prerequisites := m.Prerequisites()
	_, err = kubernetes.NewInstallObjects(ctx, "install", &kubernetes.InstallObjectsArgs{
		Namespace:   prerequisites.Operator.NamespaceOrDefault(),
		Secrets:     prerequisites.SecretNames(),
		Credentials: made.Credentials,
		BucketName:  made.BucketName, BucketRegion: made.Region,
		Stack: prerequisites.StackTag(ctx),
	}, pulumi.Provider(cluster))
	return err
}
