package offline

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

// Types of this package's API, under the names of the packages that declare them.
type (
	// Account is an offline AWS account.
	Account = aws.Account
	// Resource is a resource of an account.
	Resource = aws.Resource
	// Cluster is the API of an offline Kubernetes cluster.
	Cluster = kubernetes.Cluster
	// Object is a Kubernetes object.
	Object = kubernetes.Object
	// Operators are how HyperShift's operators behave in an offline cluster.
	Operators = faults.Operators
	// Rehearsal configures latency, throttling and faults of the accounts.
	Rehearsal = faults.Rehearsal
	// Seed is a resource that exists in an account although no stack created it.
	Seed = seed.Seed
	// SeedKind is a kind of seed.
	SeedKind = seed.Kind
)

// The kinds of seeds. Package seed describes how each is named.
const (
	SeedPublicZone      = seed.PublicZone
	SeedKMSKey          = seed.KMSKey
	SeedBucket          = seed.Bucket
	SeedOIDCProvider    = seed.OIDCProvider
	SeedVPC             = seed.VPC
	SeedDefaultVPC      = seed.DefaultVPC
	SeedPrivateSubnet   = seed.PrivateSubnet
	SeedPublicSubnet    = seed.PublicSubnet
	SeedMainTableSubnet = seed.MainTableSubnet
	SeedSecurityGroup   = seed.SecurityGroup
	SeedKeyPair         = seed.KeyPair
	SeedImage           = seed.Image
	SeedElasticIP       = seed.ElasticIP
	SeedPrivateZone     = seed.PrivateZone
	SeedEndpointService = seed.EndpointService
	SeedLoadBalancer    = seed.LoadBalancer
	SeedTransitGateway  = seed.TransitGateway
	SeedFirewallService = seed.FirewallService
	SeedIPAMPool        = seed.IPAMPool
	SeedPublicIPAMPool  = seed.PublicIPAMPool
	SeedPublicIPv4Pool  = seed.PublicIPv4Pool
	SeedClientVPC       = seed.ClientVPC
	SeedClientSubnet    = seed.ClientSubnet
	SeedClientGroup     = seed.ClientGroup
	SeedListed          = seed.Listed
	SeedAWSService      = seed.AWSService
	SeedRole            = seed.Role
	SeedInstanceProfile = seed.InstanceProfile
	SeedPolicy          = seed.Policy
)

// AccountOf returns the account that the settings of an AWS provider select, and whether they name it.
func AccountOf(settings map[string]any) (id string, named bool) { return aws.AccountOf(settings) }

// Leavable returns the kinds of resources that operators can leave: see Operators.
func Leavable() []string { return faults.Leavable() }
