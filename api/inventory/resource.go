// Package inventory describes what exists in AWS: resources with their accounts, and what a sweep would delete or has
// deleted. IDs have the form that an import takes.
package inventory

import (
	"strings"
	"time"
)

// Place is the partition, account and region of a provider.
type Place struct {
	// Partition is "aws", "aws-cn" or "aws-us-gov", Account has twelve digits, Region is "us-east-1".
	Partition, Account, Region string
}

// Resource is a resource in AWS.
type Resource struct {
	// Type is the Pulumi type, "aws:ec2/vpc:Vpc". ID is the ID for an import.
	Type, ID string
	// ARN is "" for types without one.
	ARN string
	// Tags are all its tags; nil if AWS's list of the type has none.
	Tags map[string]string
	// Created is when it was created; zero for types for which AWS does not return it.
	Created time.Time
	// Properties are those that identify it or determine its price, under the provider's names.
	Properties map[string]any
	// Owner is the account that owns it, "" if AWS does not return it. For a shared subnet, that is another account.
	Owner string
	// VPC is the ID of its VPC, for a VPC its own ID; "" for a resource outside of VPCs.
	VPC string
	// State is its state in AWS, "running" or "in-use"; "" if it has none.
	State string
	// UsedBy are the IDs of the resources that it is attached to.
	UsedBy []string
	// Interfaces are the IDs of the network interfaces that belong to it.
	Interfaces []string
	// Description is the description of a network interface, from AWS or from its creator; for a TXT record of
	// external-dns, the record's text.
	Description string
	// Groups are the IDs of the security groups of a network interface.
	Groups []string
	// Backends are the ARNs of the load balancers that an endpoint service offers.
	Backends []string
	// Hosts are the DNS names and addresses of a load balancer, an endpoint or an elastic IP, the public address of a
	// network interface, and those that a record points at, in the form of Host.
	Hosts []string
	// Domain is the name of a hosted zone.
	Domain string
	// DeletedWith is the resource that it is deleted with, if it cannot be deleted on its own: the VPC of a main route
	// table. Default "".
	DeletedWith string
}

// Text returns a property, or "" if it is not a string.
func (r Resource) Text(property string) string {
	text, _ := r.Properties[property].(string)
	return text
}

// Zone returns the ID of the hosted zone that a record is in.
func (r Resource) Zone() string {
	zone, _, _ := strings.Cut(r.ID, "_")
	return zone
}

// Name returns the tag Name, or "" without one.
func (r Resource) Name() string { return r.Tags["Name"] }
