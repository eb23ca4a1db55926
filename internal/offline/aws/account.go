// Package aws is the core of the offline account: how a resource type is declared, how a call is carried out, and the
// provider that the engine attaches to. Each AWS service has its own package.
package aws

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Account is an offline AWS account, stored in a folder. Several processes may use it at once.
type Account struct {
	*store.Folder
	types Catalogue
}

// Resource is a resource of an account.
type Resource struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc".
	Type string
	// ID is the provider's ID, "vpc-0a1b2c3d4e5f60718".
	ID string
	// Region is its region, "global" for IAM and Route 53.
	Region string
	// Seed is true for a resource that existed before any stack, Operator for one that HyperShift's operators created for
	// a hosted cluster.
	Seed, Operator bool
	// Properties are its outputs under Pulumi's names.
	Properties map[string]any
}

// OpenAccount opens the account of that ID under dir, which need not exist yet. Close it after use.
func OpenAccount(dir, id string, types Catalogue) (*Account, error) {
	folder, err := store.Open(filepath.Join(dir, "accounts", id), id)
	if err != nil {
		return nil, err
	}
	return &Account{Folder: folder, types: types}, nil
}

// Resources returns the resources created by stacks and operators, and the seeds, ordered by region, type and ID. What
// AWS creates along with others, such as a VPC's default security group, is left out.
func (a *Account) Resources() []Resource {
	var resources []Resource
	// Accounts has read the files before; reading fails here only if they were damaged since.
	_ = a.Transact(func(t *Tx) error {
		for key := range t.Store.Records {
			for _, rec := range t.Store.List(key.Scope, key.Token) {
				if rec.Origin != store.ByAWS {
					resources = append(resources, Resource{Type: rec.Type, ID: rec.ID, Region: rec.Scope,
						Seed: rec.Origin == store.BySeed, Operator: rec.Origin == store.ByOperator, Properties: rec.State.Clone()})
				}
			}
		}
		return nil
	})
	slices.SortFunc(resources, func(x, y Resource) int {
		return strings.Compare(x.Region+" "+x.Type+" "+x.ID, y.Region+" "+y.Type+" "+y.ID)
	})
	return resources
}

// Remove deletes the resource with that ID and all its parts, without the engine's knowledge and without checks. It
// fails if there is none.
func (a *Account) Remove(id string) error {
	return a.Transact(func(t *Tx) error {
		found := false
		for key, group := range t.Store.Records {
			rec := group[id]
			if rec == nil || rec.Origin == store.ByAWS {
				continue
			}
			found = true
			k := t.Types.Kinds[key.Token]
			if k == nil {
				t.Delete(rec)
				continue
			}
			c := &Call{Tx: t, Site: Site{Account: a.ID(), Region: key.Scope}, Kind: k, Resource: rec}
			c.erase()
		}
		if !found {
			return fmt.Errorf("offline account %s has no resource %s; its resources are under %s", a.ID(), id, a.Dir)
		}
		return nil
	})
}

// Transact runs act on the account's current state while no other process can change it, and stores the changes unless
// act fails.
func (a *Account) Transact(act func(*Tx) error) error {
	return a.Folder.Transact(func(t *store.Tx) error { return act(&Tx{Tx: t, Types: a.types}) })
}

// Tx is a transaction on an account, with the types of the account.
type Tx struct {
	*store.Tx
	Types Catalogue
}
