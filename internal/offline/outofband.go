package offline

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
)

// deleteOutOfBand deletes resources, each named by its ID or its tag Name, without the engine's knowledge. It fails if no resource has the
// name.
func deleteOutOfBand(dir string, names []string, tell func(sentence string)) error {
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
					return fmt.Errorf("deleting %s out of band: %w", name, err)
				}
				found = true
				tell(fmt.Sprintf("deleted %s %s (%s) out of band", resource.Type, name, resource.ID))
			}
		}
		if !found {
			return fmt.Errorf("deleted: no offline account under %s has a resource whose ID or tag Name is %q", dir, name)
		}
	}
	return nil
}

func nameTag(resource aws.Resource) string {
	tags, _ := resource.Properties["tags"].(map[string]any)
	name, _ := tags["Name"].(string)
	return name
}
