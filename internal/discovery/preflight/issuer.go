package preflight

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// issuerWithin limits the time that an issuer's host may take to answer.
	issuerWithin = 5 * time.Second
	// largestDocument is more than an issuer's configuration has, in bytes.
	largestDocument = 1 << 16
)

// outsideBucket reports whether a name is that of OIDC documents whose issuer is not a bucket's host, such as a CloudFront distribution.
func (n Name) outsideBucket() bool {
	host, _, _ := strings.Cut(n.Name, "/")
	return n.Token == OIDCDocuments && !bucketHost.MatchString(host)
}

// servedDocuments returns whether an issuer's host serves the documents of the issuer.
func servedDocuments(ctx context.Context, resolver Resolver, issuer string) (Holder, error) {
	ctx, cancel := context.WithTimeout(ctx, issuerWithin)
	defer cancel()
	served, err := resolver.ServesDocuments(ctx, issuer)
	if !served || err != nil {
		return Nobody, err
	}
	return Issuer, nil
}

// ServesDocuments implements Resolver.
func (PublicDNS) ServesDocuments(ctx context.Context, issuer string) (bool, error) {
	return serves(ctx, http.DefaultClient, issuer)
}

// serves reads an issuer's documents where AWS reads them, so they are public. A host that answers any path with a page of its own does not
// serve them.
func serves(ctx context.Context, client *http.Client, issuer string) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+issuer+"/.well-known/openid-configuration", nil)
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
	return answer.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(answer.Body, largestDocument)).Decode(&document) == nil &&
		document.Issuer == "https://"+issuer, nil
}
