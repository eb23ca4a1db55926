package adopt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
)

// Match is the result of the importer's search for a resource that the state lacks.
type Match struct {
	// ID is the import ID of the existing resource, "" if there is none.
	ID string
	// Given is true if the user has named the ID.
	Given bool
	// Resource is the found resource, from the list of its type.
	Resource inventory.Resource
	// Query is the query of the search.
	Query account.Query
	// Others are the IDs if several resources match; ID is "" then.
	Others []string
	// Beside are the IDs of what exists and cannot be taken, so that the stack creates another one.
	Beside []string
	// Outputs are those of a resource that is written into the state instead of being imported, otherwise nil.
	Outputs map[string]any
	// Refused is why an existing resource cannot be adopted, "" if it can.
	Refused string
	// Err is why the search failed, otherwise nil.
	Err error
}

// Importer makes a program import existing resources: it sets the import ID of each resource that the state lacks and
// the account has.
type Importer struct {
	// State is the stack's state before a run of the program.
	State func() *state.Deployment
	// Account is the account of the provider with that name, "" for the stack's own.
	Account func(provider string) (account.Account, error)
	// Given are import IDs that the user gave. A key's type is the last part of a token, "Subnet".
	Given map[takeover.Key]string
	// Bound are the IDs determined by the layout of the network, by type and tag Name: a route table by its subnets.
	Bound map[takeover.Key]string
	// Referenced are the matches for types that another existing resource refers to. The stack has one instance of each.
	// Because the referenced resource exists, it is never created.
	Referenced map[string]Match
	// RevokeDefaultGroup is true if a default security group with rules is created, which removes them.
	RevokeDefaultGroup bool
	// Without are the resources that are not imported yet: the engine cannot exclude imported resources from a run.
	Without map[takeover.Key]bool
	// Objects finds an object of Kubernetes; nil where the stack has no management cluster.
	Objects func(ctx context.Context, kind, namespace, name string) (map[string]any, error)

	mutex sync.Mutex
	// inState are the resources that the state has.
	inState map[takeover.Key]bool
	matches map[takeover.Key]Match
	places  map[string]inventory.Place
}

// Program returns a program that imports.
func (i *Importer) Program(program pulumi.RunFunc) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		i.mutex.Lock()
		i.matches, i.inState = map[takeover.Key]Match{}, namesIn(i.State())
		i.mutex.Unlock()
		if err := ctx.RegisterResourceTransform(i.transform); err != nil {
			return fmt.Errorf("registering the search for resources that exist: %w", err)
		}
		return program(ctx)
	}
}

// Matches returns the matches of the last run of the program.
func (i *Importer) Matches() map[takeover.Key]Match {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.matches
}

func (i *Importer) transform(ctx context.Context, args *pulumi.ResourceTransformArgs) *pulumi.ResourceTransformResult {
	key := takeover.Key{Type: args.Type, Name: args.Name}
	if !args.Custom || i.Without[key] || strings.HasPrefix(args.Type, "pulumi:") || args.Opts.Import != nil || i.inState[key] {
		return nil
	}
	q := account.Query{Type: args.Type, Inputs: plainInputs(ctx, args.Props)}
	var found Match
	if strings.HasPrefix(args.Type, "kubernetes:") {
		found = i.findObject(ctx, q)
	} else {
		found = i.find(ctx, key, q, providerName(ctx, args.Opts.Provider))
	}
	found.Query = q
	i.mutex.Lock()
	i.matches[key] = found
	i.mutex.Unlock()
	how, _ := awstype.AdoptionOf(args.Type)
	if found.ID == "" || how.By == awstype.AdoptByWriting {
		return nil
	}
	opts := args.Opts
	opts.Import = pulumi.ID(found.ID)
	if strings.HasPrefix(args.Type, "kubernetes:") {
		// The component's own check of a change would treat fields without a config key as removed. The API server does not
		// change them, and checks the preview.
		opts.Hooks = nil
	}
	return &pulumi.ResourceTransformResult{Props: args.Props, Opts: opts}
}

// find searches for an AWS resource.
func (i *Importer) find(ctx context.Context, key takeover.Key, q account.Query, provider string) Match {
	if id := i.Given[key.Short()]; id != "" {
		return Match{ID: id, Given: true}
	}
	if found, is := i.Referenced[q.Type]; is {
		if found.Refused != "" {
			found.Refused += "; set its ID with --id " + key.String() + "=ID"
		}
		return found
	}
	how, known := awstype.AdoptionOf(q.Type)
	if q.Type == awstype.AccessKey {
		return i.findKeys(ctx, q, provider)
	}
	if !known || how.By == awstype.AdoptNever || how.By == awstype.AdoptBySetting || how.By == awstype.AdoptByID ||
		isUnknown(q, how.Match) {
		return Match{}
	}
	aws, err := i.Account(provider)
	if err != nil {
		return Match{Err: err}
	}
	found, err := aws.List(ctx, q)
	if errors.Is(err, account.ErrNotListed) {
		return Match{Err: account.ErrNotListed}
	}
	if err != nil {
		return Match{Err: err}
	}
	return i.choose(ctx, aws, provider, q, how, found)
}

// keysOfUser is how many access keys AWS allows a user.
const keysOfUser = 2

// findKeys searches for the access keys that a user already has. None can be taken, because AWS does not return its
// secret, and AWS allows no third one.
func (i *Importer) findKeys(ctx context.Context, q account.Query, provider string) Match {
	if isUnknown(q, []string{"user"}) {
		return Match{}
	}
	aws, err := i.Account(provider)
	if err != nil {
		return Match{Err: err}
	}
	keys, err := aws.List(ctx, q)
	if err != nil {
		return Match{Err: err}
	}
	ids := account.IDs(account.Select(keys, q, awstype.Adoption{Match: []string{"user"}}))
	if len(ids) >= keysOfUser {
		return Match{Refused: fmt.Sprintf("IAM user %s has the access keys %s, and AWS allows no other: find out which one nothing uses; "+
			"without it in AWS, the stack can create its own", q.Text("user"), strings.Join(ids, " and "))}
	}
	return Match{Beside: ids}
}

// choose selects one of the listed resources.
func (i *Importer) choose(
	ctx context.Context, aws account.Account, provider string, q account.Query, how awstype.Adoption,
	found []inventory.Resource,
) Match {
	if id := i.Bound[takeover.Key{Type: q.Type, Name: q.Tags()["Name"]}]; id != "" {
		for _, r := range found {
			if r.ID == id {
				return Match{ID: id, Resource: r}
			}
		}
		return Match{ID: id}
	}
	selected := account.Select(found, q, how)
	if how.By == awstype.AdoptBySearch || how.By == awstype.AdoptByWriting {
		// Resources with the cluster's tag come first.
		if owned := account.Select(selected, q, awstype.Adoption{Owned: true}); len(owned) > 0 {
			selected = owned
		}
	}
	switch {
	case len(selected) == 0:
		return Match{}
	case len(selected) > 1 && how.By != awstype.AdoptByImportID:
		var ids []string
		for _, r := range selected {
			ids = append(ids, r.ID)
		}
		return Match{Others: ids}
	case q.Type == awstype.DefaultSecurityGroup && i.RevokeDefaultGroup && hasRules(selected[0]):
		return Match{Resource: selected[0]}
	case how.By == awstype.AdoptByWriting:
		return writtenMatch(ctx, aws, q, selected[0])
	case how.By != awstype.AdoptByImportID:
		return Match{ID: selected[0].ID, Resource: selected[0]}
	}
	place, err := i.place(ctx, aws, provider)
	if err != nil {
		return Match{Err: err}
	}
	return Match{ID: q.ImportID(place), Resource: selected[0]}
}

func (i *Importer) place(ctx context.Context, aws account.Account, provider string) (inventory.Place, error) {
	i.mutex.Lock()
	place, known := i.places[provider]
	i.mutex.Unlock()
	if known {
		return place, nil
	}
	place, err := aws.Place(ctx)
	if err != nil {
		return place, err
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.places == nil {
		i.places = map[string]inventory.Place{}
	}
	i.places[provider] = place
	return place, nil
}

// hasRules reports whether a security group has rules.
func hasRules(group inventory.Resource) bool {
	for _, direction := range []string{"ingress", "egress"} {
		if list, _ := group.Properties[direction].([]any); len(list) > 0 {
			return true
		}
	}
	return false
}

// findObject looks up a Kubernetes object by its name.
func (i *Importer) findObject(ctx context.Context, q account.Query) Match {
	given := unstructured.Unstructured{Object: q.Inputs}
	kind, name, namespace := given.GetKind(), given.GetName(), given.GetNamespace()
	if i.Objects == nil || kind == "" || name == "" || strings.HasSuffix(q.Type, "Patch") {
		return Match{}
	}
	object, err := i.Objects(ctx, kind, namespace, name)
	if err != nil {
		return Match{Err: err}
	}
	if object == nil {
		return Match{}
	}
	return Match{ID: strings.TrimPrefix(namespace+"/"+name, "/"), Resource: inventory.Resource{Properties: object}}
}
