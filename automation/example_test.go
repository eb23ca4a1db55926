package automation_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/components/iam"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// exampleProject returns an offline project with the file of stack dev in a temporary folder.
func exampleProject() (project *automation.Project, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	if project, err = openOffline(dir, nil); err != nil {
		panic(err)
	}
	return project, func() { project.Close(); _ = os.RemoveAll(dir) }
}

// A stack needs no file: what one would contain is given as a value.
func ExampleProject_NewStack() {
	project, remove := exampleProject()
	defer remove()
	stack, err := project.NewStack("demo", config.Content{
		Account: config.Account{Region: "us-east-1"},
		Section: &config.Cluster{
			Cluster: hypershift.Cluster{Name: "demo", InfraID: "demo-x2"}, BaseDomain: "example.com",
			OIDC: config.OIDC{
				OIDCProviderArgs: iam.OIDCProviderArgs{
					BucketName:   pulumi.String("demo-oidc"),
					BucketRegion: pulumi.String("us-east-1"),
				},
			},
		},
	})
	if err != nil { // the faults of the value, with their paths
		panic(err)
	}
	result, err := stack.Preview(context.Background(), automation.PreviewOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Plan.Counts().Created > 0)
	// Output: true
}

// A plan is looked at before anything is created; gates that would refuse it are in the result.
func ExampleStack_Preview() {
	project, remove := exampleProject()
	defer remove()
	result, err := project.Stack("dev").Preview(context.Background(), automation.PreviewOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Plan.Counts().Created > 0, len(result.Refusals))
	// Output: true 0
}

// The person who decides is a function: here it approves plans that delete nothing.
func ExampleStack_Up() {
	project, remove := exampleProject()
	defer remove()
	result, err := project.Stack("dev").Up(context.Background(), automation.UpOptions{
		Decide: func(_ context.Context, q automation.Question) (bool, error) { return q.Plan.Counts().Deleted == 0, nil },
	})
	if err != nil {
		panic(err)
	}
	outputs, err := project.Stack("dev").Outputs(context.Background(), false)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Updated, outputs["kind"])
	// Output: true cluster
}

// Events are read in a loop while the stack is deleted.
func ExampleStack_Destroy() {
	project, remove := exampleProject()
	defer remove()
	ctx := context.Background()
	if _, err := project.Stack("dev").Up(ctx, automation.UpOptions{Decide: automation.Approve}); err != nil {
		panic(err)
	}
	deleted := 0
	destroy := func(s *automation.Stack) error {
		_, err := s.Destroy(ctx, automation.DestroyOptions{Decide: automation.Approve})
		return err
	}
	for event, err := range project.Stack("dev").Watch(destroy) {
		if err != nil {
			panic(err)
		}
		if e, ok := event.(*automation.SummaryEvent); ok {
			deleted = e.Deleted
		}
	}
	fmt.Println(deleted > 0)
	// Output: true
}

// What was changed outside the stack is read in AWS; nothing is changed.
func ExampleStack_Drift() {
	project, remove := exampleProject()
	defer remove()
	ctx := context.Background()
	if _, err := project.Stack("dev").Up(ctx, automation.UpOptions{Decide: automation.Approve}); err != nil {
		panic(err)
	}
	result, err := project.Stack("dev").Drift(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(result.Drift))
	// Output: 0
}
