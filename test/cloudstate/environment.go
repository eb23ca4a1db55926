package cloudstate

import (
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	projects "github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// Environment is an environment in memory with its states in a bucket.
type Environment struct {
	workspace.Environment
	// Process is the environment of the process, which leads to the bucket.
	Process engine.Environ
	// Journals is the project whose working folders are used.
	Journals *projects.Project
}

// Backend implements workspace.Environment.
func (e Environment) Backend() engine.Backend {
	return engine.Backend{URL: e.Process.Get("PULUMI_BACKEND_URL")}
}

// MakeWorkDir implements workspace.Environment.
func (e Environment) MakeWorkDir(stack string) (projects.WorkDir, error) {
	return e.Journals.MakeOfflineWorkDir(stack)
}

// Environ implements workspace.Environment.
func (e Environment) Environ() engine.Environ {
	environ := e.Environment.Environ()
	for _, name := range []string{"PULUMI_BACKEND_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		"AWS_ENDPOINT_URL_KMS"} {
		if value := e.Process.Get(name); value != "" {
			environ = environ.With(name, value)
		}
	}
	return environ
}
