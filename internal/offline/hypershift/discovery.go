package hypershift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// issuer is the OIDC issuer of a hosted cluster's service accounts.
type issuer struct{ *hostedCluster }

// documents returns the documents that AWS reads from an issuer.
func documents() []string { return []string{".well-known/openid-configuration", "openid/v1/jwks"} }

// discoveryBucket returns the bucket with the issuers' documents: the one in the hypershift-operator's installation,
// otherwise the one in the issuer's host; "" if there is neither.
func (g issuer) discoveryBucket() (name string, noted bool) {
	if note := g.Get(store.Key{
		Scope: "kube-public",
		Token: "kubernetes:core/v1:ConfigMap",
		ID:    "kube-public/oidc-storage-provider-s3-config",
	}); note != nil {
		return note.State.Object("data").String("name"), true
	}
	return g.issuersBucket(), false
}

// issuersBucket returns the bucket in the issuer's host, "" if it is not in S3.
func (g issuer) issuersBucket() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(g.issuer, "https://"), "/")
	name, _, hosted := strings.Cut(host, ".s3.")
	if !hosted {
		return ""
	}
	return name
}

// discoveryFinalizer marks a HostedCluster whose documents the operator has written: it does not write them again.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go, oidcDocumentsFinalizer
const discoveryFinalizer = "hypershift.io/aws-oidc-discovery"

// ownSigningKey reports whether the cluster has its own signing key. Then the operator neither writes nor deletes its
// documents.
func (g issuer) ownSigningKey() bool {
	return g.spec.Object("serviceAccountSigningKey").String("name") != ""
}

// writeDiscovery: the bucket of the operators' installation must exist. A bucket that only
// the issuer names and that no offline account has belongs to someone else and is complete.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go
func (g issuer) writeDiscovery() error {
	if g.ownSigningKey() || slices.Contains(kubernetes.Finalizers(g.rec), discoveryFinalizer) {
		return nil
	}
	bucket, noted := g.discoveryBucket()
	found, err := g.withBucket(bucket, func(c *aws.Call) error {
		for _, document := range documents() {
			path := g.infraID + "/" + document
			if c.Find(awstype.BucketObject, bucket+"/"+path) != nil {
				continue
			}
			object := props.Map{"bucket": bucket, "key": path, "content": `{"issuer": "` + g.issuer + `"}`}
			if _, err := c.Make(store.ByOperator, awstype.BucketObject, "", object); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !found && noted {
		return awserr.Errorf("NoSuchBucket", "failed to reconcile OIDC documents: failed to upload %s to the %s s3 bucket",
			documents()[0], bucket)
	}
	if err == nil {
		kubernetes.AddFinalizer(g.rec, discoveryFinalizer)
	}
	return err
}

// verifiable: to assume a role, both OIDC documents must be in the bucket of the issuer, if an offline account has it.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
func (g issuer) verifiable() error {
	bucket, absent := g.issuersBucket(), false
	_, err := g.withBucket(bucket, func(c *aws.Call) error {
		for _, document := range documents() {
			absent = absent || c.Find(awstype.BucketObject, bucket+"/"+g.infraID+"/"+document) == nil
		}
		return nil
	})
	if err == nil && absent {
		return awserr.Errorf("InvalidIdentityToken", "Couldn't retrieve verification key from your identity provider, "+
			"please reference AssumeRoleWithWebIdentity documentation for requirements")
	}
	return err
}

// removeDiscovery deletes the issuer's documents.
func (g issuer) removeDiscovery() error {
	if g.ownSigningKey() {
		return nil
	}
	bucket, _ := g.discoveryBucket()
	_, err := g.withBucket(bucket, func(c *aws.Call) error {
		for _, document := range documents() {
			if err := c.Unmake(awstype.BucketObject, fmt.Sprintf("%s/%s/%s", bucket, g.infraID, document)); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// withBucket runs act in the account that has a bucket, and returns whether one has it.
func (o *reconciler) withBucket(name string, act func(c *aws.Call) error) (found bool, err error) {
	accounts, err := o.All()
	if err != nil || name == "" {
		return false, err
	}
	for _, account := range accounts {
		err = account.Transact(func(t *aws.Tx) error {
			for key := range t.Store.Records {
				if key.Token != awstype.Bucket || t.Get(store.Key{Scope: key.Scope, Token: awstype.Bucket, ID: name}) == nil {
					continue
				}
				at, err := aws.NewSite(props.Map{"region": key.Scope, "allowedAccountIds": props.List(account.ID())})
				if err != nil {
					return err
				}
				found = true
				return act(&aws.Call{Tx: t, Site: at})
			}
			return nil
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}
