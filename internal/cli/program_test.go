package cli

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"
)

// listedProgram returns a Pulumi program that registers what a file lists, in order. An input "@NAME" is the ID of
// an earlier resource.
func listedProgram(path string) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var file struct {
			Fail      string
			Resources []struct {
				Type, Name string
				Inputs     map[string]string
			}
			Outputs map[string]any
			Secrets map[string]string
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			return err
		}
		if file.Fail != "" {
			return fmt.Errorf("%s", file.Fail)
		}
		made := map[string]*pulumi.CustomResourceState{}
		for _, r := range file.Resources {
			inputs := pulumi.Map{}
			for key, value := range r.Inputs {
				inputs[key] = pulumi.String(value)
				if value[0] == '@' {
					inputs[key] = made[value[1:]].ID()
				}
			}
			resource := &pulumi.CustomResourceState{}
			if err := ctx.RegisterResource(r.Type, r.Name, inputs, resource); err != nil {
				return err
			}
			made[r.Name] = resource
		}
		for name, value := range file.Outputs {
			ctx.Export(name, pulumi.ToOutput(value))
		}
		for name, value := range file.Secrets {
			ctx.Export(name, pulumi.ToSecret(pulumi.String(value)))
		}
		return nil
	}
}
