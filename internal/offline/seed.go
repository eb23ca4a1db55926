package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SeedKind is a kind of thing that can be there before any stack.
type SeedKind string

const (
	// SeedPublicZone is a public hosted zone; its name is the domain, "example.com".
	SeedPublicZone SeedKind = "public zone"
	// SeedKMSKey is a customer's KMS key; its name is the ARN.
	SeedKMSKey SeedKind = "KMS key"
	// SeedOIDCProvider is an IAM OIDC provider; its name is the issuer's URL, "https://…".
	SeedOIDCProvider SeedKind = "OIDC provider"
	// SeedVPC is a VPC with an internet gateway and an S3 endpoint; its name is the ID.
	SeedVPC SeedKind = "VPC"
	// SeedPrivateSubnet is a subnet with a way out by a transit gateway; its name is
	// "<ID> in <zone> of <the VPC's ID>", as that of SeedPublicSubnet, whose way out is the internet gateway.
	SeedPrivateSubnet SeedKind = "private subnet"
	// SeedPublicSubnet is a subnet with a way out by the VPC's internet gateway.
	SeedPublicSubnet SeedKind = "public subnet"
	// SeedSecurityGroup is a security group; its name is "<ID> of <the VPC's ID>".
	SeedSecurityGroup SeedKind = "security group"
	// SeedElasticIP is an elastic IP; its name is the allocation's ID.
	SeedElasticIP SeedKind = "elastic IP"
	// SeedPrivateZone is a private hosted zone; its name is "<ID> <domain> of <the VPC's ID>".
	SeedPrivateZone SeedKind = "private zone"
	// SeedEndpointService is somebody's endpoint service; its name is the service's.
	SeedEndpointService SeedKind = "endpoint service"
	// SeedLoadBalancer is a load balancer; its name is the ARN, and it is put into the account that the ARN names.
	SeedLoadBalancer SeedKind = "load balancer"
)

// Seed is something that an account holds without any stack having made it.
type Seed struct {
	Kind SeedKind
	Name string
	// Document is a role's trust policy, "" for other kinds.
	Document string
}

func (s Seed) String() string { return "the " + string(s.Kind) + " " + s.Name }

// about is what an account remembers of itself.
type about struct {
	// Seeds are those that were put into the account once. They are not put there again.
	Seeds []string `json:"seeds"`
}

// plant puts the seeds into the account that it has not had yet, and says so in a sentence; "" if there was nothing to do.
func (a *Account) plant(seeds []Seed, at site) (string, error) {
	var sentence string
	err := a.transact(func(t *accountTx) error {
		path := filepath.Join(a.dir, "account.json")
		known, isNew, err := readAbout(path)
		if err != nil {
			return err
		}
		var planted []string
		for _, seed := range seeds {
			name := seed.String()
			if slices.Contains(known.Seeds, name) || slices.Contains(planted, name) {
				continue
			}
			if seed.stands(t, at) || !seed.belongs(at) {
				continue
			}
			if err := seed.plant(t, at); err != nil {
				return fmt.Errorf("putting %s into offline account %s: %w", seed, a.ID(), err)
			}
			// What comes later may belong to it.
			if err := t.commit(); err != nil {
				return err
			}
			planted = append(planted, name)
		}
		if !isNew && len(planted) == 0 {
			return nil
		}
		// The seeds come before the note of them: what dies in between finds them standing the next time.
		known.Seeds = append(known.Seeds, planted...)
		sentence = announce(a.ID(), isNew, planted)
		return writeJSON(path, known)
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

func announce(id string, isNew bool, planted []string) string {
	holds := "nothing"
	if n := len(planted); n == 1 {
		holds = planted[0]
	} else if n > 1 {
		holds = strings.Join(planted[:n-1], ", ") + " and " + planted[n-1]
	}
	if isNew {
		return fmt.Sprintf("new offline account %s holds %s", id, holds)
	}
	return fmt.Sprintf("offline account %s now also holds %s", id, holds)
}

// stands says whether a stack has made what the seed would.
func (s Seed) stands(t *accountTx, at site) bool {
	c := &call{accountTx: t, site: at}
	return slices.ContainsFunc(c.all(zoneToken), func(rec *record) bool {
		return s.Kind == SeedPublicZone && rec.State.text("name") == s.Name && !rec.State.has("vpcs")
	}) || slices.ContainsFunc(c.all(oidcToken), func(rec *record) bool {
		return s.Kind == SeedOIDCProvider && rec.State["url"] == asURL.of(s.Name)
	}) || s.standsInIAM(c) || s.networkStands(c)
}

func (s Seed) plant(t *accountTx, at site) error {
	c := &call{accountTx: t, site: at}
	switch s.Kind {
	case SeedPublicZone:
		c.kind = t.types.kinds[zoneToken]
		if err := c.create(props{"name": s.Name, "comment": "", "forceDestroy": false, "tagsAll": map[string]any{}}, bySeed); err != nil {
			return err
		}
		c.delegate()
		return nil
	case SeedOIDCProvider:
		c.kind = t.types.kinds[oidcToken]
		return c.create(props{"url": s.Name, "clientIdLists": list("openshift", "sts.amazonaws.com"),
			"tagsAll": map[string]any{}}, bySeed)
	case SeedKMSKey:
		// arn:PARTITION:kms:REGION:ACCOUNT:key/ID
		parts := strings.SplitN(s.Name, ":", 6)
		if len(parts) != 6 || parts[2] != "kms" || !strings.HasPrefix(parts[5], "key/") {
			return fmt.Errorf("%q is not the ARN of a KMS key; give arn:aws:kms:REGION:ACCOUNT:key/ID", s.Name)
		}
		id := strings.TrimPrefix(parts[5], "key/")
		c.put(&record{Type: keyToken, ID: id, Scope: parts[3], Origin: bySeed, State: props{
			"arn": s.Name, "keyId": id, "description": "there before any stack", "isEnabled": true,
			"customerMasterKeySpec": "SYMMETRIC_DEFAULT", "keyUsage": "ENCRYPT_DECRYPT"}})
		return nil
	case SeedLoadBalancer:
		return c.plantLoadBalancer(s.Name)
	default:
		if networkTypes()[s.Kind] != "" {
			return s.plantNetwork(c)
		}
		return s.plantInIAM(c)
	}
}

// delegate has the zones above the one at hand that were seeds too, the nearest of them, send resolvers to it.
func (c *call) delegate() {
	domain := c.in().text("name")
	var parent *record
	for _, zone := range c.all(zoneToken) {
		name := zone.State.text("name")
		if zone.Origin == bySeed && strings.HasSuffix(domain, "."+name) && (parent == nil || len(name) > len(parent.State.text("name"))) {
			parent = zone
		}
	}
	if parent == nil {
		return
	}
	c.add(recordToken, recordID(parent.ID, domain, "NS", ""), props{"zoneId": parent.ID, "name": domain, "fqdn": domain, "type": "NS",
		"ttl": 300.0, "records": c.in()["nameServers"]})
}
