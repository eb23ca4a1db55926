// Package seed creates resources in an offline account that exist before any stack.
package seed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/iam"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/route53"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

// Kind is a kind of seed.
type Kind string

const (
	// PublicZone is a public hosted zone; its name is the domain, "example.com".
	PublicZone Kind = "public zone"
	// KMSKey is a customer's KMS key; its name is the ARN.
	KMSKey Kind = "KMS key"
	// Bucket is an S3 bucket; its name is the bucket's name.
	Bucket Kind = "bucket"
	// OIDCProvider is an IAM OIDC provider; its name is the issuer's URL, "https://…".
	OIDCProvider Kind = "OIDC provider"
	// VPC is a VPC with an internet gateway and an S3 endpoint; its name is the ID.
	VPC Kind = "VPC"
	// DefaultVPC is the default VPC of the account's region.
	DefaultVPC Kind = "default VPC"
	// PrivateSubnet is a subnet with a default route to a transit gateway; its name is the ID. It needs Zone and VPC.
	PrivateSubnet Kind = "private subnet"
	// PublicSubnet is a subnet with a default route to the VPC's internet gateway; its name is the ID. It needs Zone and
	// VPC.
	PublicSubnet Kind = "public subnet"
	// MainTableSubnet is a public subnet without an associated route table, so that it uses its VPC's main table; its name
	// is the ID. It needs Zone and VPC.
	MainTableSubnet Kind = "subnet of the main table"
	// SecurityGroup is a security group; its name is the ID. It needs VPC.
	SecurityGroup Kind = "security group"
	// ElasticIP is an elastic IP; its name is the allocation's ID.
	ElasticIP Kind = "elastic IP"
	// PrivateZone is a private hosted zone; its name is the ID. It needs Domain and VPC.
	PrivateZone Kind = "private zone"
	// ClientVPC is a VPC whose clients reach a private control plane; its name is the ID.
	ClientVPC Kind = "VPC of clients"
	// ClientSubnet is a subnet of such a VPC; its name is the ID. It needs VPC, and has a zone of its own that
	// LoadBalancer covers.
	ClientSubnet Kind = "subnet of clients"
	// ClientGroup is a security group of such a VPC; its name is the ID. It needs VPC.
	ClientGroup Kind = "security group of clients"
	// EndpointService is an endpoint service of another account; its name is the service name.
	EndpointService Kind = "endpoint service"
	// AWSService is one of AWS's own endpoint services that is available only in the zones ZoneIDs; its name is the
	// service name.
	AWSService Kind = "AWS service"
	// KeyPair is an EC2 key pair; its name is the key pair's name.
	KeyPair Kind = "key pair"
	// Image is a machine image of the account; its name is the ID. It needs InstanceType.
	Image Kind = "machine image"
	// TransitGateway is a transit gateway; its name is the ID.
	TransitGateway Kind = "transit gateway"
	// FirewallService is an endpoint service of a Gateway Load Balancer in another account; its name is the service name.
	FirewallService Kind = "firewall service"
	// IPAMPool is an IPAM pool of private addresses in the account's region; its name is the ID.
	IPAMPool Kind = "IPAM pool"
	// PublicIPAMPool is an IPAM pool of public addresses; its name is the ID.
	PublicIPAMPool Kind = "public IPAM pool"
	// PublicIPv4Pool is a pool of public addresses that the account has brought to AWS; its name is the ID.
	PublicIPv4Pool Kind = "public IPv4 pool"
	// Listed is a resource of a type that stacks do not create and that commands only list; its name is the ID. It needs
	// Type, and Document has its properties as JSON.
	Listed Kind = "listed resource"
	// LoadBalancer is a load balancer; its name is the ARN, and it is created in the account in the ARN.
	LoadBalancer Kind = "load balancer"
	// Role is an IAM role; its name is the ARN and its document is the trust policy. It may do everything except Lacks.
	Role Kind = "role"
	// InstanceProfile is an instance profile with a role of the same name that EC2 can assume; its name is the profile's
	// name.
	InstanceProfile Kind = "instance profile"
	// Policy is a customer managed policy; its name is the ARN.
	Policy Kind = "policy"
)

// Seed is a resource that exists in an account although no stack created it.
type Seed struct {
	Kind Kind
	Name string
	// Account is the account that has it, "" for every account that is used.
	Account string
	// Owner is the account that shares a VPC or a subnet with Account, "" if it is Account's own.
	Owner string
	// VPC is the ID of the VPC that a subnet, a security group or a private zone belongs to, "" for other kinds.
	VPC string
	// Zone is a subnet's availability zone; Domain is a private zone's domain name.
	Zone, Domain string
	// ZoneIDs are the IDs of the zones in which one of AWS's endpoint services is available.
	ZoneIDs []string
	// Document is a role's trust policy, or the properties of a listed resource of the type Type; "" for other kinds.
	Document, Type string
	// Lacks are the actions that a role may not call. Default: it may do everything.
	Lacks []string
	// Tags are the tags of a security group. Default none.
	Tags map[string]string
	// InstanceType is an instance type that the machine image can start.
	InstanceType string
	// CIDR has the addresses of a pool or a VPC. Default: 10.0.0.0/8 for an IPAM pool, 198.51.100.0/28 for one of public
	// addresses, 10.0.0.0/16 for a VPC.
	CIDR string
	// Services are those for which a VPC has interface endpoints, by the last part of their names. Default none; each VPC
	// has the gateway endpoint of S3.
	Services []string
	// ImageName is a machine image's name. Default: its ID.
	ImageName string
	// Region is the region of what clients have. Default: the provider's.
	Region string
	// LoadBalancer is the ARN of a load balancer whose zones the subnet of a client must be in. Default: any zone.
	LoadBalancer string
}

// String returns the seed's name in messages, and in the account's list of the seeds that it has had.
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
	if s.InstanceType != "" {
		text += " for " + s.InstanceType
	}
	return text
}

// accountSeeds is the file that lists the seeds of an account.
type accountSeeds struct {
	// Seeds are the seeds that were created in the account once. They are not created again.
	Seeds []string `json:"seeds"`
}

// Apply creates the seeds that the account has not had yet, and returns a sentence that lists them; "" if there are
// none.
func Apply(a *aws.Account, seeds []Seed, at aws.Site) (string, error) {
	var sentence string
	err := a.Transact(func(t *aws.Tx) error {
		path := filepath.Join(a.Dir, "account.json")
		known, isNew, err := readAccountSeeds(path)
		if err != nil {
			return err
		}
		var created []string
		for _, seed := range seeds {
			name := seed.String()
			if slices.Contains(known.Seeds, name) || slices.Contains(created, name) {
				continue
			}
			c := &aws.Call{Tx: t, Site: at}
			c.Region = cmp.Or(seed.Region, at.Region)
			if seed.exists(c) || !seed.belongsTo(at) {
				continue
			}
			if err := seed.create(c); err != nil {
				return fmt.Errorf("creating %s in offline account %s: %w", seed, a.ID(), err)
			}
			// Later seeds may belong to it.
			if err := t.Commit(); err != nil {
				return err
			}
			created = append(created, name)
		}
		if !isNew && len(created) == 0 {
			return nil
		}
		// The list is written after the seeds: an interrupted run finds them by exists and does not create them twice.
		known.Seeds = append(known.Seeds, created...)
		sentence = announce(a.ID(), isNew, created)
		return store.WriteJSON(path, known)
	})
	return sentence, err
}

func readAccountSeeds(path string) (known accountSeeds, isNew bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return accountSeeds{Seeds: []string{}}, true, nil
	}
	if err != nil {
		return accountSeeds{}, false, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return accountSeeds{}, false, fmt.Errorf("reading %s: %w", path, err)
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
		return fmt.Sprintf("new offline account %s contains %s", id, holds)
	}
	return fmt.Sprintf("offline account %s now also contains %s", id, holds)
}

// types returns the resource types of the kinds of seeds; a listed resource has its own.
func types() map[Kind]string {
	return map[Kind]string{
		PublicZone: awstype.HostedZone, PrivateZone: awstype.HostedZone, KMSKey: awstype.KMSKey, Bucket: awstype.Bucket,
		LoadBalancer: awstype.LoadBalancer,
		OIDCProvider: awstype.OIDCProvider, Role: awstype.Role, InstanceProfile: awstype.InstanceProfile,
		Policy: awstype.Policy,
		VPC:    awstype.VPC, DefaultVPC: awstype.VPC, PrivateSubnet: awstype.Subnet, PublicSubnet: awstype.Subnet,
		MainTableSubnet: awstype.Subnet,
		ClientVPC:       awstype.VPC, ClientSubnet: awstype.Subnet, ClientGroup: awstype.SecurityGroup,
		SecurityGroup: awstype.SecurityGroup, ElasticIP: awstype.ElasticIP, KeyPair: awstype.KeyPair, Image: aws.Image,
		EndpointService: awstype.VPCEndpointService, FirewallService: awstype.VPCEndpointService, AWSService: aws.AWSService,
		TransitGateway: aws.TransitGateway, IPAMPool: aws.IPAMPool, PublicIPAMPool: aws.IPAMPool,
		PublicIPv4Pool: aws.PublicIPv4Pool,
	}
}

// exists reports whether the seed's resource exists.
func (s Seed) exists(c *aws.Call) bool {
	id := s.Name
	if s.Kind == PublicZone {
		return slices.ContainsFunc(c.Where(awstype.HostedZone, "name", s.Name), func(rec *store.Entry) bool {
			return !rec.State.Has("vpcs")
		})
	}
	if s.Kind == OIDCProvider {
		id = c.GlobalARN("iam", fmt.Sprint("oidc-provider/", props.AsURL.Of(s.Name)))
	}
	if s.Kind == Role {
		_, id = iam.SplitName(s.Name)
	}
	return c.Find(types()[s.Kind], id) != nil
}

func (s Seed) create(c *aws.Call) error {
	switch s.Kind {
	case PublicZone:
		zone, err := c.Make(store.BySeed, awstype.HostedZone, "", props.Map{"name": s.Name, "comment": ""})
		if err != nil {
			return err
		}
		return delegate(c, zone)
	case OIDCProvider:
		_, err := seed(c, awstype.OIDCProvider, "", props.Map{
			"url":           s.Name,
			"clientIdLists": props.List("openshift", "sts.amazonaws.com"),
		})
		return err
	case Bucket:
		_, err := seed(c, awstype.Bucket, "", props.Map{"bucket": s.Name})
		return err
	case KMSKey:
		// arn:PARTITION:kms:REGION:ACCOUNT:key/ID
		parts := strings.SplitN(s.Name, ":", 6)
		if len(parts) != 6 || parts[2] != "kms" || !strings.HasPrefix(parts[5], "key/") {
			return fmt.Errorf("%q is not the ARN of a KMS key; use arn:aws:kms:REGION:ACCOUNT:key/ID", s.Name)
		}
		id := strings.TrimPrefix(parts[5], "key/")
		put(c, awstype.KMSKey, id, parts[3], props.Map{"arn": s.Name, "keyId": id, "description": "there before any stack",
			"isEnabled":             true,
			"customerMasterKeySpec": "SYMMETRIC_DEFAULT", "keyUsage": "ENCRYPT_DECRYPT"})
		return nil
	case Listed:
		var state props.Map
		if err := json.Unmarshal([]byte(s.Document), &state); err != nil {
			return fmt.Errorf("the properties of %s: %w", s, err)
		}
		put(c, s.Type, s.Name, c.Region, state)
		return nil
	case LoadBalancer:
		return createLoadBalancer(c, s.Name)
	case Role:
		return s.createRole(c, s.Name, s.Document)
	case InstanceProfile:
		return s.createProfile(c)
	case Policy:
		return s.createPolicy(c)
	default:
		return s.createNetwork(c)
	}
}

// delegate adds NS records for a new zone to its nearest seeded parent zone.
func delegate(c *aws.Call, child *store.Entry) error {
	domain := child.State.String("name")
	var parent *store.Entry
	for _, zone := range c.All(awstype.HostedZone) {
		name := zone.State.String("name")
		if zone.Origin == store.BySeed && strings.HasSuffix(domain, "."+name) && (parent == nil ||
			len(name) > len(parent.State.String("name"))) {
			parent = zone
		}
	}
	if parent == nil {
		return nil
	}
	return c.Add(awstype.Record, route53.RecordID(parent.ID, domain, "NS", ""), props.Map{"zoneId": parent.ID,
		"name": domain, "fqdn": domain, "type": "NS",
		"ttl": 300.0, "records": child.State["nameServers"]})
}
