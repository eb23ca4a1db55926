package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/transit"
	"github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/inmemory"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/plugin"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/programguard"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
	"github.com/hypershift-aws/hypershift-aws/internal/schema/componentplugin"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
)

// OwnProgram is the environment in memory for a Pulumi program of a user, in any language. Close it.
type OwnProgram struct {
	environ engine.Environ
	close   []io.Closer
}

// ServeOwnProgram serves accounts in memory, the components of this project for programs in other languages, and a
// provider of secrets to every engine that is started with Environ. The states are in the folder of the accounts.
func ServeOwnProgram(o inmemory.Options) (p *OwnProgram, err error) {
	p = &OwnProgram{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	accounts, err := inmemory.Serve(o)
	if err != nil {
		return p, err
	}
	p.close = append(p.close, accounts)
	components, err := serveComponents()
	if err != nil {
		return p, err
	}
	p.close = append(p.close, components)
	secrets, err := transit.Serve()
	if err != nil {
		return p, err
	}
	p.close = append(p.close, secrets)

	backend := engine.Backend{URL: engine.FileURL(filepath.Join(o.Dir, "state")), Own: true}
	if err := backend.Make(); err != nil {
		return p, err
	}
	p.environ = inmemory.Environ(environment.OfEngine(o.Environ, backend), o.Dir).
		With(engine.ProvidersVariable, fmt.Sprintf("%s,%s:%d", accounts.Providers(), componentplugin.Package, components.Addr().(*net.TCPAddr).Port))
	for name, value := range secrets.Environ() {
		p.environ = p.environ.With(name, value)
	}
	return p, sharePlugins(o.Environ, p.environ.Get("PULUMI_HOME"))
}

// Environ returns the environment of the program and of its engine: the caller's environment, without credentials and
// logins.
func (p *OwnProgram) Environ() engine.Environ { return p.environ }

// Close stops serving. The accounts and the states remain in their folder.
func (p *OwnProgram) Close() error {
	var errs []error
	for _, one := range p.close {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// sharePlugins lets the engine of a separate home use the plugins of the user's: language hosts, and other providers of
// the program.
func sharePlugins(environ engine.Environ, home string) error {
	users := environ.Get("PULUMI_HOME")
	if users == "" && environ.Get("HOME") != "" {
		users = filepath.Join(environ.Get("HOME"), ".pulumi")
	}
	plugins := filepath.Join(users, "plugins")
	if _, err := os.Stat(plugins); users == "" || err != nil {
		return nil //nolint:nilerr // the user has no plugins
	}
	if err := atomicfile.MakeDir(home); err != nil {
		return fmt.Errorf("creating the engine's home: %w", err)
	}
	if err := os.Symlink(plugins, filepath.Join(home, "plugins")); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("sharing the engine's plugins: %w", err)
	}
	return nil
}

// serveComponents serves the components to any number of engines: each connection has its own server.
func serveComponents() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the engine: %w", err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			components, err := componentplugin.New(nil, programguard.Component)
			if err != nil {
				_ = conn.Close()
				continue
			}
			server := grpc.NewServer()
			pulumirpc.RegisterResourceProviderServer(server, components)
			go func() { _ = server.Serve(plugin.OneConnection(conn)) }()
		}
	}()
	return listener, nil
}
