package operation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
	"github.com/hypershift-aws/hypershift-aws/internal/kubeapi"
)

// Resolve resolves what an operation acts on, before its first question: see gate.Target. It asks the identity gate, and fails if the credentials lead to
// another account than that of the stack's resources.
func (s *Stack) Resolve(ctx context.Context, operation gate.Operation) error {
	target, warnings, err := s.resolve(ctx, operation)
	for _, warning := range warnings {
		s.say("warning: %s", warning)
	}
	if err != nil {
		return err
	}
	s.target = target
	return nil
}

func (s *Stack) resolve(ctx context.Context, operation gate.Operation) (*gate.Target, []string, error) {
	reading, _, warnings, err := s.askIdentity(ctx, operation)
	if err != nil {
		return nil, warnings, err
	}
	dependent, err := s.dependent(ctx)
	if err != nil {
		return nil, warnings, err
	}
	target := &gate.Target{Stack: s.Name, ManagementCluster: reading.ManagementCluster, Server: describeServer(reading.Address), InfraID: dependent.infraID, File: s.session.Project.StackFileDigest(s.Name)}
	noAccount := []gate.Operation{gate.Release, gate.Backup, gate.Status, gate.Access}
	if !slices.Contains(noAccount, operation) {
		target.Accounts, err = s.resolveAccounts(ctx)
	}
	return target, warnings, err
}

// describeServer returns the URL of an API server's address, with a digest of the CA.
func describeServer(address string) string {
	url, ca, _ := strings.Cut(address, "\n")
	if strings.TrimSpace(ca) == "" {
		return url
	}
	return fmt.Sprintf("%s (CA %.8x)", url, sha256.Sum256([]byte(ca)))
}

// Confirm resolves the target again, and fails if it is no longer the one that the operation began with: after a decision, and directly before each run
// of the engine. For a deletion it also asks again whether the cluster is alive, and for the consent.
func (s *Stack) Confirm(ctx context.Context, operation gate.Operation) error {
	if s.target == nil {
		return s.Resolve(ctx, operation)
	}
	now, _, err := s.resolve(ctx, operation)
	if err != nil {
		return err
	}
	same := gate.Of(gate.NameTarget, gate.Refuses(func(context.Context) error {
		if why := s.target.Differs(*now); why != "" {
			return s.target.Changed(operation, why)
		}
		return nil
	}))
	if _, err := same.Ask(ctx, operation); err != nil {
		return err
	}
	if operation != gate.Destroy {
		return nil
	}
	return s.confirmDeletion(ctx)
}

// confirmDeletion asks the gates of a deletion again. Consent that was given in advance, and is needed only now, is recorded.
func (s *Stack) confirmDeletion(ctx context.Context) error {
	if s.deletion == nil {
		return fmt.Errorf("internal error: no gate has judged the deletion of stack %s", s.Name)
	}
	again, err := s.judgeDeletion(ctx, s.deletion.options)
	if err != nil {
		return err
	}
	why := again.NeedsConsent()
	if why == "" || s.deletion.NeedsConsent() != "" {
		return nil
	}
	s.deletion.Deletion = again.Deletion
	return s.RecordUse(Use{Flag: gate.ConsentFlag, Value: again.Consent, Evidence: why})
}

// verifyCluster fails if a management cluster is another one than the stack's: the one that this operation has resolved or, before that, the one that
// the state records. A cluster whose namespace kube-system may not be read is not compared.
func (s *Stack) verifyCluster(ctx context.Context, api identified) error {
	own := ""
	if s.state != nil {
		own = s.recordedCluster()
	}
	if s.target != nil && s.target.ManagementCluster != "" {
		own = s.target.ManagementCluster
	}
	if own == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, kubeapi.IdentityWithin)
	defer cancel()
	uid, err := api.ClusterUID(ctx)
	if err != nil || uid == "" || uid == own {
		return err
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the kubeconfig selects another management cluster than that of stack %s: the UID of its namespace kube-system is %s, not %s",
			s.Name, uid, own),
		Remedy: "correct " + s.kubeconfigKey() + ", or its current context, so that it selects the stack's management cluster",
	}
}
