package offline

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Invoke runs a function of the provider, such as "aws:ec2/getVpc:getVpc", for a caller without an engine.
func (s *Server) Invoke(config map[string]any, token string, args map[string]any) (map[string]any, error) {
	var answer props.Map
	err := s.call(config, func(c *aws.Call) (err error) {
		answer, err = s.types.Answer(c, token, args)
		return err
	})
	return answer, err
}

// Exists reports whether the account has a resource of a type with a given property value, whether a stack created it or not.
func (s *Server) Exists(config map[string]any, token, property, value string) (bool, error) {
	found := false
	err := s.call(config, func(c *aws.Call) error {
		found = len(c.Where(token, property, value)) > 0
		return nil
	})
	return found, err
}

// call runs act in the account and region of a provider's configuration.
func (s *Server) call(config map[string]any, act func(*aws.Call) error) error {
	at, err := aws.NewSite(config)
	if err != nil {
		return err
	}
	account, err := s.account(at)
	if err != nil {
		return err
	}
	if err := account.Transact(func(t *aws.Tx) error { return act(&aws.Call{Tx: t, Site: at, Rehearsal: s.stage}) }); err != nil {
		return fmt.Errorf("calling offline account %s: %w", at.Account, err)
	}
	return nil
}

// Kinds returns the kinds of an API, such as "hypershift.openshift.io/v1beta1", that an offline Kubernetes cluster
// serves.
func Kinds(apiVersion string) []string { return kubernetes.Kinds(apiVersion) }
