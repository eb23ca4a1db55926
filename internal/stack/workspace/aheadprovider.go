package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awsconfig"
	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/provider"
	"github.com/hypershift-aws/hypershift-aws/internal/stack/identity"
	"github.com/hypershift-aws/hypershift-aws/internal/value/trace"
	"github.com/hypershift-aws/hypershift-aws/internal/value/untyped"
)

// aheadProvider is the AWS provider that is started ahead of the engine.
type aheadProvider struct {
	once  sync.Once
	ahead *provider.Ahead
	// version is the one that the program asks for, "" if it is not known.
	version string
	// reason is why the engine starts it itself.
	reason error
}

// StartAhead begins to start the AWS provider for the engine that runs next. The engine attaches to one process per
// package, whatever the configuration of a provider: so there is one only for a stack with one AWS provider, whose
// configuration and version do not change.
func (p *Providers) StartAhead(ctx context.Context) {
	p.ahead.once.Do(func() {
		p.ahead.version = strings.TrimPrefix(provider.SDKVersion("aws"), "v")
		p.ahead.reason = p.openAhead(ctx)
	})
	if p.ahead.reason == nil {
		p.ahead.ahead.Begin()
	}
}

// Attached returns the provider that an engine with these arguments attaches to, with the addition to its environment;
// nil if it starts its own.
func (p *Providers) Attached(ctx context.Context, args []string) (used *provider.Process, environ []string) {
	starts := []string{"up", "preview", "refresh", "destroy"}
	if !slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(starts, arg) }) {
		return nil, nil
	}
	err := p.ahead.reason
	switch {
	case err == nil && p.ahead.ahead == nil:
		err = errors.New("this operation starts none")
	case err == nil:
		if err = p.mayAttach(); err == nil {
			used, err = p.ahead.ahead.Started()
		}
	}
	trace.Of(ctx).DebugContext(ctx, "AWS provider", "started ahead", used != nil, "reason", err)
	if used == nil {
		return nil, nil
	}
	entry := fmt.Sprintf("aws:%d", used.Port)
	if others := p.stack.Command.Environ.Get(engine.ProvidersVariable); others != "" {
		entry = others + "," + entry
	}
	return used, []string{engine.ProvidersVariable + "=" + entry}
}

// close ends what the providers have opened.
func (p *Providers) close() {
	if p.ahead.ahead != nil {
		p.ahead.ahead.Close()
	}
	if p.Opened != nil {
		_ = p.Opened.Close()
	}
}

// openAhead prepares the start of providers. It fails if the engine has to start them itself.
func (p *Providers) openAhead(ctx context.Context) error {
	if err := p.mayStart(); err != nil {
		return err
	}
	command, dir := p.stack.Command, p.stack.EngineDir()
	path, err := provider.Find(ctx, command.Engine, command.Environ, dir, "aws", p.ahead.version)
	if err != nil {
		return err
	}
	var settings map[string]any
	if p.stack.File != nil {
		settings = p.stack.File.NamedProviderSettings()[""]
	}
	p.ahead.ahead = &provider.Ahead{
		Path: path, Dir: dir, Environ: command.ProcessEnviron(),
		Credentials: func() string { return credentialFiles(command.Environ, settings) },
	}
	return p.mayAttach()
}

// mayStart returns why only the engine can start the stack's provider as it is needed, nil if this program can, too.
func (p *Providers) mayStart() error {
	session := p.stack.Session
	if err := provider.Supported(); err != nil {
		return err
	}
	if session.Environment.Label() != "" {
		return errors.New("the accounts are in memory")
	}
	if !session.Environment.KnowsAccounts() {
		return fmt.Errorf("%s attaches an aws provider", engine.ProvidersVariable)
	}
	if session.Program != nil {
		return errors.New("the stack has a program of its own, which may have other providers")
	}
	own, err := session.Project.AWSConfig(p.stack.Name)
	switch {
	case err != nil:
		return err
	case own.Environment:
		return errors.New("the stack's file names environments, which only the engine can open")
	case own.Secret:
		return errors.New("the provider's configuration has secrets, which only the engine can read")
	}
	for _, option := range []string{"LOGFLOW", "TRACING", "PROFILING"} { // the engine tells its plugins
		if session.Environ.Get("PULUMI_OPTION_"+option) != "" {
			return fmt.Errorf("PULUMI_OPTION_%s is for plugins, too", option)
		}
	}
	return nil
}

// mayAttach returns why a process is not enough for the stack's AWS providers, nil if they are one, whose configuration
// and version in the state are those of the file.
func (p *Providers) mayAttach() error {
	var given map[string]any
	if p.stack.File != nil {
		all := p.stack.File.ProviderSettings()
		if len(all) > 1 {
			return errors.New("the stack's file has several AWS providers")
		}
		given = all[0].Values
	}
	state := p.stack.LastState()
	if state == nil {
		return errors.New("the state is not read")
	}
	found := 0
	for _, r := range state.Resources {
		if r.Type != "pulumi:providers:aws" {
			continue
		}
		if found++; found > 1 || !identity.IsOwnProvider(string(r.URN)) {
			return errors.New("the state has several AWS providers")
		}
		if recorded, _ := r.Inputs["version"].(string); recorded != p.ahead.version {
			return fmt.Errorf("the state's AWS provider has version %s, and the program's %s", recorded, p.ahead.version)
		}
		if awsconfig.Encrypted(r.Inputs) {
			return errors.New("the provider's configuration in the state has secrets")
		}
		if given != nil && !sameSettings(r.Inputs, given, p.stack.Command.Environ) {
			return errors.New("the provider's configuration in the state is another one than in the file")
		}
	}
	if p.ahead.version == "" || given["version"] != nil || given["pluginDownloadURL"] != nil {
		return errors.New("the provider's version is not that of the program")
	}
	return nil
}

// sameSettings reports whether the settings of a provider in a state are those of a file, with what the provider adds
// to them. It errs by false.
func sameSettings(recorded, given map[string]any, environ engine.Environ) bool {
	expected := map[string]any{
		"skipCredentialsValidation": false, "skipMetadataApiCheck": true, "skipRegionValidation": true,
	}
	for _, name := range []string{"AWS_DEFAULT_REGION", "AWS_REGION"} { // the last one counts
		if region := environ.Get(name); region != "" {
			expected["region"] = region
		}
	}
	for key, value := range given {
		expected[key] = value
	}
	expected["__internal"] = map[string]any{} // the engine's, such as checksums of the plugin
	for key, value := range recorded {
		if key != "version" && !reflect.DeepEqual(plain(value), plain(expected[key])) {
			return false
		}
	}
	for key := range given {
		if recorded[key] == nil {
			return false
		}
	}
	return true
}

// plain returns a setting without the form that it has in a state or in a file: JSON as text, and types of numbers.
func plain(value any) any {
	if text, is := value.(string); is {
		var decoded any
		if json.Unmarshal([]byte(text), &decoded) == nil {
			return decoded
		}
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return value
	}
	var decoded any
	if json.Unmarshal(text, &decoded) != nil {
		return value
	}
	return decoded
}

// credentialFiles identifies the content of the files that have credentials: of the AWS CLI, of tokens, and those that
// the provider's settings name.
func credentialFiles(environ engine.Environ, settings map[string]any) string {
	folder := filepath.Join(environ.Get("HOME"), ".aws")
	files := []string{filepath.Join(folder, "credentials"), filepath.Join(folder, "config")}
	for _, name := range []string{
		"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
	} {
		files = append(files, environ.Get(name))
	}
	for _, cache := range []string{"sso", "cli"} {
		cached, _ := filepath.Glob(filepath.Join(folder, cache, "cache", "*")) // the pattern is right
		files = append(files, cached...)
	}
	untyped.Contains(settings, func(value any) bool {
		if text, is := value.(string); is {
			files = append(files, text)
		}
		return false
	})
	slices.Sort(files)
	var found strings.Builder
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			fmt.Fprintf(&found, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return found.String()
}
