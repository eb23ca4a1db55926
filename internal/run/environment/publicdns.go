package environment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/stack/workspace"
)

// publicDNS queries the resolver of this machine.
type publicDNS struct{}

var _ workspace.Resolver = publicDNS{}

// LookupNS implements Resolver.
func (publicDNS) LookupNS(ctx context.Context, domain string) ([]string, error) {
	found, err := net.DefaultResolver.LookupNS(ctx, domain)
	var names []string
	for _, ns := range found {
		names = append(names, ns.Host)
	}
	return names, err
}

// Resolves implements Resolver.
func (publicDNS) Resolves(ctx context.Context, server, name string, zone bool) (bool, error) {
	at := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(server, "53"))
	}}
	absolute := strings.TrimSuffix(name, ".") + "." // without the search domains of this machine
	var err error
	if zone {
		_, err = at.LookupNS(ctx, absolute)
	} else {
		_, err = at.LookupHost(ctx, absolute)
	}
	var answer *net.DNSError
	if errors.As(err, &answer) && answer.IsNotFound {
		return false, nil
	}
	return err == nil, err
}

// ServesDocuments implements Resolver.
func (publicDNS) ServesDocuments(ctx context.Context, issuer string) (bool, error) {
	return serves(ctx, http.DefaultClient, issuer)
}

// largestDocument is more than an issuer's configuration has, in bytes.
const largestDocument = 1 << 16

// serves reads an issuer's documents where AWS reads them, so they are public. A host that answers every path with a
// page of its own doesn't count.
func serves(ctx context.Context, client *http.Client, issuer string) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+issuer+"/.well-known/openid-configuration",
		nil)
	if err != nil {
		return false, fmt.Errorf("reading the OIDC documents of %s: %w", issuer, err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return false, fmt.Errorf("reading the OIDC documents of %s: %w", issuer, err)
	}
	defer func() { _ = answer.Body.Close() }()
	var document struct {
		Issuer string `json:"issuer"`
	}
	return answer.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(answer.Body,
		largestDocument)).Decode(&document) == nil &&
		document.Issuer == "https://"+issuer, nil
}
