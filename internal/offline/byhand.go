package offline

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// deleteByHand deletes resources, each named by its ID or its tag Name, behind the engine's back. It fails if nothing has a
// name.
func deleteByHand(dir string, names []string, tell func(sentence string)) error {
	if len(names) == 0 {
		return nil
	}
	accounts, err := Accounts(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		found := false
		for _, account := range accounts {
			for _, resource := range account.Resources() {
				if resource.ID != name && nameTag(resource) != name {
					continue
				}
				if err := account.Remove(resource.ID); err != nil {
					return fmt.Errorf("deleting %s by hand: %w", name, err)
				}
				found = true
				tell(fmt.Sprintf("somebody has deleted %s %s (%s)", resource.Type, name, resource.ID))
			}
		}
		if !found {
			return fmt.Errorf("deleted: no offline account under %s holds a resource whose ID or tag Name is %q", dir, name)
		}
	}
	return nil
}

func nameTag(resource aws.Resource) string {
	tags, _ := resource.Properties["tags"].(map[string]any)
	name, _ := tags["Name"].(string)
	return name
}
