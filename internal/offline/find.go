package offline

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Place returns the account, region and partition that a provider's configuration selects. The configuration has the form in which the
// engine's state stores it. Place fails if there is no region.
func (s *Server) Place(config map[string]any) (account, region, partition string, err error) {
	at, err := aws.NewSite(config)
	return at.Account, at.Region, at.Partition, err
}

// Found is a resource of an account in the result of a search.
type Found struct {
	// Type is its token, ID the ID for an import, and ARN "" for types without one.
	Type, ID, ARN string
	// Tags are all its tags, including those of the provider's defaultTags.
	Tags map[string]string
	// CreatedAt is when it was created; zero for seeds.
	CreatedAt time.Time
	// Properties are its outputs under Pulumi's names.
	Properties map[string]any
}

// Find lists resources of a type (of all types for "") that have all the tags, and whose text and number properties equal all the inputs.
// It returns the same as AWS's own lists: see Rehearsal.LateTags. Resources that AWS itself owns are left out.
func (s *Server) Find(config map[string]any, token string, tags map[string]string, inputs map[string]any) ([]Found, error) {
	at, err := aws.NewSite(config)
	if err != nil {
		return nil, err
	}
	account, err := s.account(at)
	if err != nil {
		return nil, err
	}
	wanted := []string{token}
	if token == "" {
		wanted = append(slices.Sorted(maps.Keys(s.types.Kinds)), ofOperators()...)
	}
	if len(tags) > 0 && s.stage.HidesTags(token) {
		return nil, nil
	}
	var found []Found
	err = account.Transact(func(t *aws.Tx) error {
		for _, one := range wanted {
			for _, rec := range (&aws.Call{Tx: t, Site: at}).All(one) {
				all := rec.State.Object("tagsAll")
				if rec.Origin == store.BySeed || !hasTags(all, tags) || !matchesInputs(rec.State, inputs) {
					continue
				}
				resource := Found{Type: one, ID: rec.ID, ARN: rec.State.String("arn"), Tags: map[string]string{}, CreatedAt: rec.CreatedAt,
					Properties: rec.State.Clone()}
				for key := range all {
					resource.Tags[key] = all.String(key)
				}
				found = append(found, resource)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("searching offline account %s: %w", at.Account, err)
	}
	return found, nil
}

// List lists the resources of a type as AWS returns them now, including seeds and those that AWS created along with others.
func (s *Server) List(config map[string]any, token string) ([]Found, error) {
	if err := s.stage.RefusesList(token); err != nil {
		return nil, err
	}
	at, err := aws.NewSite(config)
	if err != nil {
		return nil, err
	}
	account, err := s.account(at)
	if err != nil {
		return nil, err
	}
	var found []Found
	err = account.Transact(func(t *aws.Tx) error {
		for _, rec := range (&aws.Call{Tx: t, Site: at}).All(token) {
			one := Found{Type: token, ID: rec.ID, ARN: rec.State.String("arn"), Tags: map[string]string{}, CreatedAt: rec.CreatedAt, Properties: rec.State.Clone()}
			all := rec.State.Object("tagsAll")
			for key := range all {
				one.Tags[key] = all.String(key)
			}
			found = append(found, one)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing offline account %s: %w", at.Account, err)
	}
	slices.SortFunc(found, func(x, y Found) int { return strings.Compare(x.ID, y.ID) })
	return found, nil
}

// ofOperators returns the types that no stack creates, and that the operators of clusters leave.
func ofOperators() []string {
	return []string{awstype.ClassicLoadBalancer, awstype.NetworkInterface, awstype.Snapshot, awstype.Volume}
}

func hasTags(tags props.Map, wanted map[string]string) bool {
	for key, value := range wanted {
		if tags.String(key) != value {
			return false
		}
	}
	return true
}

// matchesInputs compares only strings and numbers: AWS returns lists and documents in normalized forms.
func matchesInputs(state props.Map, inputs map[string]any) bool {
	for name, value := range inputs {
		if number, isNumber := value.(float64); isNumber && state.Has(name) && state.Number(name) != number {
			return false
		}
		text, isText := value.(string)
		if isText && state.Has(name) && state.String(name) != text && !strings.HasPrefix(text, "{") {
			return false
		}
	}
	return true
}
