package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/cmd/features"
	"github.com/hypershift-aws/hypershift-aws/internal/cli"
	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// runListed runs the CLI with the program that program.yaml describes, in the world that is served.
func runListed(args []string) int {
	port, err := os.ReadFile(filepath.Join(os.Getenv("WORLD"), "port"))
	if err != nil {
		return failed(err)
	}
	streams := invocation.System()
	streams.Environ = streams.Environ.With("PULUMI_DEBUG_PROVIDERS", "aws:"+string(port))
	_ = os.WriteFile(filepath.Join(os.Getenv("WORK"), "pid"), fmt.Append(nil, os.Getpid()), 0o644)
	streams.Err = markStopping{streams.Err, filepath.Join(os.Getenv("WORK"), "said-stopping")}
	program := listedProgram(filepath.Join(os.Getenv("WORK"), "program.yaml"))
	code := recordSuggestions(streams, args, func(s invocation.Streams, args []string) int {
		return cli.RunProgram(s, features.All(), func(stacks.Options) pulumi.RunFunc { return program }, args)
	})
	_ = os.WriteFile(filepath.Join(os.Getenv("WORK"), "status"), fmt.Append(nil, code), 0o644)
	return code
}

// markStopping makes a file when the program says that it stops, for sessions to wait for.
type markStopping struct {
	io.Writer
	path string
}

func (m markStopping) Write(text []byte) (int, error) {
	n, err := m.Writer.Write(text)
	if strings.HasPrefix(string(text), "stopping") {
		_ = os.WriteFile(m.path, nil, 0o644)
	}
	return n, err
}

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
