package automation_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/automation"
)

// A plan is shown as the CLI shows it, on a terminal of your program or as a comment on a pull request.
func ExamplePreviewResult_Text() {
	project, remove := exampleProject()
	defer remove()
	result, err := project.Stack("dev").Preview(context.Background(), automation.PreviewOptions{})
	if err != nil {
		panic(err)
	}
	first, _, _ := strings.Cut(result.Text(false), "\n")
	fmt.Println(first)
	title, _, _ := strings.Cut(result.Markdown(), "\n")
	fmt.Println(title)
	// Output:
	// plan for dev:
	// ### hypershift-aws: stack `dev` (offline)
}
