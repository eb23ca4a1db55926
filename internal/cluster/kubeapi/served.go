package kubeapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
)

// errNoServer is the error of an address at which something answers that is no API server.
var errNoServer = errors.New("what answers at the address is not a Kubernetes API server")

// whileServed sends a request for objects of a resource. If the server does not know the resource, that the server has
// none of its objects is believed only of an API server that has started completely, does not define the resource, as
// far as the user may ask for that, and serves no other version of it: the objects would be there nevertheless. A
// gateway whose API server is away for a moment may have a page with the same status.
func (c *Cluster) whileServed(ctx context.Context, of schema.GroupVersionResource, request func() error) error {
	err := request()
	if !isUnknown(err) {
		return err
	}
	if of.Group == "" { // every API server has these
		return errNoServer
	}
	if ready := c.isReady(ctx); ready != nil {
		return ready
	}
	groups, listed := c.groups(ctx)
	if listed != nil {
		return listed
	}
	var group metav1.APIGroup
	if i := slices.IndexFunc(groups, func(g metav1.APIGroup) bool { return g.Name == of.Group }); i >= 0 {
		group = groups[i]
	}
	var elsewhere []string
	for _, version := range group.Versions {
		var served metav1.APIResourceList
		if err := c.read(ctx, "/apis/"+version.GroupVersion, &served); err != nil {
			return fmt.Errorf("reading the kinds of %s: %w", version.GroupVersion, err)
		}
		if served.GroupVersion == "" {
			return notRead(of, "versions that are changing")
		}
		if slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == of.Resource }) {
			elsewhere = append(elsewhere, version.GroupVersion)
		}
	}
	switch {
	case slices.Contains(elsewhere, of.GroupVersion().String()): // it is served by now
		return request()
	case len(elsewhere) > 0:
		return notRead(of, strings.Join(elsewhere, ", "))
	}
	const definition = "CustomResourceDefinition"
	name := of.GroupResource().String()
	allowed, reviewed := c.Allowed(ctx, clusterstatus.Permission{Verb: "get", Kind: definition, Name: name})
	if !allowed || reviewed != nil {
		return err
	}
	if found, read := c.get(ctx, definition, "", name); read != nil || found != nil {
		return cmp.Or(read, notRead(of, "another version, or in none yet"))
	}
	return err
}

// isUnknown reports whether a server does not know the path of a request. A missing object has another 404.
func isUnknown(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// groupsPath is where an API server lists its groups.
const groupsPath = "/apis"

// groups returns the groups of the server's API, which every authenticated user may read. It fails for what is no API
// server.
func (c *Cluster) groups(ctx context.Context) ([]metav1.APIGroup, error) {
	var list metav1.APIGroupList
	if err := c.read(ctx, groupsPath, &list); err != nil {
		return nil, fmt.Errorf("reading the groups of the management cluster's API: %w", err)
	}
	if list.Kind != "APIGroupList" {
		return nil, errNoServer
	}
	return list.Groups, nil
}

// notRead returns the error for a server that has a resource in other versions than the one that is read.
func notRead(of schema.GroupVersionResource, in string) error {
	return fmt.Errorf("the server has %s in %s, and not in %s, which this version of hypershift-aws reads",
		of.GroupResource(), in, of.GroupVersion())
}

// isReady returns an error if the server has not started completely: it then does not serve all kinds yet. A server
// that does not tell, such as one behind a gateway, counts as ready.
func (c *Cluster) isReady(ctx context.Context) error {
	code := 0
	err := c.server.Get().AbsPath("/readyz").MaxRetries(0).Do(ctx).StatusCode(&code).Error()
	if err != nil && code >= http.StatusInternalServerError {
		return fmt.Errorf("the API server has not started completely: %w", err)
	}
	return nil
}
