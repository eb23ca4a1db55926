package automation

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/report"
)

// InstallPlugins installs the provider plugins that this program's stacks run with, so that many stacks that start at once do not each
// install them. It does nothing offline, and if the environment disables or attaches plugins. A plugin that cannot be installed is reported
// as a warning: it may be on PATH.
func (s *Session) InstallPlugins(ctx context.Context, kubernetes bool) error {
	environ := s.Environ
	if s.Offline || environ.Get("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION") == "true" || attachesAWS(environ.Get("PULUMI_DEBUG_PROVIDERS")) {
		return nil
	}
	stack := s.stack("", nil)
	var err error
	if stack.workDir, err = s.listWorkDir(); err != nil {
		return err
	}
	names := []string{"aws"}
	if kubernetes {
		names = append(names, "kubernetes")
	}
	for _, name := range names {
		version := pluginVersion(name)
		if version == "" {
			continue
		}
		if _, err := stack.run(ctx, "plugin", "install", "resource", name, version); err != nil {
			s.Report(&report.NoteEvent{Message: fmt.Sprintf("warning: the plugin %s %s cannot be installed: %s", name, version, stack.classify(err))})
		}
	}
	return nil
}

// pluginVersion returns the version of a provider's SDK that this program is built with, or "" where Go has not
// recorded it.
func pluginVersion(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if strings.HasPrefix(module.Path, "github.com/pulumi/pulumi-"+name+"/sdk") {
			return module.Version
		}
	}
	return ""
}
