// Package route53 declares the resource types and functions of Route 53 for the offline account.
package route53

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/awserr"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func zoneKinds() []*aws.Kind {
	return []*aws.Kind{
		{
			Token: awstype.HostedZone, Args: route53.ZoneArgs{}, State: route53.ZoneState{},
			Service: "Route 53", Noun: "Hosted Zone",
			Calls: aws.Calls{Update: "ChangeTagsForResource"}, Global: true,
			AutoName:      "name",
			ConflictsWith: [][]string{{"delegationSetId", "vpcs"}},
			CompareAs:     map[string]props.Form{"name": props.AsDomain, "vpcs": props.AsVPCs},
			Unread:        []string{"forceDestroy"},
			NotFound:      awserr.Template{Code: "NoSuchHostedZone", Text: "No hosted zone found with ID: %s"},
			InUse: awserr.Template{Code: "HostedZoneNotEmpty",
				Text: "The specified hosted zone (%s) contains non-required resource record sets and so cannot be deleted."},
			Rules:       []aws.Rule{zoneVPCsExist, oneZonePerDomain, keepOneVPC},
			DeleteRules: []aws.Rule{zoneIsEmpty},
			ID:          func(*aws.Call) string { return ids.Code("Z", 21) },
			OnCreate:    createZoneRecords,
			OnUpdate: func(c *aws.Call) error {
				fillVPCRegions(c)
				return nil
			},
			OnRead: addAssociatedVPCs,
		},
		{
			Token: awstype.Record, Args: route53.RecordArgs{}, State: route53.RecordState{},
			Service: "Route 53", Noun: "Record", Calls: aws.Calls{Create: "ChangeResourceRecordSets",
				Update: "ChangeResourceRecordSets", Remove: "ChangeResourceRecordSets"}, Global: true,
			ExactlyOneOf:  [][]string{{"aliases", "records"}},
			ConflictsWith: [][]string{{"aliases", "ttl"}},
			Unread:        []string{"allowOverwrite"},
			CompareAs:     map[string]props.Form{"name": props.AsDomain},
			UniqueBy:      []string{"name", "zoneId"},
			References:    []aws.Reference{{Input: "zoneId", Type: awstype.HostedZone, Dependency: aws.DeletedWith}},
			NotFound:      awserr.Template{Code: "InvalidChangeBatch", Text: "[%s was not found]"},
			Rules:         []aws.Rule{recordHasValue, recordInZone, recordIsNew, soaFields},
			DeleteRules:   []aws.Rule{zoneDefaultsStay},
			ID: func(c *aws.Call) string {
				s := c.State()
				return RecordID(s.String("zoneId"), s.String("name"), s.String("type"), s.String("setIdentifier"))
			},
			OnCreate: replaceRecord,
			OnUpdate: completeRecord,
		},
	}
}

// zoneVPCsExist: a private zone is associated with existing VPCs, each in its region.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_CreateHostedZone.html
func zoneVPCsExist(c *aws.Call) error {
	for _, vpc := range c.State().Objects("vpcs") {
		region := cmp.Or(vpc.String("vpcRegion"), c.Region)
		if c.Get(store.Key{Scope: region, Token: awstype.VPC, ID: vpc.String("vpcId")}) == nil {
			return awserr.Errorf("InvalidVPCId", "The VPC: %s does not exist in region %s.", vpc.String("vpcId"), region)
		}
	}
	return nil
}

// addAssociatedVPCs shows the VPCs that associations of any account have added to a zone, as GetHostedZone does.
func addAssociatedVPCs(c *aws.Call, out props.Map) {
	associations, err := c.AllAccounts(awstype.ZoneAssociation)
	if err != nil {
		return // of another account's file, which its own calls report
	}
	vpcs, _ := out["vpcs"].([]any)
	for _, a := range associations {
		if a.State.String("zoneId") == c.Resource.ID {
			vpcs = append(slices.Clone(vpcs), map[string]any{
				"vpcId":     a.State.String("vpcId"),
				"vpcRegion": a.State.String("vpcRegion"),
			})
		}
	}
	if len(vpcs) > 0 {
		out["vpcs"] = vpcs
	}
}

// oneZonePerDomain: a VPC is associated with one private zone per domain.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_AssociateVPCWithHostedZone.html
func oneZonePerDomain(c *aws.Call) error {
	for _, vpc := range c.State().Objects("vpcs") {
		region := cmp.Or(vpc.String("vpcRegion"), c.Region)
		if err := domainFree(c, c.Resource.ID, c.State().String("name"), vpc.String("vpcId"), region); err != nil {
			return err
		}
	}
	return nil
}

func domainFree(c *aws.Call, zoneID, domain, vpcID, region string) error {
	// The VPC may be associated with zones of any account.
	zones, err := c.AllAccounts(awstype.HostedZone)
	if err != nil {
		return err
	}
	associations, err := c.AllAccounts(awstype.ZoneAssociation)
	if err != nil {
		return err
	}
	for _, other := range zones {
		if other.ID == zoneID || props.AsDomain.Of(other.State["name"]) != props.AsDomain.Of(domain) {
			continue
		}
		own := slices.ContainsFunc(other.State.Objects("vpcs"), func(theirs props.Map) bool {
			return theirs.String("vpcId") == vpcID
		})
		added := slices.ContainsFunc(associations, func(a aws.Foreign) bool {
			return a.State.String("zoneId") == other.ID && a.State.String("vpcId") == vpcID
		})
		if own || added {
			return awserr.Errorf("ConflictingDomainExists", "The VPC %s in region %s has already been associated with the "+
				"hosted zone %s with the same domain name.", vpcID, region, other.ID)
		}
	}
	return nil
}

// keepOneVPC: a private zone keeps at least one VPC, and a public zone does not get one.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_DisassociateVPCFromHostedZone.html
func keepOneVPC(c *aws.Call) error {
	if c.Old == nil {
		return nil
	}
	before, after := len(c.Old.State.Objects("vpcs")), len(c.State().Objects("vpcs"))
	switch {
	case before > 0 && after == 0:
		return awserr.Errorf("LastVPCAssociation", "The VPC you are trying to disassociate from the hosted zone is the last "+
			"VPC that is associated with the hosted zone.")
	case before == 0 && after > 0:
		return awserr.Errorf("PublicZoneVPCAssociation",
			"The hosted zone %s is a public hosted zone; it cannot be associated "+
				"with a VPC.", c.Resource.ID)
	}
	return nil
}

// zoneIsEmpty: a zone can be deleted only without records except its SOA and NS records. With forceDestroy the provider
// deletes the records.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_DeleteHostedZone.html
func zoneIsEmpty(c *aws.Call) error {
	if c.State().Bool("forceDestroy") {
		return nil
	}
	for _, rec := range c.Where(awstype.Record, "zoneId", c.Resource.ID) {
		if !isZoneDefault(rec.State, c.State().String("name")) {
			return c.Kind.InUse.For(c.Resource.ID)
		}
	}
	return nil
}

// createZoneRecords creates a zone's SOA and NS records.
func createZoneRecords(c *aws.Call) error {
	s := c.Resource.State
	s["name"] = strings.TrimSuffix(s.String("name"), ".")
	s["zoneId"] = c.Resource.ID
	fillVPCRegions(c)

	var servers []string
	private := len(s.Objects("vpcs")) > 0
	if private {
		// Private zones have the same four in every account.
		servers = []string{"ns-1536.awsdns-00.co.uk.", "ns-0.awsdns-00.com.", "ns-1024.awsdns-00.org.",
			"ns-512.awsdns-00.net."}
	} else {
		for i, top := range []string{"com", "net", "org", "co.uk"} {
			servers = append(servers, fmt.Sprintf("ns-%d.awsdns-%02d.%s", 512*i+ids.RandomBelow(512), ids.RandomBelow(64), top))
		}
	}
	dotted := make([]string, len(servers))
	for i, server := range servers {
		dotted[i] = strings.TrimSuffix(server, ".") + "."
	}
	sorted := slices.Sorted(slices.Values(servers))
	s["nameServers"] = props.List(sorted...)
	s["primaryNameServer"] = servers[0]
	if private {
		// The provider reads a private zone's name servers from its NS record, with trailing dots, and returns the first
		// after sorting them as the primary: not the one in the SOA record.
		s["primaryNameServer"] = sorted[0]
	}
	return errors.Join(addRecord(c, "SOA", 900, dotted[0]+" awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"),
		addRecord(c, "NS", 172800, dotted...))
}

// addRecord adds a record that comes with the zone.
func addRecord(c *aws.Call, recordType string, ttl float64, values ...string) error {
	name := c.State().String("name")
	return c.Add(awstype.Record, RecordID(c.Resource.ID, name, recordType, ""), props.Map{"zoneId": c.Resource.ID,
		"name": name, "fqdn": name,
		"type": recordType, "ttl": ttl, "records": props.List(values...)})
}

func fillVPCRegions(c *aws.Call) {
	for _, vpc := range c.Resource.State.Objects("vpcs") {
		vpc["vpcRegion"] = cmp.Or(vpc.String("vpcRegion"), c.Region)
	}
}

// RecordID returns the provider's ID of a record: zone, name, type and, where there is one, set identifier.
func RecordID(zone, name, recordType, set string) string {
	id := zone + "_" + strings.ToLower(name) + "_" + recordType
	if set != "" {
		id += "_" + set
	}
	return id
}

// isZoneDefault reports whether a record is a zone's own SOA or NS record.
func isZoneDefault(record props.Map, zone string) bool {
	return (record.String("type") == "SOA" || record.String("type") == "NS") && record["fqdn"] == props.AsDomain.Of(zone)
}

// qualified returns a record's fully qualified name.
func qualified(c *aws.Call) string {
	name, _ := props.AsDomain.Of(c.State().String("name")).(string)
	zone, _ := props.AsDomain.Of(c.Find(awstype.HostedZone, c.State().String("zoneId")).State.String("name")).(string)
	switch {
	case name == "":
		return zone
	case name == zone || strings.HasSuffix(name, "."+zone):
		return name
	default:
		return name + "." + zone
	}
}

// recordHasValue: a record set has values and a TTL, or an alias.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ResourceRecordSet.html
func recordHasValue(c *aws.Call) error {
	if len(c.State().Objects("aliases")) > 0 {
		return nil
	}
	if len(c.State().Strings("records")) == 0 || !c.State().Has("ttl") {
		return awserr.Errorf("InvalidInput", "Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], "+
			"or TrafficPolicyInstanceId], but found none in Change with [Action=CREATE, Name=%s., Type=%s, SetIdentifier=null]",
			qualified(c), c.State().String("type"))
	}
	return nil
}

// recordInZone: a CNAME is not allowed at the zone apex.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html
func recordInZone(c *aws.Call) error {
	zone := props.AsDomain.Of(c.Find(awstype.HostedZone, c.State().String("zoneId")).State.String("name"))
	if c.State().String("type") == "CNAME" && qualified(c) == zone {
		return awserr.Errorf("InvalidChangeBatch",
			"[RRSet of type CNAME with DNS name %s. is not permitted at apex in zone %s.]",
			qualified(c), zone)
	}
	return nil
}

// recordIsNew: a zone has one record set per name, type and set identifier, unless allowOverwrite is set.
// https://docs.aws.amazon.com/Route53/latest/APIReference/API_ChangeResourceRecordSets.html
func recordIsNew(c *aws.Call) error {
	if c.State().Bool("allowOverwrite") {
		return nil
	}
	if other := sameRecord(c); other != nil && other.ID != c.Resource.ID {
		return awserr.Errorf("InvalidChangeBatch", "[Tried to create resource record set [name='%s.', type='%s'] but it already exists]",
			qualified(c), c.State().String("type"))
	}
	return nil
}

// sameRecord returns the existing record set with the same name, type and set identifier, or nil if there is none.
func sameRecord(c *aws.Call) *store.Entry {
	for _, other := range c.Where(awstype.Record, "zoneId", c.State().String("zoneId")) {
		if other.State["fqdn"] == qualified(c) && other.State.String("type") == c.State().String("type") &&
			other.State.String("setIdentifier") == c.State().String("setIdentifier") {
			return other
		}
	}
	return nil
}

// soaFields: an SOA record has seven fields.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/ResourceRecordTypes.html
func soaFields(c *aws.Call) error {
	if c.State().String("type") != "SOA" {
		return nil
	}
	values := c.State().Strings("records")
	if len(values) != 1 || len(strings.Fields(values[0])) != 7 {
		return awserr.Errorf("InvalidChangeBatch", "[Invalid Resource Record: "+
			"FATAL problem: SOARecordDoesNotHaveSevenParts encountered with '%s']",
			strings.Join(values, " "))
	}
	return nil
}

// zoneDefaultsStay: a zone's SOA and NS records are deleted only with the zone.
// https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/SOA-NSrecords.html
func zoneDefaultsStay(c *aws.Call) error {
	zone := c.Find(awstype.HostedZone, c.State().String("zoneId"))
	if zone == nil || !isZoneDefault(c.State(), zone.State.String("name")) {
		return nil
	}
	if c.State().String("type") == "SOA" {
		return awserr.Errorf("InvalidChangeBatch", "[A HostedZone must contain exactly one SOA record.]")
	}
	return awserr.Errorf("InvalidChangeBatch", "[A HostedZone must contain at least one NS record for the zone itself.]")
}

func replaceRecord(c *aws.Call) error {
	if other := sameRecord(c); other != nil {
		c.Delete(other)
	}
	return completeRecord(c)
}

func completeRecord(c *aws.Call) error {
	c.Resource.State["name"] = props.AsDomain.Of(c.State().String("name"))
	c.Resource.State["fqdn"] = qualified(c)
	return nil
}

// Kinds returns the resource types of Route 53.
func Kinds() []*aws.Kind {
	return slices.Concat(zoneKinds(), zoneAssociationKinds())
}
