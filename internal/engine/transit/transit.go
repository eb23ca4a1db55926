// Package transit serves the two calls of HashiCorp Vault's transit engine that Pulumi's hashivault secrets provider
// makes. Offline stacks and this project's tests use it as their secrets provider: with a passphrase, every engine
// process would derive a key, which takes most of a second of processor time, and the state of an offline stack
// contains only placeholders to protect.
package transit

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// Provider is the URL of the secrets provider, for `pulumi stack init --secrets-provider`.
const Provider = recorded.OfflineSecretsProvider

// prefix marks the results of Encrypt, as Vault marks its ciphertexts.
const prefix = "vault:v1:"

// Server listens on a loopback port.
type Server struct {
	http     *http.Server
	listener net.Listener
}

// Serve starts a server. Any number of servers may serve the same states, because the server keeps no encryption key.
func Serve() (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the engine's secrets provider: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /v1/transit/encrypt/{key}", answer("plaintext", "ciphertext", func(text string) string {
		return prefix + text
	}))
	mux.HandleFunc("PUT /v1/transit/decrypt/{key}", answer("ciphertext", "plaintext", func(text string) string {
		return strings.TrimPrefix(text, prefix)
	}))
	s := &Server{http: &http.Server{Handler: mux}, listener: listener} //nolint:gosec // loopback only, no timeouts needed
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

// Environ returns the environment variables that tell the engine where the server is.
func (s *Server) Environ() map[string]string {
	return map[string]string{
		"VAULT_SERVER_URL":   "http://" + s.listener.Addr().String(),
		"VAULT_SERVER_TOKEN": "offline",
	}
}

// Close stops the server.
func (s *Server) Close() error { return s.http.Close() }

// answer handles a request by converting one of its fields into one field of the response's data.
func answer(from, to string, convert func(text string) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request map[string]any
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text, _ := request[from].(string)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]string{to: convert(text)}})
	}
}
