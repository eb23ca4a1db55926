package inmemory

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

// Rest returns sentences about the resources of stacks in the offline accounts and clusters of a folder.
func Rest(dir string) ([]string, error) {
	accounts, err := offline.Accounts(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the offline accounts: %w", err)
	}
	var sentences []string
	for _, account := range accounts {
		made := 0
		for _, resource := range account.Resources() {
			if !resource.Seed && !resource.Operator {
				made++
			}
		}
		sentences = append(sentences, rest("account "+account.ID(), "resource", made))
		sentences = append(sentences, operators(account)...)
	}
	clusters, err := offline.Clusters(dir)
	if err != nil {
		return sentences, fmt.Errorf("reading the offline Kubernetes clusters: %w", err)
	}
	for _, cluster := range clusters {
		made := 0
		objects, err := cluster.Objects()
		if err != nil {
			return sentences, fmt.Errorf("reading offline Kubernetes cluster %s: %w", cluster.Name(), err)
		}
		for _, object := range objects {
			// Namespaces are shared, and are not deleted; backups outlive what they are backups of.
			if object.Kind != "Namespace" && object.Kind != crd.Backup {
				made++
			}
		}
		sentences = append(sentences, rest("Kubernetes cluster "+cluster.Name(), "object", made))
		if err := cluster.Close(); err != nil {
			return sentences, fmt.Errorf("closing offline Kubernetes cluster %s: %w", cluster.Name(), err)
		}
	}
	return sentences, nil
}

// Operators returns sentences about the resources that HyperShift's operators have created in the offline accounts of a
// folder: they block a destroy.
func Operators(dir string) ([]string, error) {
	accounts, err := offline.Accounts(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the offline accounts: %w", err)
	}
	var sentences []string
	for _, account := range accounts {
		sentences = append(sentences, operators(account)...)
	}
	return sentences, nil
}

func operators(account *offline.Account) []string {
	var sentences []string
	for _, resource := range account.Resources() {
		if resource.Operator {
			sentences = append(sentences, fmt.Sprintf("offline: account %s still has %s %s, which HyperShift's operators created for a hosted cluster",
				account.ID(), report.TypeName(resource.Type), resource.ID))
		}
	}
	return sentences
}

func rest(where, what string, made int) string {
	if made == 0 {
		return fmt.Sprintf("offline: %s has no resources created by stacks", where)
	}
	return fmt.Sprintf("offline: %s contains %s of other stacks", where, report.Number(made, what))
}
