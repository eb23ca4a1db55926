package offline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/capa"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Accounts opens every account under dir, ordered by ID. It returns none if the folder has no accounts, and an error if
// a file cannot be read.
func Accounts(dir string) ([]*aws.Account, error) {
	accounts, err := aws.NewAccounts(dir, catalogue()).All()
	if err != nil {
		return nil, fmt.Errorf("listing the offline accounts: %w", err)
	}
	for _, account := range accounts {
		if err := account.Transact(func(*aws.Tx) error { return nil }); err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// Clusters opens every cluster under dir, ordered by name.
func Clusters(dir string) ([]*kubernetes.Cluster, error) {
	entries, err := os.ReadDir(filepath.Join(dir, kubernetes.ClustersDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing the offline clusters: %w", err)
	}
	types := catalogue()
	var clusters []*kubernetes.Cluster
	for _, entry := range entries {
		cluster, err := openCluster(dir, entry.Name(), types)
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, cluster)
	}
	return clusters, nil
}

// OpenCluster opens the cluster under dir that a kubernetes provider with that kubeconfig and context would use; both
// may be "". A cluster that has not been used before is empty. Close it after use.
func OpenCluster(dir, kubeconfig, context string) (*kubernetes.Cluster, error) {
	return openCluster(dir, kubernetes.ClusterName(props.Map{"kubeconfig": kubeconfig, "context": context}), catalogue())
}

// openCluster opens the cluster of that name under dir, with HyperShift's operators and Cluster API's controllers in
// it.
func openCluster(dir, name string, types aws.Catalogue) (*kubernetes.Cluster, error) {
	return kubernetes.Open(dir, name, kubernetes.Controllers{hypershift.New(dir, name, types), capa.New(dir, name, types)})
}
