// Package transit serves the two calls of HashiCorp Vault's transit engine that Pulumi's hashivault secrets
// provider makes. Offline stacks and this project's tests keep their secrets with it: a passphrase costs every
// engine process the derivation of a key, most of a second of processor time, and an offline state has nothing to
// protect but placeholders.
package transit

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// Provider is the URL of the secrets provider, for `pulumi stack init --secrets-provider`.
const Provider = "hashivault://offline"

// prefix marks what Encrypt has written, as Vault's own ciphertexts are marked.
const prefix = "vault:v1:"

// Server answers on a loopback port.
type Server struct {
	http     *http.Server
	listener net.Listener
}

// Serve starts a server. Any number of them may serve the same states: none has a key of its own.
func Serve() (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the engine's secrets provider: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /v1/transit/encrypt/{key}", answer("plaintext", "ciphertext", func(text string) string { return prefix + text }))
	mux.HandleFunc("PUT /v1/transit/decrypt/{key}", answer("ciphertext", "plaintext", func(text string) string {
		return strings.TrimPrefix(text, prefix)
	}))
	s := &Server{http: &http.Server{Handler: mux}, listener: listener} //nolint:gosec // loopback alone, no timeouts needed
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

// Environ is what the engine's environment needs to find the server: names and values.
func (s *Server) Environ() map[string]string {
	return map[string]string{
		"VAULT_SERVER_URL":   "http://" + s.listener.Addr().String(),
		"VAULT_SERVER_TOKEN": "offline",
	}
}

// Close stops the server.
func (s *Server) Close() error { return s.http.Close() }

// answer converts one field of a request into one field of the response's data.
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
