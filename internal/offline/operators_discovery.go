package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// documents are what AWS asks an issuer for.
func documents() []string { return []string{".well-known/openid-configuration", "openid/v1/jwks"} }

// discoveryBucket is the bucket that the hypershift-operator keeps issuers' documents in, as its installation notes it,
// else as the issuer's host tells it; "" where neither does.
func (g *guest) discoveryBucket() (name string, noted bool) {
	if note := g.record(key{"kube-public", "kubernetes:core/v1:ConfigMap", "kube-public/oidc-storage-provider-s3-config"}); note != nil {
		return note.State.object("data").text("name"), true
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(g.issuer, "https://"), "/")
	name, _, hosted := strings.Cut(host, ".s3.")
	if !hosted {
		return "", false
	}
	return name, false
}

// withBucket does something in the account that has a bucket, and tells whether one has it.
func (g *guest) withBucket(name string, act func(c *call) error) (found bool, err error) {
	entries, err := os.ReadDir(filepath.Join(g.dir, "accounts"))
	if err != nil || name == "" {
		return false, err
	}
	for _, entry := range entries {
		account, err := g.account(entry.Name())
		if err != nil {
			return false, err
		}
		err = account.transact(func(t *accountTx) error {
			for of := range t.store.records {
				if of.token != bucketToken || t.record(key{of.scope, bucketToken, name}) == nil {
					continue
				}
				at, err := siteOf(props{"region": of.scope, "allowedAccountIds": list(entry.Name())})
				if err != nil {
					return err
				}
				found = true
				return act(&call{accountTx: t, site: at})
			}
			return nil
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// writeDiscovery: the bucket that the operators were installed with is there. One that no offline account has, and that
// only the issuer names, is somebody's elsewhere, with all that it needs.
// https://github.com/openshift/hypershift/blob/main/hypershift-operator/controllers/hostedcluster/hostedcluster_controller.go
func (g *guest) writeDiscovery() error {
	bucket, noted := g.discoveryBucket()
	found, err := g.withBucket(bucket, func(c *call) error {
		for _, document := range documents() {
			path := g.infraID + "/" + document
			if c.find(objectToken, bucket+"/"+path) != nil {
				continue
			}
			a := &agent{call: c}
			if _, err := a.make(objectToken, props{"bucket": bucket, "key": path, "content": `{"issuer": "` + g.issuer + `"}`}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !found && noted {
		return refuse("NoSuchBucket", "failed to reconcile OIDC documents: failed to upload %s to the %s s3 bucket", documents()[0], bucket)
	}
	return err
}

// removeDiscovery takes the issuer's documents away.
func (g *guest) removeDiscovery() error {
	bucket, _ := g.discoveryBucket()
	_, err := g.withBucket(bucket, func(c *call) error {
		for _, document := range documents() {
			if err := (&agent{call: c}).unmake(objectToken, fmt.Sprintf("%s/%s/%s", bucket, g.infraID, document)); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}
