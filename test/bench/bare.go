package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// bare runs "preview" or "up" on a stack of a project as the shortest program by the Automation API would, on the state
// and the account that the CLI has there offline. Like the CLI's, an up begins with a preview.
func bare(args []string) error {
	root, project, stack, operation := args[0], args[1], args[2], args[3]
	dir := filepath.Join(project, ".hypershift-aws", "offline")
	account, err := offline.Serve(offline.Options{
		Dir:   dir,
		Seeds: []offline.Seed{{Kind: offline.SeedPublicZone, Name: "example.com"}},
	})
	if err != nil {
		return err
	}
	defer func() { _ = account.Close() }()
	secrets, err := transit.Serve()
	if err != nil {
		return err
	}
	defer func() { _ = secrets.Close() }()
	env := secrets.Environ()
	maps.Copy(env, map[string]string{
		"PULUMI_BACKEND_URL":                          "file://" + filepath.Join(dir, "state"),
		"PULUMI_DEBUG_PROVIDERS":                      account.Providers(),
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
		"PULUMI_SKIP_UPDATE_CHECK":                    "true",
	})
	command, err := auto.NewPulumiCommand(&auto.PulumiCommandOptions{Root: root})
	if err != nil {
		return err
	}
	ctx := context.Background()
	workspace, err := auto.NewLocalWorkspace(ctx, auto.WorkDir(filepath.Join(dir, "work", stack)),
		auto.Program(stacks.Run), auto.Pulumi(command),
		auto.PulumiHome(filepath.Join(dir, "home")), auto.EnvVars(env))
	if err != nil {
		return err
	}
	s, err := auto.SelectStack(ctx, stack, workspace)
	if err != nil {
		return err
	}
	if _, err := s.Preview(ctx); err != nil {
		return err
	}
	switch operation {
	case "preview":
		return nil
	case "up":
		_, err := s.Up(ctx)
		return err
	}
	return fmt.Errorf("%q is neither preview nor up", operation)
}
