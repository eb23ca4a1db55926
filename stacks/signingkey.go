package stacks

import (
	"cmp"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// inOIDC returns faults whose path signingKey is the config key of the signing key.
func inOIDC(err error) error {
	found := fault.In(err)
	if found == nil {
		return err
	}
	var faults fault.Faults
	for _, f := range found {
		own := *f
		if own.Path == "signingKey" {
			own.Path = "oidc.signingKey"
		}
		faults = append(faults, &own)
	}
	return faults
}

// keepSigningKey refuses to add, remove, or change the signing key of an existing cluster, even if other tools apply
// its objects. It runs before anything is registered, because the documents of another key would replace a living
// cluster's.
func (e *clusterProgram) keepSigningKey(last lastUpdate) error {
	key, err := e.config.SigningKeyText()
	if err != nil {
		return err
	}
	id := ""
	if key != "" {
		read, err := iam.ReadSigningKey(key)
		if err != nil {
			return err
		}
		if id, err = iam.SigningKeyID(&read.PublicKey); err != nil {
			return err
		}
	}
	isOutput := e.config.OIDC.SigningKey != nil && key == ""
	var faults fault.Faults
	if h := e.config.HostedCluster; h != nil && h.Kubeconfig != nil {
		settings := e.config.HostedClusterSettings(e.region)
		faults.Join(config.ClusterKey, inOIDC(e.live.JudgeSigningKey(settings.SigningKey, settings.ServiceAccountSigningKey)))
	}
	if len(faults) > 0 || !last.complete || isOutput || id == last.signingKeyID {
		return faults.Err()
	}
	named := func(id string) string { return cmp.Or(id, "that HyperShift generated") }
	changed := iam.SigningKeyChanged()
	changed.Problem = fmt.Sprintf("changes the signing key of the cluster's last update from the key %s to the key %s: %s", named(last.signingKeyID), named(id), iam.TokensInvalid)
	faults.Join(config.ClusterKey, inOIDC(changed))
	return faults.Err()
}

// createOIDCDocuments writes the documents of the cluster's own signing key into the issuer's bucket, which is in
// accounts.management if the config has it.
func (e *clusterProgram) createOIDCDocuments(ctx *pulumi.Context, issuer pulumi.StringInput) error {
	key, err := e.config.SigningKey()
	if err != nil || key == nil {
		return e.place.origin.placed(err)
	}
	bucket, bucketRegion := e.config.OIDC.BucketName, e.config.OIDC.BucketRegion
	if !input.IsSet(bucket) { // the management stack's, whose issuer the cluster takes
		bucket, bucketRegion = pulumi.String(e.management.BucketName), pulumi.String(e.management.Region)
	}
	if err := e.checkDocumentBucket(ctx, bucketRegion); err != nil {
		return e.place.origin.placed(err)
	}
	refused := func(err error) error { return e.place.origin.refused(inOIDC(err), config.KindCluster, "oidc") }
	e.documents, err = iam.NewOIDCDocuments(ctx, "oidc-documents", &iam.OIDCDocumentsArgs{
		Cluster: e.config.Cluster, BucketName: bucket, IssuerURL: issuer, SigningKey: key, Unprotected: e.config.Unprotected,
		Refused: refused,
	}, e.place.with(e.accounts.management)...)
	if err != nil {
		return refused(err)
	}
	return nil
}

// checkDocumentBucket returns a fault if the provider of the documents is in another account or region than the bucket,
// as far as both are known.
func (e *clusterProgram) checkDocumentBucket(ctx *pulumi.Context, bucketRegion pulumi.StringInput) error {
	var faults fault.Faults
	region := e.region
	if a := e.config.Accounts.Management; a != nil {
		region = cmp.Or(a.Region, region)
	}
	const path = config.ClusterKey + ".oidc.signingKey"
	if bucketIn, plain := input.Plain(bucketRegion); plain && bucketIn != "" && bucketIn != region {
		faults.Add(path, nil, fmt.Sprintf("has its OIDC documents in a bucket in %s, but they would be written in %s",
			bucketIn, region),
			"set accounts.management to the account of the bucket, with region: "+bucketIn)
	}
	if e.config.Management != "" && e.accounts.management == nil && !input.IsSet(e.config.OIDC.BucketName) {
		own, err := e.place.account(ctx, nil)
		if err != nil {
			return err
		}
		if own != e.management.AccountID {
			faults.Add(path, nil, fmt.Sprintf("has its OIDC documents in the bucket of stack %s in account %s, but the cluster is in %s",
				e.config.Management, e.management.AccountID, own), "set accounts.management to that account")
		}
	}
	return faults.Err()
}
