package offline

import (
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/faults"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/kubernetes"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/seed"
)

// What callers of this package handle is declared where it belongs.
type (
	// Account is an offline AWS account.
	Account = aws.Account
	// Resource is something that an account holds.
	Resource = aws.Resource
	// Cluster is the API of an offline Kubernetes cluster.
	Cluster = kubernetes.Cluster
	// Object is a Kubernetes object.
	Object = kubernetes.Object
	// Operators are how HyperShift's operators behave in an offline cluster.
	Operators = faults.Operators
	// Rehearsal is how the accounts behave over time and what goes wrong in them.
	Rehearsal = faults.Rehearsal
	// Killer ends processes during a rehearsal.
	Killer = faults.Killer
	// Seed is something that an account holds without any stack having made it.
	Seed = seed.Seed
	// SeedKind is a kind of thing that can be there before any stack.
	SeedKind = seed.Kind
)

// The kinds of seeds: see package seed for what each is named by.
const (
	SeedPublicZone      = seed.PublicZone
	SeedKMSKey          = seed.KMSKey
	SeedOIDCProvider    = seed.OIDCProvider
	SeedVPC             = seed.VPC
	SeedPrivateSubnet   = seed.PrivateSubnet
	SeedPublicSubnet    = seed.PublicSubnet
	SeedSecurityGroup   = seed.SecurityGroup
	SeedElasticIP       = seed.ElasticIP
	SeedPrivateZone     = seed.PrivateZone
	SeedEndpointService = seed.EndpointService
	SeedLoadBalancer    = seed.LoadBalancer
	SeedAWSService      = seed.AWSService
	SeedRole            = seed.Role
	SeedInstanceProfile = seed.InstanceProfile
	SeedPolicy          = seed.Policy
)

// Leavable are the kinds of things that operators can leave behind: see Operators.
func Leavable() []string { return faults.Leavable() }
