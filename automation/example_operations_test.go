package automation_test

import (
	"context"
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

// deployed returns an offline project whose stack dev was deployed.
func deployed() (stack *automation.Stack, remove func()) {
	project, remove := exampleProject()
	stack = project.Stack("dev")
	if _, err := stack.Up(context.Background(), automation.UpOptions{Decide: automation.Approve}); err != nil {
		panic(err)
	}
	return stack, remove
}

// The policies for a user who runs the stack are derived from its file: AWS is not called.
func ExampleStack_Permissions() {
	project, remove := exampleProject()
	defer remove()
	policies, err := project.Stack("dev").Permissions(context.Background(), automation.PermissionsOptions{Part: "network"})
	if err != nil {
		panic(err)
	}
	for _, p := range policies {
		fmt.Println(p.Document.Statement[0].Effect, len(p.Document.JSON()) <= 6144)
	}
	// Output: Allow true
}

// What AWS would refuse is known before anything is created.
func ExampleStack_Preflight() {
	project, remove := exampleProject()
	defer remove()
	found, err := project.Stack("dev").Preflight(context.Background())
	if err != nil {
		panic(err)
	}
	fails := 0
	for _, finding := range found {
		if finding.Severity == "error" {
			fails++
		}
	}
	fmt.Println(len(found) > 10, fails)
	// Output: true 0
}

// A refresh writes what AWS has to the state, and returns the differences.
func ExampleStack_Refresh() {
	stack, remove := deployed()
	defer remove()
	changes, err := stack.Refresh(context.Background(), automation.RefreshOptions{ExpectNoChanges: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(changes.HasChanges)
	// Output: false
}

// The paths of traffic are checked in the stack's state.
func ExampleStack_Paths() {
	stack, remove := deployed()
	defer remove()
	paths, err := stack.Paths(context.Background(), automation.PathsOptions{})
	if err != nil {
		panic(err)
	}
	for _, path := range paths {
		if path.Absent == "" && path.Broken() != nil {
			fmt.Println(path.Name, "is broken")
		}
	}
	fmt.Println(len(paths) > 0)
	// Output: true
}

// After an interrupted operation, Recover adds what it created to the state; here nothing was interrupted.
func ExampleStack_Repair() {
	stack, remove := deployed()
	defer remove()
	found, err := stack.Repair(context.Background(), automation.RepairOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(found))
	// Output: 0
}

// A stack that is released continues to exist in AWS, and is adopted by its infra ID.
func ExampleStack_Adopt() {
	stack, remove := deployed()
	defer remove()
	ctx := context.Background()
	byName := func(_ context.Context, q automation.Question) (bool, error) { return q.Name == "dev", nil }
	released, err := stack.Forget(ctx, automation.ForgetOptions{Decide: byName})
	if err != nil {
		panic(err)
	}
	review, err := stack.Adopt(ctx, automation.AdoptOptions{Decide: automation.Approve})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(released) > 20, len(review.Of("create")))
	// Output: true 0
}

// Every cluster with tagged resources in the account is listed; nothing is deleted.
func ExampleStack_Sweep() {
	stack, remove := deployed()
	defer remove()
	result, err := stack.Sweep(context.Background(), automation.SweepOptions{All: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(result.Plans))
	// Output: 1
}
