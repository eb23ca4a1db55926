package kubernetes

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// Conditions are the conditions in an object's status.
type Conditions struct{ Status props.Map }

// ConditionsOf returns an object's conditions. They can be read from any object, and set after StatusOf has been
// called.
func ConditionsOf(object props.Map) Conditions { return Conditions{object.Object("status")} }

// StatusOf returns an object's status, created if there is none.
func StatusOf(object props.Map) props.Map {
	status := object.Object("status")
	if status == nil {
		status = props.Map{}
		object["status"] = map[string]any(status)
	}
	return status
}

// Find returns the condition of a type, or nil if there is none.
func (c Conditions) Find(name string) props.Map {
	for _, condition := range c.Status.Objects("conditions") {
		if condition.String("type") == name {
			return condition
		}
	}
	return nil
}

// Is reports whether a condition is true.
func (c Conditions) Is(name string) bool { return c.Find(name).String("status") == "True" }

// Condition is a condition that an operator sets.
type Condition struct {
	Name, Status, Reason, Message string
}

// Set sets a condition in the object's status. Its transition time is when the status changed.
func (c Conditions) Set(generation float64, said Condition) {
	found := c.Find(said.Name)
	if found == nil {
		found = props.Map{"type": said.Name}
		all, _ := c.Status["conditions"].([]any)
		c.Status["conditions"] = append(all, map[string]any(found))
	}
	if found.String("status") != said.Status {
		found["lastTransitionTime"] = ids.Timestamp()
	}
	found["status"], found["reason"], found["message"] = said.Status, said.Reason, said.Message
	found["observedGeneration"] = generation
}

// AsExpectedMessage is HyperShift's message of a condition that is as expected.
const AsExpectedMessage = "All is well"

// Met returns a condition with status True.
func Met(name string) Condition { return Condition{name, "True", "AsExpected", AsExpectedMessage} }
