package users

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/management"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/input"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// CheckManagement refuses a stack whose file names an unsuitable management stack, as a fault of the file, and returns
// the management stack's outputs; nil if the file names none. If its state cannot be read here, the engine reports the
// error.
func CheckManagement(ctx context.Context, s *workspace.Session, file *config.File) (*config.ManagementOutputs, error) {
	named := config.ManagementStack(file)
	if named == "" {
		return nil, nil
	}
	outputs, err := s.OutputsOf(ctx, named)
	if err != nil {
		return nil, nil //nolint:nilerr // the engine reports what is wrong with the backend or the state
	}
	if outputs == nil && slices.Contains(s.Project.Stacks(), named) {
		outputs = map[string]any{} // it has a file, and no state yet
	}
	management, err := stacks.ReadManagement(named, outputs)
	return management, file.Placed(err)
}

// UseParts makes a file use the network and the roles of the stacks that it names, as the program does, and refuses an
// unsuitable stack as a fault of the file. If a state cannot be read here, the engine reports the error.
func UseParts(ctx context.Context, s *workspace.Session, file *config.File) error {
	if file == nil {
		return nil
	}
	read := func(name string) (outputs map[string]any, ok bool) {
		outputs, err := s.OutputsOf(ctx, name)
		if outputs == nil && slices.Contains(s.Project.Stacks(), name) {
			outputs = map[string]any{} // it has a file, and no state yet
		}
		return outputs, err == nil
	}
	return file.Placed(stacks.UseParts(file, read))
}

// withdrawal is a value of a management or network stack that its file no longer has.
type withdrawal struct {
	// Path is the config key, and what is the value in words.
	Path, what string
	// usedBy reports by a cluster's outputs whether the cluster uses the value.
	UsedBy func(cluster props.Map) bool
}

// InheritedGate describes the gate of CheckInherited.
func InheritedGate() gates.Gate {
	return gates.Gate{
		Name: "inherited",
		Refuses: "a file of a management stack that removes or replaces a value that clusters took from it when they " +
			"were created, or of a network stack that removes what a cluster uses",
		WayOn:      "restore the value",
		Operations: []gates.Operation{gates.Up, gates.Preview, gates.Adopt},
		Cost:       gates.CostStates,
	}
}

// CheckInherited refuses a file of a management stack that removes or replaces a value that clusters took from the
// stack when they were created, and a file of a network stack that removes what a cluster uses: they cannot do without
// it, as far as the states of the backend tell. The clusters are only read if a value is withdrawn.
func CheckInherited(ctx context.Context, s *workspace.Stack) error {
	if !IsReferred(s) || s.File == nil {
		return nil
	}
	if err := s.CurrentState(ctx); err != nil {
		return err
	}
	var withdrawn []withdrawal
	switch own := s.File.Section.(type) {
	case *config.Management:
		withdrawn = withdrawals(s.State.Outputs(), own)
	case *config.Network:
		withdrawn = networkWithdrawals(s.State.Outputs(), own)
	}
	if len(withdrawn) == 0 {
		return nil
	}
	users, unread, err := usersOf(ctx, s, withdrawn)
	if err != nil {
		return err
	}
	var problems []string
	for i, w := range withdrawn {
		if len(users[i]) > 0 {
			slices.Sort(users[i])
			problems = append(problems, fmt.Sprintf("%s: %s is used by %s", w.Path, w.what, strings.Join(users[i], ", ")))
		}
	}
	switch {
	case len(problems) == 0 && len(unread) > 0:
		slices.Sort(unread)
		return unreadStacks(s.Name, unread)
	case len(problems) == 0:
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: strings.Join(problems, "; ") +
			": a cluster cannot do without what it took from this stack; nothing was changed",
		Remedy: "restore the previous value until nothing uses it any more",
	}
}

// usersOf returns the stacks that use each withdrawn value of a stack, and why others cannot be read.
func usersOf(
	ctx context.Context,
	s *workspace.Stack,
	withdrawn []withdrawal,
) (users [][]string, unread []string, err error) {
	users = make([][]string, len(withdrawn))
	err = s.Session.EachState(ctx, s.Name, func(other state.OfStack) {
		if other.Err != nil {
			unread = append(unread, fmt.Sprintf("stack %s: its state cannot be read: %v", other.Stack, other.Err))
			return
		}
		outputs := other.Deployment.Outputs()
		for i, w := range withdrawn {
			used := kind.ByName(config.Kind(outputs.String("kind"))).OwnsHostedCluster() && w.UsedBy(outputs)
			if len(outputs) == 0 && !other.Deployment.Empty() { // its first update did not complete
				used = isReadBy(s, other)
			}
			if used {
				users[i] = append(users[i], other.Stack)
			}
		}
	})
	return users, unread, err
}

// withdrawals lists the values among the outputs of a management stack that its file removes or replaces.
func withdrawals(outputs props.Map, m *config.Management) []withdrawal {
	var list []withdrawal
	if key := outputs.String("etcdKeyARN"); key != "" && m.EtcdKey == nil {
		list = append(list, withdrawal{config.ManagementKey + ".etcdKey", "key " + key, func(cluster props.Map) bool {
			return usesKey(cluster, key)
		}})
	} else if key != "" {
		allowed := input.Texts(m.EtcdKey.Accounts)
		accounts, _ := outputs["etcdKeyAccounts"].([]any)
		for _, one := range accounts {
			account := fmt.Sprint(one)
			if slices.Contains(allowed, account) {
				continue
			}
			list = append(list, withdrawal{config.ManagementKey + ".etcdKey.accounts", "key " + key + " in account " + account,
				func(cluster props.Map) bool {
					return usesKey(cluster, key) && cluster.String("infra", "clusterAccountID") == account
				}})
		}
	}
	if domain := outputs.String("zoneDomain"); domain != "" && (m.Zone == nil || m.Zone.Domain != domain) {
		list = append(list, withdrawal{config.ManagementKey + ".zone", "zone " + domain, func(cluster props.Map) bool {
			return cluster.String("externalDNSDomain") == domain
		}})
	}
	if base := outputs.String("issuerBaseURL"); base != "" && movesIssuer(outputs, m.OIDCBucket) {
		list = append(list, withdrawal{config.ManagementKey + ".oidcBucket", "issuer " + base, func(cluster props.Map) bool {
			return strings.HasPrefix(cluster.String("iam", "issuerURL"), base+"/")
		}})
	}
	return list
}

// networkWithdrawals lists what the file of a network stack with those outputs takes from its cluster, the infra ID by
// which the network is the cluster's, and from further ones: their tags on the subnets, and the public subnets. Subnets
// and zones that are deleted or replaced are the guard's.
func networkWithdrawals(outputs props.Map, n *config.Network) []withdrawal {
	var list []withdrawal
	key := config.KindNetwork.Key()
	if own := outputs.String("infraID"); own != "" && n.InfraID != own {
		list = append(list, withdrawal{key + ".infraID", "the network of cluster " + own, func(cluster props.Map) bool {
			return cluster.String("infraID") == own
		}})
	}
	for _, infraID := range outputs.Strings("clusters") {
		isIt := func(cluster props.Map) bool { return cluster.String("infraID") == infraID }
		if !slices.Contains(n.Clusters, infraID) {
			list = append(list, withdrawal{key + ".clusters", "the network for cluster " + infraID, isIt})
		}
		if hypershift.EndpointAccess(outputs.String("endpointAccess")).HasPublic() && !n.EndpointAccess.HasPublic() {
			list = append(list, withdrawal{key + ".endpointAccess", "access from the internet", func(cluster props.Map) bool {
				return isIt(cluster) && cluster.String("publicZoneID") != ""
			}})
		}
	}
	return list
}

// usesKey reports whether a cluster encrypts its etcd with a key, or does not have it replaced completely.
func usesKey(cluster props.Map, key string) bool {
	return cluster.String("iam", "kmsKeyARN") == key ||
		slices.ContainsFunc(cluster.Strings("stages"), func(stage string) bool { return strings.Contains(stage, key) })
}

// movesIssuer reports whether the config of the bucket has other URLs of issuers than the outputs.
func movesIssuer(outputs props.Map, bucket management.OIDCBucketArgs) bool {
	distribution := outputs.String("distributionDomain")
	if outputs.String("bucketName") != bucket.Name ||
		(distribution == "") != (bucket.Access.OrDefault() == management.PublicRead) {
		return true
	}
	if distribution == "" {
		return false
	}
	domain := distribution
	if bucket.Distribution != nil && bucket.Distribution.Domain != "" {
		domain = bucket.Distribution.Domain
	}
	return outputs.String("issuerBaseURL") != "https://"+domain
}
