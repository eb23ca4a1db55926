package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/automation"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/kind"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
	"github.com/hypershift-aws/hypershift-aws/stacks/documents"
)

// outputsOptions are the flags of outputs.
type outputsOptions struct {
	format           string
	showSecrets, all bool
}

func outputsCommand(c *invocation.Invocation) *cobra.Command {
	var options outputsOptions
	cmd := &cobra.Command{
		Use:     "outputs [NAME]",
		GroupID: invocation.InspectAStack,
		Short:   "Print the stack's outputs, or one of them",
		Long: `Prints the stack's outputs that have a value, one per line, or only the value of the named one. A command line such as installArgs is
printed for a shell.

--format infra-json, iam-json and operator-roles-json print what HyperShift's CLI reads:
hypershift create cluster aws with --infra-json and --iam-json, and hypershift install with --aws-operator-roles-file.`,
		Example: `  hypershift-aws outputs -s dev
  hypershift-aws outputs -s dev vpcID
  hypershift-aws outputs -s dev --format infra-json > infra.json`,
		ValidArgsFunction: c.StackNames(outputNames).Complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runOutputs(cmd.Context(), c, strings.Join(args, ""), options)
		},
	}
	cmd.Flags().StringVar(&options.format, "format", "",
		"the `format` of HyperShift's CLI: infra-json, iam-json or operator-roles-json")
	cmd.Flags().BoolVar(&options.showSecrets, "show-secrets", false, "print secret values")
	cmd.Flags().BoolVar(&options.all, "all", false, "also print outputs without a value")
	invocation.CompleteFlag(cmd, "format", invocation.Fixed(slices.Sorted(maps.Keys(outputFormats()))...))
	return cmd
}

func runOutputs(ctx context.Context, c *invocation.Invocation, name string, options outputsOptions) error {
	if name != "" && options.format != "" {
		return invocation.Refuse("outputs %s --format %s: use a name or a format, not both", name, options.format)
	}
	format, known := outputFormats()[options.format]
	if options.format != "" && !known {
		return invocation.Refuse("--format %s: unknown format; use infra-json, iam-json or operator-roles-json",
			options.format)
	}
	stack, err := c.Automation(nil)
	if err != nil {
		return err
	}
	values, err := stack.Outputs(ctx, options.showSecrets)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return &failure.Error{
			Reason:  failure.Failed,
			Problem: fmt.Sprintf("stack %s has no outputs: it is not deployed", stack.Name),
			Remedy:  fmt.Sprintf("run `hypershift-aws up -s %s`", stack.Name),
		}
	}
	switch {
	case known:
		kindName, _ := values["kind"].(string)
		if format.output == operatorRoles && values[operatorRoles] == nil &&
			!kind.ByName(config.Kind(kindName)).HostsControlPlanes {
			return &failure.Error{Reason: failure.Failed,
				Problem: fmt.Sprintf("stack %s is of kind %s, which has no roles of HyperShift's operator", stack.Name, kindName),
				Remedy:  "use a stack of kind management"}
		}
		if err := kind.RefuseWithoutHostedCluster(stack.Name, config.Kind(kindName)); err != nil &&
			values[format.output] == nil && format.output != operatorRoles {
			return err
		}
		return printOutput(c, values, format.output, format.form)
	case name != "":
		return printOne(c, values, name)
	case c.JSON != nil:
		return c.WriteDocument(values)
	}
	c.Document() // values are to be copied
	for _, key := range slices.Sorted(maps.Keys(values)) {
		text, err := bare(values[key])
		if err != nil {
			return err
		}
		if isEmpty(values[key]) && !options.all {
			continue
		}
		fmt.Fprint(c.Streams.Out, report.Sentence("%s %s\n", key, text))
	}
	return nil
}

// outputFormat is an output and the struct with HyperShift's keys for it.
type outputFormat struct {
	output string
	form   any
}

// operatorRoles is the output that management stacks have.
const operatorRoles = "operatorRoles"

func outputFormats() map[string]outputFormat {
	return map[string]outputFormat{
		"infra-json":          {"infra", &documents.Infra{}},
		"iam-json":            {"iam", &documents.IAM{}},
		"operator-roles-json": {operatorRoles, &documents.OperatorRoles{}},
	}
}

// printOutput prints an output in the form of HyperShift's own JSON: its keys, in its order.
func printOutput(c *invocation.Invocation, values map[string]any, name string, form any) error {
	value, ok := values[name]
	if !ok {
		return noOutput(values, name)
	}
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, form)
	}
	if err != nil {
		return fmt.Errorf("the output %s does not have the form that HyperShift expects: %w", name, err)
	}
	pretty, err := json.MarshalIndent(form, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the output %s: %w", name, err)
	}
	c.Document()
	fmt.Fprintf(c.Streams.Out, "%s\n", pretty)
	return nil
}

func printOne(c *invocation.Invocation, values map[string]any, name string) error {
	value, ok := values[name]
	if !ok {
		return noOutput(values, name)
	}
	if c.JSON != nil {
		return c.WriteDocument(value)
	}
	text, err := bare(value)
	if err != nil {
		return err
	}
	c.Document() // such as installArgs, which is a command line
	fmt.Fprintln(c.Streams.Out, text)
	return nil
}

func noOutput(values map[string]any, name string) error {
	return &failure.Error{
		Reason:  failure.Failed,
		Problem: fmt.Sprintf("the stack has no output %s", name),
		Remedy:  "it has " + strings.Join(slices.Sorted(maps.Keys(values)), ", "),
	}
}

// isEmpty reports whether an output has no value, or only parts without one.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, part := range v {
			if !isEmpty(part) {
				return false
			}
		}
		return true
	}
	return false
}

// bare returns a value for a shell: a string as it is, a command line with quotes where they are needed, any other
// value as JSON.
func bare(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	if words, ok := value.([]any); ok && len(words) > 0 && words[0] == "hypershift" {
		var line []string
		for _, word := range words {
			line = append(line, invocation.Quote(fmt.Sprint(word)))
		}
		return strings.Join(line, " "), nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("writing an output: %w", err)
	}
	return string(text), nil
}

// outputNames returns the outputs in the stack's state.
func outputNames(ctx context.Context, stack *automation.Stack) ([]string, error) {
	outputs, err := stack.Outputs(ctx, false)
	return slices.Sorted(maps.Keys(outputs)), err
}
