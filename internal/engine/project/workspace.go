package project

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// WorkDir is where one operation on a stack works.
type WorkDir struct {
	// Records is the folder of the stack's own files, such as its journals, which all operations share.
	Records string
	// Engine is the folder in which the engine runs. The operation has it alone: another one on the same stack that begins
	// meanwhile, in this process or another one, would overwrite the file that the engine reads.
	Engine string

	lock *os.File
}

// Close lets another operation have the engine's folder.
func (d WorkDir) Close() {
	if d.lock != nil {
		atomicfile.Unlock(d.lock)
	}
}

// takeWorkDir creates a stack's folder, and finds the first engine's folder there that no operation has: the stack's
// own or, beside other operations, a numbered one in it.
func (p *Project) takeWorkDir(records string) (WorkDir, error) {
	if err := p.MakeOwnDir(); err != nil {
		return WorkDir{}, err
	}
	for dir, n := records, 1; ; dir, n = filepath.Join(records, fmt.Sprint("engine-", n)), n+1 {
		if err := atomicfile.MakeDir(dir); err != nil {
			return WorkDir{}, fmt.Errorf("creating the engine's workspace: %w", err)
		}
		lock, err := atomicfile.Lock(filepath.Join(dir, "engine.lock"))
		if !errors.Is(err, atomicfile.ErrLocked) {
			return WorkDir{Records: records, Engine: dir, lock: lock}, err
		}
	}
}

// MakeWorkDir creates the folder in which the engine runs for one operation on a stack. Each stack has its own, because
// the engine keeps settings beside Pulumi.yaml, which runs of several stacks would overwrite. It refers to the
// project's stack file, so that plain `pulumi` in the project and this program share it. For a stack without a file it
// has one of its own: see WriteStackSettings. A proposed text is in a file of its own too.
func (p *Project) MakeWorkDir(stack string) (WorkDir, error) {
	dir, err := p.takeWorkDir(filepath.Join(p.OwnDir(), "work", stack))
	if err != nil {
		return dir, err
	}
	configDir := ""
	switch file := p.supplied.of(stack); {
	case file.proposed:
		err = atomicfile.WritePrivate(filepath.Join(dir.Engine, config.FileName(stack)), file.text)
	case file.text != nil:
		err = writeSupplied(dir, stack, file.text, nil)
	case p.HasStackFile(stack):
		configDir, err = filepath.Rel(dir.Engine, p.StackDir())
	}
	if err = errors.Join(err, p.WriteWorkDir(dir.Engine, configDir)); err != nil {
		dir.Close()
	}
	return dir, err
}

// MakeOfflineWorkDir creates the folder for an offline run, with a copy of the stack file.
func (p *Project) MakeOfflineWorkDir(stack string) (WorkDir, error) {
	dir, err := p.takeWorkDir(filepath.Join(p.OfflineDir(), "work", stack))
	if err != nil {
		return dir, err
	}
	if err = errors.Join(p.WriteWorkDir(dir.Engine, ""), p.copyStackFile(dir, stack)); err != nil {
		dir.Close()
	}
	return dir, err
}

// copyStackFile copies a stack's file for an offline run, with the keys of the encryption that an earlier copy has.
func (p *Project) copyStackFile(dir WorkDir, stack string) error {
	file := []byte("config: {}\n")
	if p.HasStackFile(stack) {
		var err error
		if file, err = p.ReadStackFile(stack); err != nil {
			return fmt.Errorf("reading the stack's file: %w", err)
		}
	}
	before, err := dir.lastFile(stack)
	if err != nil {
		return fmt.Errorf("reading the offline copy of the stack's file: %w", err)
	}
	offline, err := offlineStackFile(file, before)
	if err != nil {
		return fmt.Errorf("copying %s: %w", p.StackFile(stack), err)
	}
	return atomicfile.Write(filepath.Join(dir.Engine, config.FileName(stack)), offline)
}

// lastFile returns the copy of a stack's file that an earlier operation had in this folder or, beside another
// operation, in the stack's; nil if there is none.
func (d WorkDir) lastFile(stack string) ([]byte, error) {
	for _, dir := range []string{d.Engine, d.Records} {
		text, err := atomicfile.ReadInput(filepath.Join(dir, config.FileName(stack)))
		if err == nil || !os.IsNotExist(err) {
			return text, err
		}
	}
	return nil, nil
}

// HasStackFile reports whether a stack has a file that the engine can read. It need not be valid otherwise.
func (p *Project) HasStackFile(stack string) bool {
	text, err := p.ReadStackFile(stack)
	var content map[string]any
	return err == nil && yaml.Unmarshal(text, &content) == nil && content != nil
}

// writeSupplied writes the file of a stack that has none in the project into its working folder, with the keys of its
// encryption: those of settings, else those that the engine wrote there before.
func writeSupplied(dir WorkDir, stack string, text []byte, settings map[string]string) error {
	var content, before map[string]any
	if err := yaml.Unmarshal(text, &content); err != nil {
		return fmt.Errorf("writing the settings of stack %s: %w", stack, err)
	}
	if old, err := dir.lastFile(stack); err == nil && yaml.Unmarshal(old, &before) != nil {
		before = nil
	}
	for _, key := range secretsKeys() {
		switch {
		case len(settings) > 0:
			delete(content, key)
			if settings[key] != "" {
				content[key] = settings[key]
			}
		case before[key] != nil && content[key] == nil:
			content[key] = before[key]
		}
	}
	written, err := yaml.Marshal(content)
	if err != nil {
		return fmt.Errorf("writing the settings of stack %s: %w", stack, err)
	}
	return atomicfile.WritePrivate(filepath.Join(dir.Engine, config.FileName(stack)), written)
}

// WriteStackSettings writes the stack file in the working folder of a stack that has none in the project: it has the
// keys by which the engine decrypts the secrets of the stack's state, so that the engine creates no new ones.
func (p *Project) WriteStackSettings(dir WorkDir, stack string, settings map[string]string) error {
	if text := p.Supplied(stack); text != nil {
		return writeSupplied(dir, stack, text, settings)
	}
	content, err := yaml.Marshal(settings)
	if err != nil {
		return fmt.Errorf("writing the settings of stack %s: %w", stack, err)
	}
	return atomicfile.WritePrivate(filepath.Join(dir.Engine, config.FileName(stack)), content)
}

// StackFileDigest returns a digest of what a stack's file says, with the content of each file that a value of it names,
// such as a pull secret or a render of manifests; "" if it has no file. Two things that the engine writes when it creates
// the stack do not change it: the keys of the encryption, and the text in place of a boolean or a number of a top-level
// key, "true" for true.
func (p *Project) StackFileDigest(stack string) string {
	text, err := p.ReadStackFile(stack)
	if err != nil {
		return ""
	}
	var content map[string]any
	if yaml.Unmarshal(text, &content) == nil {
		maps.DeleteFunc(content, func(key string, _ any) bool { return slices.Contains(secretsKeys(), key) })
		if values, is := content["config"].(map[string]any); is {
			for key, value := range values {
				switch value.(type) {
				case bool, int, float64:
					values[key] = fmt.Sprint(value)
				}
			}
		}
		named := map[string]string{}
		values, _ := content["config"].(map[string]any)
		for key, value := range values {
			if strings.HasPrefix(key, config.ProjectName+":") {
				p.digestNamed(value, named)
			}
		}
		if same, err := yaml.Marshal([]any{content, named}); err == nil {
			text = same
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// digestNamed adds the digests of the files that a value of a stack's file names, by these names. Files with
// credentials may change: the target has what they lead to.
func (p *Project) digestNamed(value any, named map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if key != "kubeconfig" && key != "accounts" {
				p.digestNamed(inner, named)
			}
		}
	case []any:
		for _, inner := range v {
			p.digestNamed(inner, named)
		}
	case string:
		path, err := atomicfile.Named(p.StackDir(), v)
		if err != nil {
			return
		}
		if text, err := atomicfile.ReadInput(path); err == nil {
			named[v] = fmt.Sprintf("%x", sha256.Sum256(text))
		}
	}
}

// WriteWorkDir writes the Pulumi.yaml of a stack's working folder, whose stack files are in configDir.
func (p *Project) WriteWorkDir(dir, configDir string) error {
	if err := p.MakeOwnDir(); err != nil {
		return err
	}
	if err := atomicfile.MakeDir(dir); err != nil {
		return fmt.Errorf("creating the engine's workspace: %w", err)
	}
	settings := workspace.Project{
		Name:           tokens.PackageName(p.Name()),
		Runtime:        workspace.NewProjectRuntimeInfo("go", nil),
		StackConfigDir: configDir,
	}
	if p.settings != nil {
		settings.Config = p.settings.Config
		settings.RequiredPulumiVersion = p.settings.RequiredPulumiVersion
	}
	content, err := yaml.Marshal(&settings)
	if err != nil {
		return fmt.Errorf("writing the workspace's Pulumi.yaml: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, "Pulumi.yaml"), content)
}

// CopyInto returns the project with its stacks' files, and with dir as the folder for everything that is written. What
// is given to the copy later, the project does not have.
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
	p.supplied.mu.Lock()
	defer p.supplied.mu.Unlock()
	return &Project{Dir: dir, settings: &settings, supplied: &supplied{files: maps.Clone(p.supplied.files)}}, nil
}
