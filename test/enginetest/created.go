package enginetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing/fstest"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
)

// creations are the files that `pulumi stack init` writes, by project: all of one project's stacks begin with the same.
var creations = struct {
	sync.Mutex
	files map[string]fstest.MapFS
}{files: map[string]fstest.MapFS{}}

// created returns a new stack. The engine creates the first of each project; the others get a copy of its files,
// which starts an engine less per stack.
func (s *Stack) created(project string) (auto.Stack, error) {
	creations.Lock()
	defer creations.Unlock()
	workspace := quietWorkspace{s.workspace}
	if s.backend != s.dir {
		return auto.NewStack(s.t.Context(), StackName, workspace)
	}
	if files, exist := creations.files[project]; exist {
		if err := os.CopyFS(s.dir, files); err != nil {
			return auto.Stack{}, err
		}
		return auto.SelectStack(s.t.Context(), StackName, workspace)
	}
	stack, err := auto.NewStack(s.t.Context(), StackName, workspace)
	if err != nil {
		return auto.Stack{}, err
	}
	creations.files[project], err = s.creation()
	return stack, err
}

// creation reads the files of the backend and of the stack's config.
func (s *Stack) creation() (fstest.MapFS, error) {
	files := fstest.MapFS{}
	for _, part := range []string{".pulumi", filepath.Join("project", "Pulumi."+StackName+".yaml")} {
		err := filepath.WalkDir(filepath.Join(s.dir, part), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(s.dir, path)
			if err != nil {
				return err
			}
			text, err := os.ReadFile(path)
			files[filepath.ToSlash(name)] = &fstest.MapFile{Data: text, Mode: 0o600}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
