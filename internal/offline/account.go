package offline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Account is an offline AWS account: what its folder holds. Several processes may use it at once.
type Account struct {
	*folder
	types catalogue
}

// Resource is something that an account holds.
type Resource struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc".
	Type string
	// ID is the provider's, "vpc-0a1b2c3d4e5f60718".
	ID string
	// Region is where it is, "global" for IAM and Route 53.
	Region string
	// Seed is true of what was there before any stack, Operator of what HyperShift's operators made for a hosted cluster.
	Seed, Operator bool
	// Properties are its outputs under Pulumi's names.
	Properties map[string]any
}

func openAccount(dir, id string, types catalogue) (*Account, error) {
	folder, err := openFolder(filepath.Join(dir, "accounts", id), id)
	if err != nil {
		return nil, err
	}
	return &Account{folder: folder, types: types}, nil
}

// Resources are what stacks and operators have made and what the account began with, by region, type and ID. What AWS
// keeps along with them, such as a VPC's default security group, is left out.
func (a *Account) Resources() []Resource {
	var resources []Resource
	// Accounts has read the files before; they can fail here only if somebody spoils them meanwhile.
	_ = a.transact(func(t *accountTx) error {
		for of := range t.store.records {
			for _, rec := range t.store.group(of.scope, of.token) {
				if rec.Origin != byAWS {
					resources = append(resources, Resource{Type: rec.Type, ID: rec.ID, Region: rec.Scope,
						Seed: rec.Origin == bySeed, Operator: rec.Origin == byOperator, Properties: rec.State.clone()})
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

// Remove deletes what has that ID behind the engine's back, with all that is part of it and without a check. It fails if
// nothing has it.
func (a *Account) Remove(id string) error {
	return a.transact(func(t *accountTx) error {
		found := false
		for of, group := range t.store.records {
			rec := group[id]
			if rec == nil || rec.Origin == byAWS {
				continue
			}
			found = true
			k := t.types.kinds[of.token]
			if k == nil {
				t.drop(rec)
				continue
			}
			c := &call{accountTx: t, site: site{account: a.ID(), region: of.scope}, kind: k, rec: rec}
			if err := c.erase(); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("offline account %s holds no %s; see what it holds under %s", a.ID(), id, a.dir)
		}
		return nil
	})
}

// transact runs act on the account as it is now, alone, and keeps its changes unless it fails.
func (a *Account) transact(act func(*accountTx) error) error {
	return a.folder.transact(func(t *tx) error { return act(&accountTx{tx: t, types: a.types}) })
}

// accountTx is a transaction on an account, with the types that the account knows.
type accountTx struct {
	*tx
	types catalogue
}
