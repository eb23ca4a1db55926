package stacks

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/components/management/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// runManagement registers what the management account needs, and returns the outputs, which cluster stacks read.
func runManagement(ctx *pulumi.Context, place placement, m *config.Management) (*ManagementOutputs, error) {
	operator, err := place.readOperator(ctx, m)
	if err != nil {
		return nil, err
	}
	prerequisites := *m.Prerequisites()
	parent, err := registerAccount(ctx, config.ParentZoneAccountProvider, m.Accounts.ParentZone, place.region,
		place.top...)
	if err != nil {
		return nil, err
	}
	if parent != nil {
		zone := *prerequisites.Zone
		zone.ParentZoneOwner, prerequisites.Zone = parent, &zone
	}
	made, err := management.NewPrerequisites(ctx, "prerequisites", &prerequisites, place.components...)
	if err != nil {
		return nil, place.origin.refused(err, config.KindManagement, "")
	}
	if err := createInstallObjects(ctx, place, m, made, operator); err != nil {
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
// kubeconfig. It also creates the operator's objects, unless operator is nil.
func createInstallObjects(
	ctx *pulumi.Context, place placement, m *config.Management, made *management.Prerequisites,
	operator *kubernetes.OperatorArgs,
) error {
	if m.Kubeconfig == nil {
		return nil
	}
	cluster, err := place.managementCluster(ctx, m.Kubeconfig)
	if err != nil {
		return err
	}
	prerequisites := m.Prerequisites()
	args := &kubernetes.InstallObjectsArgs{
		Namespace: prerequisites.Operator.NamespaceOrDefault(), ExistingNamespace: prerequisites.Operator.ExistingNamespace,
		Secrets: prerequisites.SecretNames(), RetainSecrets: prerequisites.Operator.FormerIdentity == management.AccessKeys,
		Credentials: made.Credentials,
		BucketName:  made.BucketName, BucketRegion: made.Region,
		Stack: prerequisites.StackTag(ctx), Operator: operator,
	}
	if operator != nil {
		operator.EC2RoleARN, operator.OIDCS3RoleARN = made.OperatorRoles.EC2RoleARN, made.OperatorRoles.OIDCS3RoleARN
		operator.ExternalDNSRoleARN = made.OperatorRoles.ExternalDNSRoleARN
	}
	_, err = kubernetes.NewInstallObjects(ctx, "install", args, place.with(cluster)...)
	return err
}

// StoredVersions returns status.storedVersions of the named CustomResourceDefinitions, as far as the management cluster
// of a kubeconfig has them.
type StoredVersions func(ctx context.Context, k config.Kubeconfig, definitions []string) (map[string][]string, error)

// readOperator reads and checks the manifests of the operator, before anything is registered; nil if the stack does not
// install it. In a preview it isn't an error if the management cluster doesn't answer.
func (p placement) readOperator(ctx *pulumi.Context, m *config.Management) (*kubernetes.OperatorArgs, error) {
	if m.Operator.Install == nil || m.Kubeconfig == nil {
		return nil, nil //nolint:nilnil // not installed
	}
	manifests, err := m.InstallManifests(ctx.Context())
	if err != nil {
		return nil, p.origin.refused(err, config.KindManagement, "")
	}
	operator := &kubernetes.OperatorArgs{
		Manifests: manifests, BucketName: m.OIDCBucket.Name, Region: p.region, TXTOwnerID: m.Operator.TXTOwnerID(),
		Identity: m.Operator.Identity, ScaleFromZero: m.Operator.ScaleFromZero, Unprotected: m.Unprotected,
	}
	if m.Zone != nil {
		operator.ZoneDomain = m.Zone.Domain
	}
	if err := operator.Check(m.Operator.NamespaceOrDefault()); err != nil {
		return nil, p.refuseManifests(err)
	}
	if p.options.StoredVersions == nil {
		return operator, nil
	}
	stored, err := p.options.StoredVersions(ctx.Context(), *m.Kubeconfig, operator.Definitions())
	switch {
	case err != nil && ctx.DryRun():
		return operator, ctx.Log.Warn("the definitions of the management cluster could not be read, so it is unknown whether it accepts those of "+
			"operator.install: "+err.Error(), nil)
	case err != nil:
		return nil, fmt.Errorf("reading the definitions of the management cluster: %w", err)
	}
	return operator, p.refuseManifests(operator.CheckStored(stored))
}

// refuseManifests returns an error about the operator's args with the key and the file of its manifests.
func (p placement) refuseManifests(err error) error {
	if err == nil {
		return nil
	}
	var faults fault.Faults
	faults.Join("operator.install", err)
	return p.origin.refused(faults.Err(), config.KindManagement, "")
}
