package offline

// conditions are those of an object's status.
type conditions struct{ status props }

// conditionsOf are an object's. They can be read of any object, and set where statusOf has been called.
func conditionsOf(object props) conditions { return conditions{object.object("status")} }

// statusOf is an object's status, made where there is none.
func statusOf(object props) props {
	status := object.object("status")
	if status == nil {
		status = props{}
		object["status"] = map[string]any(status)
	}
	return status
}

func (c conditions) find(name string) props {
	for _, condition := range c.status.objects("conditions") {
		if condition.text("type") == name {
			return condition
		}
	}
	return nil
}

// is says whether a condition is true.
func (c conditions) is(name string) bool { return c.find(name).text("status") == "True" }

// condition is what an operator says of an object.
type condition struct {
	name, status, reason, message string
}

// set says it in the object's status. Its time is when the status changed.
func (c conditions) set(generation float64, said condition) {
	found := c.find(said.name)
	if found == nil {
		found = props{"type": said.name}
		all, _ := c.status["conditions"].([]any)
		c.status["conditions"] = append(all, map[string]any(found))
	}
	if found.text("status") != said.status {
		found["lastTransitionTime"] = now()
	}
	found["status"], found["reason"], found["message"] = said.status, said.reason, said.message
	found["observedGeneration"] = generation
}

// allIsWell is HyperShift's message of a condition that is as it should be.
const allIsWell = "All is well"

func well(name string) condition { return condition{name, "True", "AsExpected", allIsWell} }
