package event_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/event"
)

// A program switches on the types of the events that it receives; there are no others than those of this package and of
// package automation.
func Example() {
	for _, received := range []event.Event{&event.Note{Message: "reading the state"}, &event.Summary{
		Operation: "up",
		Result:    "succeeded",
	}} {
		switch e := received.(type) {
		case *event.Note:
			fmt.Println("note:", e.Message)
		case *event.Summary:
			fmt.Println(e.Operation, e.Result)
		}
	}
	// Output:
	// note: reading the state
	// up succeeded
}
