package main

import (
	_ "embed"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed examples.yaml
var examplePrograms []byte

// readExamples returns an example of each component, in the form that registries read in a description, by the component's token without the
// package's name. Source: Pulumi's documentation of package schemas, "Examples".
func readExamples() (map[string]string, error) {
	var programs map[string]yaml.Node
	if err := yaml.Unmarshal(examplePrograms, &programs); err != nil {
		return nil, fmt.Errorf("reading examples.yaml: %w", err)
	}
	examples := map[string]string{}
	for token, program := range programs {
		var text strings.Builder
		encoder := yaml.NewEncoder(&text)
		encoder.SetIndent(2)
		if err := encoder.Encode(&program); err != nil {
			return nil, fmt.Errorf("writing the example of %s: %w", token, err)
		}
		examples[token] = "\n\n{{% examples %}}\n## Example Usage\n{{% example %}}\n```yaml\n" + text.String() + "```\n{{% /example %}}\n{{% /examples %}}\n"
	}
	return examples, nil
}
