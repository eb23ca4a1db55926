package stacks

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// ManagementKind returns the kind of a management account.
func ManagementKind() Kind {
	return Kind{config.ManagementDefinition(), func(ctx *pulumi.Context, at placement, section config.Section) (any, error) {
		return runManagement(ctx, at, section.(*config.Management))
	}}
}

// runManagement registers what the management account needs, and returns the outputs, which cluster stacks read.
func runManagement(ctx *pulumi.Context, place placement, m *config.Management) (*ManagementOutputs, error) {
	made, err := management.NewPrerequisites(ctx, "prerequisites", m.Prerequisites(), place.components...)
	if err != nil {
		return nil, place.origin.Refused(err, config.KindManagement, "")
	}
	if err := createInstallObjects(ctx, place, m, made); err != nil {
		return nil, err
	}
	etcdKeyAccounts := pulumi.StringArray{}
	if m.EtcdKey != nil {
		etcdKeyAccounts = append(etcdKeyAccounts, m.EtcdKey.Accounts...)
	}
	return &ManagementOutputs{
		Kind:                 pulumi.String(config.KindManagement),
		AccountID:            made.AccountID,
		Region:               made.Region,
		BucketName:           made.BucketName,
		IssuerBaseURL:        made.IssuerBaseURL,
		DistributionDomain:   made.DistributionDomain,
		ZoneID:               made.Zone.ID,
		ZoneDomain:           made.Zone.Domain,
		ZoneNameServers:      made.Zone.NameServers,
		ZoneDelegation:       made.Zone.Delegation,
		OperatorRoles:        made.OperatorRoles.Outputs(),
		OperatorCredentials:  made.Credentials,
		InstallArgs:          made.InstallArgs,
		RegistryBucketName:   made.RegistryBucketName,
		EtcdKeyARN:           made.EtcdKeyARN,
		EtcdKeyAccounts:      etcdKeyAccounts,
		BackupBucketName:     made.BackupBucketName,
		BackupRoles:          made.BackupRoles.Outputs(),
		InterruptionQueueURL: made.InterruptionQueueURL,
	}, nil
}

// createInstallObjects creates the objects that HyperShift's CLI reads in the management cluster, if the config has a
// kubeconfig.
func createInstallObjects(ctx *pulumi.Context, place placement, m *config.Management, made *management.Prerequisites) error {
	if m.Kubeconfig == nil {
		return nil
	}
	cluster, err := place.managementCluster(ctx, m.Kubeconfig)
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
	}, place.with(cluster)...)
	return err
}
