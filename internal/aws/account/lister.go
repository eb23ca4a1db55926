package account

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// lister reads and deletes the instances of one type. Everything that needs to know what an account has selects from
// list.
type lister struct {
	// narrow are the names of EC2's filters by the input that they are for; "id" is the ID.
	narrow map[string]string
	// list lists the instances with the IDs or the inputs of the query, or all. It may return more.
	list func(context.Context, *clients, Query) ([]inventory.Resource, error)
	// release removes what prevents the deletion of other instances, and remove deletes an instance; nil for types that
	// are not deleted.
	release, remove func(context.Context, *clients, inventory.Resource) error
	// brief is true if a list of all instances lacks properties or tags that a list of some has.
	brief bool
	// dated is true if AWS returns when an instance was created. created reads it where the list does not contain it.
	dated   bool
	created func(ctx context.Context, c *clients, id string) (*time.Time, error)
}

func listers() map[string]lister {
	all := map[string]lister{}
	for _, some := range []map[string]lister{
		networkListers(), routingListers(), filteringListers(), groupListers(), computeListers(), endpointListers(),
		balancerListers(), identityListers(), dnsListers(),
		bucketListers(), taggedListers(), eventListers(),
	} {
		for token, one := range some { // maps.Copy would make the linker keep all clients: see Pages
			all[token] = one
		}
	}
	return all
}

// Narrowed returns the resources of a list that the query asks for, ordered by ID: those with its IDs and the inputs
// that AWS can filter by, and only complete ones with what AWS is deleting.
func (q Query) Narrowed(found []inventory.Resource) []inventory.Resource {
	narrow := listers()[q.Type].narrow
	found = slices.DeleteFunc(slices.Clone(found), func(r inventory.Resource) bool {
		for input := range narrow {
			if wanted := q.Text(input); wanted != "" && wanted != r.Text(input) && (input != "id" || wanted != r.ID) {
				return true
			}
		}
		return !q.Complete && Leaving(r) || len(q.IDs) > 0 && !slices.Contains(q.IDs, r.ID)
	})
	slices.SortFunc(found, func(x, y inventory.Resource) int { return strings.Compare(x.ID, y.ID) })
	return found
}

// filtersOf returns the filters of a request for inputs (filter name by input), and for the owner's tag if the type is
// owned.
func filtersOf(q Query, names map[string]string) []ec2types.Filter {
	if len(q.IDs) > 0 {
		return nil
	}
	var filters []ec2types.Filter
	for _, input := range slices.Sorted(maps.Keys(names)) {
		if text := q.Text(input); text != "" {
			filters = append(filters, filter(names[input], text))
		}
	}
	if how, _ := awstype.AdoptionOf(q.Type); how.Owned && len(filters) == 0 {
		for key, value := range q.Owner() {
			filters = append(filters, filter("tag:"+key, value))
		}
	}
	return filters
}

func filter(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: aws.String(name), Values: values}
}

// lists are the lists that a snapshot has read or is reading, by type. A nil *lists keeps nothing.
type lists struct {
	mutex  sync.Mutex
	byType map[string][]*readList
	// facts are answers that are no lists, by what was asked: functions of sync.OnceValues.
	facts map[string]any
}

// newLists returns the lists of a new snapshot.
func newLists() *lists { return &lists{byType: map[string][]*readList{}, facts: map[string]any{}} }

// once returns an answer that is no list: a snapshot asks once for all readers. It is not a method, as listed is not.
func once[T any](l *lists, question string, ask func() (T, error)) (T, error) {
	if l == nil {
		return ask()
	}
	l.mutex.Lock()
	asked, known := l.facts[question].(func() (T, error))
	if !known {
		asked = sync.OnceValues(ask)
		l.facts[question] = asked
	}
	l.mutex.Unlock()
	return asked()
}

// readList is a list of a type, of the whole account if all is true.
type readList struct {
	// key is what narrows the list, "[] []" for nothing.
	key string
	// done is closed once the list is read, and nothing changes after that.
	done          chan struct{}
	found         []inventory.Resource
	err           error
	all, complete bool
}

// isRead reports whether the list is there.
func (l *readList) isRead() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// listed returns a list that contains what the query asks for, and reads it if there is none. Different lists of a type
// are read at the same time, but none twice. It is not a method, because the linker keeps every method of the types in
// a method's signature: here, every request of all AWS clients (see the size of the CLI in test/ledgers/bench.md).
func listed(l *lists, q Query, how lister, read func() ([]inventory.Resource, error)) ([]inventory.Resource, error) {
	if l == nil {
		return read()
	}
	key, all := fmt.Sprint(q.IDs, q.Inputs), len(q.IDs) == 0 && len(q.Inputs) == 0
	if how.narrow != nil { // inputs without a filter do not narrow the list
		key, all = fmt.Sprint(q.IDs, filterNames(q.filters)), len(q.IDs) == 0 && len(q.filters) == 0
	}
	wanted := q.IDs
	if id := q.Text("id"); id != "" {
		wanted = []string{id}
	}
	l.mutex.Lock()
	var awaited *readList
	for _, list := range l.byType[q.Type] {
		if !list.complete && q.Complete {
			continue
		}
		// While a list is read, it is known to contain what is wanted if it is the same list, or that of the whole account.
		if !list.isRead() {
			if list.key == key || list.all && !how.brief {
				awaited = list
			}
			continue
		}
		missing := func(id string) bool {
			return !slices.ContainsFunc(list.found, func(r inventory.Resource) bool { return r.ID == id })
		}
		contains := list.all || len(wanted) > 0 && !slices.ContainsFunc(wanted, missing)
		if list.key == key || contains && !how.brief {
			l.mutex.Unlock()
			return list.found, nil
		}
	}
	if awaited != nil {
		l.mutex.Unlock()
		if <-awaited.done; awaited.err == nil {
			return awaited.found, nil
		}
		return read() // with this caller's own context
	}
	list := &readList{key: key, done: make(chan struct{}), all: all, complete: q.Complete}
	l.byType[q.Type] = append(l.byType[q.Type], list)
	l.mutex.Unlock()
	found, err := read()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if list.found, list.err = found, err; err != nil {
		l.byType[q.Type] = slices.DeleteFunc(l.byType[q.Type], func(other *readList) bool { return other == list })
	}
	close(list.done)
	return found, err
}

// forget drops the lists: something is being changed.
func (l *lists) forget() {
	if l != nil {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.byType, l.facts = map[string][]*readList{}, map[string]any{}
	}
}

func filterNames(filters []ec2types.Filter) (names []string) {
	for _, f := range filters {
		names = append(names, aws.ToString(f.Name)+"="+strings.Join(f.Values, ","))
	}
	return names
}

// code returns AWS's code of an error, or "" for others.
func code(err error) string {
	var api interface{ ErrorCode() string }
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// gone reports whether AWS's error means that there is no such resource.
func gone(err error) bool {
	c := code(err)
	return strings.Contains(c, "NotFound") || strings.HasPrefix(c, "NoSuch")
}

// Gone reports whether AWS's error means that there is no such resource.
func Gone(err error) bool { return gone(err) }

// Depended reports whether AWS refuses a deletion because of another resource, so that it may succeed later.
func Depended(err error) bool {
	c := code(err)
	return strings.Contains(c, "InUse") || c == "DependencyViolation" || c == "DeleteConflict" ||
		c == "ExistingVpcEndpointConnections" ||
		c == "InvalidParameterValue" || c == "AuthFailure"
}

// each lists what the pages of a list contain.
func each[Input, Options, Output, Item any](
	ctx context.Context, request func(context.Context, *Input, ...func(*Options)) (*Output, error), input *Input,
	items func(*Output) []Item, resource func(Item) inventory.Resource,
) (found []inventory.Resource, err error) {
	for pages := NewPages(request, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return found, err
		}
		for _, item := range items(page) {
			if r := resource(item); r.ID != "" && !strings.EqualFold(r.State, "deleted") {
				found = append(found, r)
			}
		}
	}
	return found, nil
}

// send sends a request whose response has no content that matters.
func send[Input, Options, Output any](
	ctx context.Context, request func(context.Context, *Input, ...func(*Options)) (*Output, error), input *Input,
) error {
	_, err := request(ctx, input)
	return err
}

// one returns a resource with its tags, for any service's type of tags, and its properties; nil pointers among these
// are left out.
func one[T any](id *string, tags []T, pair func(T) (key, value *string), properties map[string]any) inventory.Resource {
	r := inventory.Resource{ID: aws.ToString(id), Tags: tagsOf(tags, pair), Properties: map[string]any{}}
	for name, value := range properties {
		switch v := value.(type) {
		case *string:
			if v != nil {
				r.Properties[name] = *v
			}
		case *int32:
			if v != nil {
				r.Properties[name] = float64(*v)
			}
		default:
			r.Properties[name] = value
		}
	}
	r.VPC, r.Owner = r.Text("vpcId"), r.Text("ownerId")
	return r
}

func tagsOf[T any](tags []T, pair func(T) (key, value *string)) map[string]string {
	all := make(map[string]string, len(tags))
	for _, tag := range tags {
		key, value := pair(tag)
		all[aws.ToString(key)] = aws.ToString(value)
	}
	return all
}

// named returns a resource without tags.
func named(id string, properties map[string]any) inventory.Resource {
	r := one(&id, nil, func(string) (key, value *string) { return nil, nil }, properties)
	r.Tags = nil
	return r
}

// tagInBatches returns resources after describe has added their tags, to as many at once as a request can name. AWS
// refuses a request that names a resource which was deleted after it was listed: then the tags of each one are read
// alone, and deleted resources are left out.
func tagInBatches(
	found []inventory.Resource,
	atOnce int,
	describe func(some []inventory.Resource) error,
) ([]inventory.Resource, error) {
	return Gather(slices.Collect(slices.Chunk(found, atOnce)), func(
		some []inventory.Resource,
	) ([]inventory.Resource, error) {
		err := describe(some)
		switch {
		case gone(err) && atOnce == 1:
			return nil, nil
		case gone(err):
			return tagInBatches(some, 1, describe)
		case err != nil:
			return nil, err
		}
		return some, nil
	})
}

func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
