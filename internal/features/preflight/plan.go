package preflight

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/permissions"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
	"github.com/hypershift-aws/hypershift-aws/stacks/config"
)

// Plan describes what a stack requires of AWS.
type Plan struct {
	// Stack is the stack's name.
	Stack string
	// Resources are those that the stack has when the plan is carried out.
	Resources []Resource
	// Nodes are the machines that operators start for the stack's cluster later.
	Nodes []Nodes
	// Hosted is the hosted cluster whose operators create resources later, nil if there is none, or if it exists already.
	Hosted *HostedCluster
	// VPCID is the ID of the VPC that the cluster uses if it exists, or if another stack has it; "" for the stack's own.
	VPCID string
	// New is true if the stack has no resources yet.
	New bool
	// Needs are the permissions that the stack needs in AWS, from the first `up` to `destroy`. If empty, permissions are
	// not checked.
	Needs []permissions.Need
	// Own is the place of the stack's own provider: needs without an account belong there.
	Own inventory.Place
	// Given are the existing resources that the stack's file names, nil without any.
	Given *ExistingParts
	// PublicDomain is the domain whose public zone must be delegated, "" for none.
	PublicDomain string
	// PublicZoneNew is true if the plan creates the zone.
	PublicZoneNew bool
	// Releases are the release images of the stack's hosted cluster and its node pools.
	Releases config.Releases
	// Resolved is what the nodes of a hosted cluster resolve, nil for other stacks.
	Resolved *Resolved
	// DNS is what the DNS servers of an existing VPC have to resolve; empty if AWS's own resolver does.
	DNS DNS
}

// DNS is what DNS servers have to resolve.
type DNS struct {
	// Servers are the servers' addresses.
	Servers []string
	// Hosts are names with addresses, and Zones are domains of private zones that exist.
	Hosts, Zones []string
}

// Resolved is what the nodes of a hosted cluster resolve in their VPC.
type Resolved struct {
	// VPC is the VPC's ID, "" if the plan creates it. Place is that of its owner, and Others is true if it is not the
	// stack's.
	VPC    string
	Place  inventory.Place
	Others bool
	// Zones are the domains of the cluster's own private zones.
	Zones []string
	// Names are what nodes resolve. Public are those that public DNS has, and without the vital ones nodes never join.
	Names, Public, Vital []string
	// OwnServers is true if the VPC has DNS servers other than AWS's, which may forward a name elsewhere.
	OwnServers bool
}

// Resource is a resource of the stack as the plan leaves it.
type Resource struct {
	URN, Type, ID string
	// Place is the place of its provider.
	Place inventory.Place
	// Created is true if the plan creates it in addition to all existing resources.
	Created bool
	// Inputs are its inputs; values that are unknown before AWS has created another resource are
	// plugin.UnknownStringValue.
	Inputs props.Map
	// From are the URNs of the resources that supply an input, by the input's name.
	From map[string][]string
}

// Nodes are machines of one kind.
type Nodes struct {
	config.Nodes
	Place inventory.Place
	// Exist is true if they already exist: only the zones' offers are checked.
	Exist bool
}

// text returns a text input, or "" if it is not set or not known yet.
func (r Resource) text(name string) string {
	if text := r.Inputs.String(name); text != plugin.UnknownStringValue {
		return text
	}
	return ""
}

// source returns the resource from which an input comes or, if the input is an ID, the resource with the ID; nil if the
// plan has none.
func (p Plan) source(r Resource, input, token string) *Resource {
	id := r.text(input)
	for i, other := range p.Resources {
		if other.Type != token || other.Place.Account != r.Place.Account {
			continue
		}
		if id != "" && other.ID == id {
			return &p.Resources[i]
		}
		for _, urn := range r.From[input] {
			if id == "" && other.URN == urn {
				return &p.Resources[i]
			}
		}
	}
	return nil
}

// subnetZones returns the zones of a resource's subnets, by the input that names them.
func (p Plan) subnetZones(r Resource, input string) []string {
	var zones []string
	for _, urn := range r.From[input] {
		for _, other := range p.Resources {
			if zone := other.text("availabilityZone"); other.URN == urn && other.Type == awstype.Subnet && zone != "" {
				zones = append(zones, zone)
			}
		}
	}
	return unique(zones)
}

// name returns a resource's name in messages: the last part of its URN.
func (r Resource) name() string {
	return r.URN[strings.LastIndex(r.URN, ":")+1:]
}
