package report

import (
	"time"

	"github.com/hypershift-aws/hypershift-aws/internal/estimate"
)

// Label returns the name of an event's resource in messages: "NAT gateway demo-nat-us-east-1a".
func Label(e *ResourceEvent) string { return TypeName(e.ResourceType) + " " + e.Name }

// verb is an operation in words.
type verb struct{ Present, past string }

// VerbOf returns the verb for an engine's operation or the result of a refresh.
func VerbOf(op string) verb {
	switch op {
	case "create":
		return verb{"creating", "created"}
	case "update":
		return verb{"updating", "updated"}
	case "delete":
		return verb{"deleting", "deleted"}
	case "replace", "create-replacement":
		return verb{"replacing", "replaced"}
	case "delete-replaced":
		return verb{"deleting the old", "deleted the old"}
	case OpKept:
		return verb{"leaving in place", "left in place the old"}
	case OpChanged:
		return verb{"refreshing", "changed outside the stack:"}
	case OpGone:
		return verb{"refreshing", "missing:"}
	case "refresh":
		return verb{"refreshing", "refreshed"}
	case "import", "import-replacement":
		return verb{"importing", "imported"}
	case "read", "read-replacement":
		return verb{"reading", "read"}
	}
	return verb{op, op}
}

// usually returns how long AWS takes to create a resource of a slow type.
func usually(e *ResourceEvent) string {
	if e.Op != "create" && e.Op != "create-replacement" {
		return ""
	}
	seconds := estimate.Typical(estimate.Create, e.ResourceType)
	if seconds < 10 {
		return ""
	}
	return "; usually about " + duration(time.Duration(seconds)*time.Second)
}

// Estimated returns the operation of an event whose time is estimated, or "" for none.
func (e *ResourceEvent) Estimated() estimate.Op {
	switch e.Op {
	case "create", "create-replacement":
		return estimate.Create
	case "import", "import-replacement":
		return estimate.Import
	case "update":
		return estimate.Update
	case "delete", "delete-replaced":
		return estimate.Delete
	}
	return ""
}

// duration formats a duration, rounded to seconds from one second on.
func duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
