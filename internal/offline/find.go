package offline

import (
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Place returns the account, region and partition that a provider's configuration selects. The configuration has the
// form in which the engine's state stores it. Place fails if there is no region.
func (s *Server) Place(config map[string]any) (account, region, partition string, err error) {
	at, err := aws.NewSite(config)
	return at.Account, at.Region, at.Partition, err
}

// Find lists resources of a type (of all types for "") that have all the tags, and whose text and number properties
// equal all the inputs. It returns the same as AWS's own lists: see Rehearsal.LateTags. Resources that AWS itself owns
// are left out. Of each it sets the type, the ID, the ARN, the tags including those of the provider's defaultTags, the
// properties, and when it was created; zero for seeds.
func (s *Server) Find(
	config map[string]any,
	token string,
	tags map[string]string,
	inputs map[string]any,
) ([]inventory.Resource, error) {
	wanted := []string{token}
	if token == "" {
		wanted = append(slices.Sorted(maps.Keys(s.types.Kinds)), ofOperators()...)
	}
	if len(tags) > 0 && s.stage.HidesTags(token) {
		return nil, nil
	}
	return s.matching(config, wanted, func(rec *store.Entry) bool {
		return rec.Origin != store.BySeed && aws.Tagged(rec.State, aws.Tags(tags)) && matchesInputs(rec.State, inputs)
	})
}

// List lists the resources of a type as AWS returns them now, including seeds and those that AWS created along with
// others.
func (s *Server) List(config map[string]any, token string) ([]inventory.Resource, error) {
	if err := s.stage.RefusesList(token); err != nil {
		return nil, err
	}
	found, err := s.matching(config, []string{token}, func(*store.Entry) bool { return true })
	slices.SortFunc(found, func(x, y inventory.Resource) int { return strings.Compare(x.ID, y.ID) })
	return found, err
}

// matching returns the resources of some types that fit.
func (s *Server) matching(
	config map[string]any,
	types []string,
	fits func(*store.Entry) bool,
) ([]inventory.Resource, error) {
	var found []inventory.Resource
	err := s.call(config, func(c *aws.Call) error {
		for _, token := range types {
			for _, rec := range c.All(token) {
				if !fits(rec) {
					continue
				}
				one := inventory.Resource{Type: token, ID: rec.ID, ARN: rec.State.String("arn"), Tags: map[string]string{}, Created: rec.CreatedAt, Properties: rec.State.Clone()}
				all := rec.State.Object("tagsAll")
				for key := range all {
					one.Tags[key] = all.String(key)
				}
				found = append(found, one)
			}
		}
		return nil
	})
	return found, err
}

// ofOperators returns the types that no stack creates, and that the operators of clusters leave.
func ofOperators() []string {
	return []string{awstype.ClassicLoadBalancer, awstype.NetworkInterface, awstype.Snapshot, awstype.Volume}
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
