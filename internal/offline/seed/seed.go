// Package seed puts into an offline account what exists before any stack.
package seed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/route53"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/types"
)

// Kind is a kind of thing that can be there before any stack.
type Kind string

const (
	// PublicZone is a public hosted zone; its name is the domain, "example.com".
	PublicZone Kind = "public zone"
	// KMSKey is a customer's KMS key; its name is the ARN.
	KMSKey Kind = "KMS key"
	// OIDCProvider is an IAM OIDC provider; its name is the issuer's URL, "https://…".
	OIDCProvider Kind = "OIDC provider"
	// VPC is a VPC with an internet gateway and an S3 endpoint; its name is the ID.
	VPC Kind = "VPC"
	// PrivateSubnet is a subnet with a default route to a transit gateway; its name is the ID. It needs Zone and VPC.
	PrivateSubnet Kind = "private subnet"
	// PublicSubnet is a subnet with a default route to the VPC's internet gateway; its name is the ID. It needs Zone and VPC.
	PublicSubnet Kind = "public subnet"
	// SecurityGroup is a security group; its name is the ID. It needs VPC.
	SecurityGroup Kind = "security group"
	// ElasticIP is an elastic IP; its name is the allocation's ID.
	ElasticIP Kind = "elastic IP"
	// PrivateZone is a private hosted zone; its name is the ID. It needs Domain and VPC.
	PrivateZone Kind = "private zone"
	// EndpointService is somebody's endpoint service; its name is the service's.
	EndpointService Kind = "endpoint service"
	// AWSService is an endpoint service of AWS's own that is not in every zone, but in those of ZoneIDs; its name is the service's.
	AWSService Kind = "AWS service"
	// LoadBalancer is a load balancer; its name is the ARN, and it is put into the account that the ARN names.
	LoadBalancer Kind = "load balancer"
)

// Seed is something that an account holds without any stack having made it.
type Seed struct {
	Kind Kind
	Name string
	// VPC is the ID of the VPC that a subnet, a security group or a private zone belongs to, "" for other kinds.
	VPC string
	// Zone is a subnet's availability zone, and Domain a private zone's domain name.
	Zone, Domain string
	// ZoneIDs are the IDs of the zones that an endpoint service of AWS's is in.
	ZoneIDs []string
	// Document is a role's trust policy, "" for other kinds.
	Document string
}

// String is what the seed is called in messages, and in the account's list of the seeds that it has had.
func (s Seed) String() string {
	text := "the " + string(s.Kind) + " " + s.Name
	if s.Domain != "" {
		text += " " + s.Domain
	}
	if s.Zone != "" {
		text += " in " + s.Zone
	}
	if len(s.ZoneIDs) > 0 {
		text += " in " + strings.Join(s.ZoneIDs, " ")
	}
	if s.VPC != "" {
		text += " of " + s.VPC
	}
	return text
}

// about is what an account remembers of itself.
type about struct {
	// Seeds are those that were put into the account once. They are not put there again.
	Seeds []string `json:"seeds"`
}

// Apply puts the seeds into the account that it has not had yet, and says so in a sentence; "" if there was nothing to do.
func Apply(a *aws.Account, seeds []Seed, at aws.Site) (string, error) {
	var sentence string
	err := a.Transact(func(t *aws.Tx) error {
		path := filepath.Join(a.Dir, "account.json")
		known, isNew, err := readAbout(path)
		if err != nil {
			return err
		}
		var created []string
		for _, seed := range seeds {
			name := seed.String()
			if slices.Contains(known.Seeds, name) || slices.Contains(created, name) {
				continue
			}
			if seed.exists(t, at) || !seed.belongs(at) {
				continue
			}
			if err := seed.create(t, at); err != nil {
				return fmt.Errorf("putting %s into offline account %s: %w", seed, a.ID(), err)
			}
			// What comes later may belong to it.
			if err := t.Commit(); err != nil {
				return err
			}
			created = append(created, name)
		}
		if !isNew && len(created) == 0 {
			return nil
		}
		// The seeds come before the note of them: what dies in between finds them the next time.
		known.Seeds = append(known.Seeds, created...)
		sentence = announce(a.ID(), isNew, created)
		return store.WriteJSON(path, known)
	})
	return sentence, err
}

func readAbout(path string) (known about, isNew bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return about{Seeds: []string{}}, true, nil
	}
	if err != nil {
		return about{}, false, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return about{}, false, fmt.Errorf("reading %s: %w", path, err)
	}
	return known, false, nil
}

func announce(id string, isNew bool, created []string) string {
	holds := "nothing"
	if n := len(created); n == 1 {
		holds = created[0]
	} else if n > 1 {
		holds = strings.Join(created[:n-1], ", ") + " and " + created[n-1]
	}
	if isNew {
		return fmt.Sprintf("new offline account %s holds %s", id, holds)
	}
	return fmt.Sprintf("offline account %s now also holds %s", id, holds)
}

// exists says whether a stack has made what the seed would.
func (s Seed) exists(t *aws.Tx, at aws.Site) bool {
	c := &aws.Call{Tx: t, Site: at}
	return slices.ContainsFunc(c.All(types.HostedZone), func(rec *store.Record) bool {
		return s.Kind == PublicZone && rec.State.String("name") == s.Name && !rec.State.Has("vpcs")
	}) || slices.ContainsFunc(c.All(types.OIDCProvider), func(rec *store.Record) bool {
		return s.Kind == OIDCProvider && rec.State["url"] == props.AsURL.Of(s.Name)
	}) || s.existsInIAM(c) || s.networkExists(c)
}

func (s Seed) create(t *aws.Tx, at aws.Site) error {
	c := &aws.Call{Tx: t, Site: at}
	switch s.Kind {
	case PublicZone:
		c.Kind = t.Types.Kinds[types.HostedZone]
		if err := c.Create(props.Map{"name": s.Name, "comment": "", "forceDestroy": false, "tagsAll": map[string]any{}}, store.BySeed); err != nil {
			return err
		}
		delegate(c)
		return nil
	case OIDCProvider:
		c.Kind = t.Types.Kinds[types.OIDCProvider]
		return c.Create(props.Map{"url": s.Name, "clientIdLists": props.List("openshift", "sts.amazonaws.com"),
			"tagsAll": map[string]any{}}, store.BySeed)
	case KMSKey:
		// arn:PARTITION:kms:REGION:ACCOUNT:key/ID
		parts := strings.SplitN(s.Name, ":", 6)
		if len(parts) != 6 || parts[2] != "kms" || !strings.HasPrefix(parts[5], "key/") {
			return fmt.Errorf("%q is not the ARN of a KMS key; give arn:aws:kms:REGION:ACCOUNT:key/ID", s.Name)
		}
		id := strings.TrimPrefix(parts[5], "key/")
		c.Put(&store.Record{Type: types.Key, ID: id, Scope: parts[3], Origin: store.BySeed, State: props.Map{
			"arn": s.Name, "keyId": id, "description": "there before any stack", "isEnabled": true,
			"customerMasterKeySpec": "SYMMETRIC_DEFAULT", "keyUsage": "ENCRYPT_DECRYPT"}})
		return nil
	case LoadBalancer:
		return createLoadBalancer(c, s.Name)
	default:
		if networkTypes()[s.Kind] != "" {
			return s.createNetwork(c)
		}
		return s.createInIAM(c)
	}
}

// delegate has the zones above the one at hand that were seeds too, the nearest of them, send resolvers to it.
func delegate(c *aws.Call) {
	domain := c.State().String("name")
	var parent *store.Record
	for _, zone := range c.All(types.HostedZone) {
		name := zone.State.String("name")
		if zone.Origin == store.BySeed && strings.HasSuffix(domain, "."+name) && (parent == nil || len(name) > len(parent.State.String("name"))) {
			parent = zone
		}
	}
	if parent == nil {
		return
	}
	c.Add(types.Record, route53.RecordID(parent.ID, domain, "NS", ""), props.Map{"zoneId": parent.ID, "name": domain, "fqdn": domain, "type": "NS",
		"ttl": 300.0, "records": c.State()["nameServers"]})
}
