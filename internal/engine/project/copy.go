package project

import (
	"fmt"
	"path/filepath"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// CopyInto returns the project with its stacks' files, and with dir as the folder for everything that is written.
func (p *Project) CopyInto(dir string) (*Project, error) {
	settings := workspace.Project{Name: tokens.PackageName(p.Name())}
	if p.settings != nil {
		settings = *p.settings
	}
	files, err := filepath.Rel(dir, p.StackDir())
	if err != nil {
		return nil, fmt.Errorf("finding the relative path from %s to %s: %w", dir, p.StackDir(), err)
	}
	settings.StackConfigDir = files
	return &Project{Dir: dir, settings: &settings}, nil
}
