package offline

import (
	"fmt"
	"strings"
)

// Place says which account and region a provider's configuration leads to, and in which partition. The configuration is
// that of the engine's state. It fails if there is no region.
func (s *Server) Place(config map[string]any) (account, region, partition string, err error) {
	at, err := siteOf(config)
	return at.account, at.region, at.partition, err
}

// Find lists the IDs of a type's resources that carry all the tags and whose text properties include all the inputs, as
// AWS's own listings would show them. What AWS keeps by itself is left out.
func (s *Server) Find(config map[string]any, token string, tags map[string]string, inputs map[string]any) ([]string, error) {
	at, err := siteOf(config)
	if err != nil {
		return nil, err
	}
	account, err := s.account(at)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = account.transact(func(t *tx) error {
		for _, rec := range (&call{tx: t, site: at}).all(token) {
			if rec.Origin != bySeed && carries(rec.State.object("tagsAll"), tags) && saysAll(rec.State, inputs) {
				ids = append(ids, rec.ID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for a %s in offline account %s: %w", token, at.account, err)
	}
	return ids, nil
}

func carries(tags props, wanted map[string]string) bool {
	for key, value := range wanted {
		if tags.text(key) != value {
			return false
		}
	}
	return true
}

// saysAll compares text and numbers alone: lists and documents come back from AWS in forms of its own.
func saysAll(state props, inputs map[string]any) bool {
	for name, value := range inputs {
		if number, isNumber := value.(float64); isNumber && state.has(name) && state.number(name) != number {
			return false
		}
		text, isText := value.(string)
		if isText && state.has(name) && state.text(name) != text && !strings.HasPrefix(text, "{") {
			return false
		}
	}
	return true
}
