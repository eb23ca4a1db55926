package management

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/components/location"
	"github.com/hypershift-aws/hypershift-aws/internal/value/outputs"
)

// recorder simulates the engine and AWS: it records registrations, and answers lookups for an account that has
// the OIDC provider of issuer and the zones of its map.
type recorder struct {
	place location.Location
	// audiences are the client IDs of the OIDC provider.
	audiences []string
	// zones maps the domain of a zone of the account to its ID.
	zones map[string]string
	// delegated are the values of the NS records that GetRecords finds; none by default.
	delegated []string
	// parentOwner is true if the parent zone is in another account, with the provider "dns".
	parentOwner bool
	// taken is a bucket that another account has.
	taken string

	mutex      sync.Mutex
	registered []registration
	calls      []pulumi.MockCallArgs
}

// registration is one resource as the golden files show it.
type registration struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	Parent       string   `json:"parent,omitempty"`
	Protect      bool     `json:"protect,omitempty"`
	Dependencies []string `json:"dependencies,omitempty"`
	Inputs       any      `json:"inputs,omitempty"`

	provider string
}

const issuer = "https://oidc.example.com/mgmt"

func commercial() location.Location {
	return location.Location{Partition: "aws", DNSSuffix: "amazonaws.com", Region: "us-east-1", Account: "111122223333"}
}

func newRecorder(in location.Location) *recorder {
	return &recorder{
		place:     in,
		audiences: []string{"openshift", "sts.amazonaws.com"},
		zones:     map[string]string{"example.com": "ZPARENT", "existing.example.com": "ZEXISTING"},
	}
}

func zoneServers() []string { return []string{"ns-2.example.net", "ns-1.example.net"} }

var _ pulumi.MockResourceMonitor = (*recorder)(nil)

func (r *recorder) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	dependencies := []string{}
	for _, urn := range args.RegisterRPC.GetDependencies() {
		dependencies = append(dependencies, shortName(urn))
	}
	slices.Sort(dependencies)
	r.registered = append(r.registered, registration{
		Type: args.TypeToken, Name: args.Name,
		Parent:       shortName(args.RegisterRPC.GetParent()),
		Protect:      args.RegisterRPC.GetProtect(),
		Dependencies: dependencies,
		Inputs:       readable(args.Inputs.Mappable()),
		provider:     args.RegisterRPC.GetProvider(),
	})
	outputs := args.Inputs.Copy()
	for name, value := range map[string]any{
		"arn":         "arn:" + r.place.Partition + ":mock:::" + args.Name,
		"zoneId":      "ZMADE",
		"nameServers": zoneServers(),
		"url": "https://sqs." + r.place.Region + "." + r.place.DNSSuffix + "/" + r.place.Account + "/" +
			args.Name,
		"domainName":               "d111111abcdef8.cloudfront.net",
		"bucketRegionalDomainName": "docs.s3." + r.place.Region + "." + r.place.DNSSuffix,
		"secret":                   "not-to-be-shown",
		"keyId":                    "11111111-2222-3333-4444-555555555555",
	} {
		if _, given := outputs[resource.PropertyKey(name)]; !given {
			outputs[resource.PropertyKey(name)] = resource.NewPropertyValue(value)
		}
	}
	return args.Name + "-id", outputs, nil
}

func (r *recorder) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.calls = append(r.calls, args)
	given := args.Args.Mappable()
	var answer map[string]any
	switch args.Token {
	case "aws:index/getPartition:getPartition":
		answer = map[string]any{"partition": r.place.Partition, "dnsSuffix": r.place.DNSSuffix}
	case "aws:index/getRegion:getRegion":
		answer = map[string]any{"name": r.place.Region}
	case "aws:index/getCallerIdentity:getCallerIdentity":
		answer = map[string]any{"accountId": r.place.Account}
	case "aws:iam/getOpenIdConnectProvider:getOpenIdConnectProvider":
		if given["url"] != issuer {
			return nil, errors.New("no matching OpenID Connect provider")
		}
		answer = map[string]any{
			"arn":           "arn:" + r.place.Partition + ":iam::" + r.place.Account + ":oidc-provider/oidc.example.com/mgmt",
			"clientIdLists": r.audiences,
		}
	case "aws:route53/getZone:getZone":
		id, found := r.zones[given["name"].(string)]
		if !found || given["privateZone"] != false {
			return nil, errors.New("no matching Route 53 Hosted Zone found")
		}
		answer = map[string]any{
			"zoneId": id, "arn": "arn:" + r.place.Partition + ":route53:::hostedzone/" + id,
			"name": given["name"], "nameServers": zoneServers(),
		}
	case "aws:s3/getBucket:getBucket":
		if given["bucket"] == r.taken {
			return nil, errors.New("operation error S3: HeadBucket, https response error StatusCode: 403, api error Forbidden: Forbidden")
		}
		return nil, errors.New("couldn't find resource")
	case "aws:route53/getRecords:getRecords":
		var values []any
		for _, value := range r.delegated {
			values = append(values, map[string]any{"value": value + "."})
		}
		answer = map[string]any{"resourceRecordSets": []any{map[string]any{"type": "NS", "resourceRecords": values}}}
	default:
		return nil, errors.New("no test expects a call of " + args.Token)
	}
	return resource.NewPropertyMapFromMap(answer), nil
}

// shortName returns "Type name" of a URN.
func shortName(urn string) string {
	if urn == "" {
		return ""
	}
	u := resource.URN(urn)
	kind := string(u.Type())
	return kind[strings.LastIndex(kind, ":")+1:] + " " + u.Name()
}

// readable opens the JSON documents in a resource's inputs.
func readable(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = readable(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = readable(inner)
		}
	case string:
		var document map[string]any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &document) == nil {
			return document
		}
	}
	return value
}

// sorted returns what was registered, in an order that does not depend on the run.
func (r *recorder) sorted() []registration {
	return slices.SortedFunc(slices.Values(r.registered), func(a, b registration) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name))
	})
}

// find returns the one resource of the type with the name.
func (r *recorder) find(t *testing.T, kind, name string) registration {
	t.Helper()
	for _, registered := range r.registered {
		if registered.Type == kind && registered.Name == name {
			return registered
		}
	}
	require.Failf(t, "not registered", "%s %s", kind, name)
	return registration{}
}

// made is what the prerequisites hand on, known.
type made struct {
	outputs map[string]any
	secret  bool
}

// run brings prerequisites named "mgmt" up with an explicit provider.
func (r *recorder) run(args *PrerequisitesArgs) (made, error) {
	var result made
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		provider, err := aws.NewProvider(ctx, "given", &aws.ProviderArgs{})
		if err != nil {
			return err
		}
		if r.parentOwner {
			if args.Zone.ParentZoneOwner, err = aws.NewProvider(ctx, "dns", &aws.ProviderArgs{}); err != nil {
				return err
			}
		}
		p, err := NewPrerequisites(ctx, "mgmt", args, pulumi.Provider(provider))
		if err != nil {
			return err
		}
		outputs := outputs.Collect(p)
		outputs["credentials"] = pulumi.Unsecret(p.Credentials)
		pulumi.All(outputs.ToMapOutput(), pulumi.IsSecret(p.Credentials)).ApplyT(func(values []any) error {
			result.outputs = maps.Clone(values[0].(map[string]any))
			result.secret = values[1].(bool)
			return nil
		})
		return nil
	}, pulumi.WithMocks("project", "stack", r))
	return result, err
}

func (r *recorder) mustRun(t *testing.T, args *PrerequisitesArgs) made {
	t.Helper()
	result, err := r.run(args)
	require.NoError(t, err)
	return result
}
