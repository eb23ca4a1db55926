package kubeconfig

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// CheckEngine returns the refusal of a kubeconfig that pulumi-kubernetes cannot use. It has no terminal for a plugin
// that asks for something. It resolves the relative paths of a file from the folder it runs in, and kubectl from the
// file's folder; the copy of a context of the environment has absolute paths.
func (s Selected) CheckEngine() error {
	user := s.config.AuthInfos[s.config.Contexts[s.Context].AuthInfo]
	if user != nil && user.Exec != nil && user.Exec.InteractiveMode == clientcmdapi.AlwaysExecInteractiveMode {
		return &failure.Error{
			Reason: failure.Refused,
			Problem: fmt.Sprintf("context %s of %s gets its credentials from %s with interactiveMode: Always, and "+
				"pulumi-kubernetes has no terminal in which that could ask", s.Context, s.source(), user.Exec.Command),
			Remedy: "write interactiveMode: IfAvailable, and log in before; or use a context with other credentials",
		}
	}
	if s.File == "" || len(s.relative) == 0 {
		return nil
	}
	return &failure.Error{
		Reason: failure.Refused,
		Problem: fmt.Sprintf("the kubeconfig %s refers to %s, a relative path, which pulumi-kubernetes does not look for in the folder of the file",
			s.File, strings.Join(s.relative, ", ")),
		Remedy: "write absolute paths into the kubeconfig; or leave file out of the stack's file, and set KUBECONFIG",
	}
}

// Copy is a kubeconfig for one process of the engine. Close it after the process has ended.
type Copy struct {
	// Path is the file, which only its owner can read.
	Path string
	lock *os.File
	// of are the contexts that were copied.
	of []Selected
}

// copies are the names of the files in their folder, and copyName matches those that os.CreateTemp makes of it: no
// other file is removed.
const copies = "*.yaml"

var copyName = regexp.MustCompile(`^\d+\.yaml$`)

// Pin writes a kubeconfig that has the given contexts alone, for KUBECONFIG of an engine: whatever the user's
// kubeconfig selects later, the engine uses these. The first is the current context. Files of credentials are referred
// to, not copied, so that they are read anew. Without contexts, no management cluster can be reached by it. It makes
// the folder dir, and removes the copies in it that processes left behind when they were killed.
func Pin(dir string, contexts ...Selected) (*Copy, error) {
	config := clientcmdapi.NewConfig()
	config.CurrentContext = "unavailable" // an empty kubeconfig would select the service account of a pod
	for i, s := range contexts {
		if i == 0 {
			config.CurrentContext = s.Context
		}
		own := s.config.DeepCopy()
		for name, context := range own.Contexts {
			// Names of clusters and users are unique only within one kubeconfig. Contexts of several may share them.
			config.Clusters[name], config.AuthInfos[name] = own.Clusters[context.Cluster], own.AuthInfos[context.AuthInfo]
			context.Cluster, context.AuthInfo = name, name
			config.Contexts[name] = context
		}
	}
	for name, user := range config.AuthInfos {
		if user == nil {
			config.AuthInfos[name] = clientcmdapi.NewAuthInfo()
		}
	}
	text, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("writing a kubeconfig for the engine: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("finding the folder of the engine's kubeconfig: %w", err)
	}
	if err := errors.Join(atomicfile.MakePrivateDir(dir), RemoveAbandoned(dir)); err != nil {
		return nil, err
	}
	c, err := create(dir)
	if err != nil {
		return nil, err
	}
	if _, err := c.lock.Write(text); err != nil {
		c.Close()
		return nil, fmt.Errorf("writing a kubeconfig for the engine: %w", err)
	}
	c.of = contexts
	return c, nil
}

// create makes an empty copy that is locked while this process runs.
func create(dir string) (*Copy, error) {
	for {
		file, err := os.CreateTemp(dir, copies)
		if err != nil {
			return nil, fmt.Errorf("creating a kubeconfig for the engine: %w", err)
		}
		path := file.Name()
		_ = file.Close()
		lock, err := atomicfile.Lock(path)
		if errors.Is(err, atomicfile.ErrLocked) {
			continue // another process takes the new file for an abandoned one
		}
		if err != nil {
			return nil, fmt.Errorf("creating a kubeconfig for the engine: %w", err)
		}
		locked, err := lock.Stat()
		if current, missing := os.Stat(path); err == nil && missing == nil && os.SameFile(locked, current) {
			return &Copy{Path: path, lock: lock}, nil
		}
		_ = lock.Close()
	}
}

// RemoveAbandoned removes from a folder, which is no link, the copies of processes that have ended.
func RemoveAbandoned(dir string) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // there are none
	}
	paths, err := filepath.Glob(filepath.Join(atomicfile.EscapeGlob(dir), copies))
	if err != nil {
		return fmt.Errorf("looking for abandoned kubeconfigs: %w", err)
	}
	for _, path := range paths {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || !copyName.MatchString(filepath.Base(path)) {
			continue // this program did not make it
		}
		lock, err := atomicfile.Lock(path)
		if err != nil {
			continue // it is in use
		}
		_ = os.Remove(path)
		_ = lock.Close()
	}
	return nil
}

// Environ returns the variable that makes an engine use the copy.
func (c *Copy) Environ() string { return Variable + "=" + c.Path }

// Close removes the copy. Tokens that an auth provider has refreshed in it are kept in the user's kubeconfig: an issuer
// may accept the former ones only once.
func (c *Copy) Close() {
	if now, err := clientcmd.LoadFromFile(c.Path); err == nil {
		for _, s := range c.of {
			before, after := s.provider(), now.AuthInfos[s.Context]
			if before != nil && after != nil && after.AuthProvider != nil &&
				!maps.Equal(before.Config, after.AuthProvider.Config) {
				s.keep(after.AuthProvider.Config)
			}
		}
	}
	_ = os.Remove(c.Path)
	_ = c.lock.Close()
}

// provider returns the auth provider of the context's user, nil without one.
func (s Selected) provider() *clientcmdapi.AuthProviderConfig {
	if user := s.config.AuthInfos[s.config.Contexts[s.Context].AuthInfo]; user != nil {
		return user.AuthProvider
	}
	return nil
}

// keep writes the settings of the user's auth provider to the file that they were read from, unless those are no longer
// the ones that were read: the user has logged in again. What cannot be written needs another login, which the next
// command says.
func (s Selected) keep(settings map[string]string) {
	name := s.config.Contexts[s.Context].AuthInfo
	now, err := s.rules.GetStartingConfig()
	if err != nil || now.AuthInfos[name] == nil || now.AuthInfos[name].AuthProvider == nil ||
		!maps.Equal(now.AuthInfos[name].AuthProvider.Config, s.provider().Config) {
		return
	}
	_ = clientcmd.PersisterForUser(s.rules, name).Persist(settings)
}
