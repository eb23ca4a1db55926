package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Accounts opens every account that is kept under dir, in the order of their IDs. A folder without accounts is no error;
// a file that cannot be read is.
func Accounts(dir string) ([]*Account, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "accounts"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the offline accounts: %w", err)
	}
	types := knownTypes()
	var accounts []*Account
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		account, err := openAccount(dir, entry.Name(), types)
		if err != nil {
			return nil, err
		}
		if err := account.transact(func(*accountTx) error { return nil }); err != nil {
			return nil, err
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

// Clusters opens every cluster that is kept under dir, in the order of their names.
func Clusters(dir string) ([]*Cluster, error) {
	entries, err := os.ReadDir(filepath.Join(dir, clustersDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the offline clusters: %w", err)
	}
	types := knownTypes()
	var clusters []*Cluster
	for _, entry := range entries {
		cluster, err := openCluster(dir, entry.Name(), types)
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, cluster)
	}
	return clusters, nil
}

// OpenCluster opens the cluster under dir that a kubernetes provider with that kubeconfig and context leads to; both may
// be "". A cluster that nobody has used holds nothing. Close it after use.
func OpenCluster(dir, kubeconfig, context string) (*Cluster, error) {
	return openCluster(dir, clusterOf(props{"kubeconfig": kubeconfig, "context": context}), knownTypes())
}

// openCluster opens the cluster of that name under dir, with HyperShift's operators in it.
func openCluster(dir, name string, types catalogue) (*Cluster, error) {
	return openKubernetes(dir, name, newOperators(dir, name, types))
}
