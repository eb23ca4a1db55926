package route53

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/aws"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/ids"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
)

func getZone(c *aws.Call, args route53.LookupZoneArgs) (*route53.LookupZoneResult, error) {
	if aws.Deref(args.Name) == "" && aws.Deref(args.ZoneId) == "" && aws.Deref(args.VpcId) == "" && len(args.Tags) == 0 {
		return nil, errors.New("either name, zoneId, vpcId or tags must be set")
	}
	private := aws.Deref(args.PrivateZone) || aws.Deref(args.VpcId) != ""
	associations, err := c.AllAccounts(awstype.ZoneAssociation) // a zone shows the VPCs of other accounts too
	if err != nil {
		return nil, err
	}
	var found []*store.Entry
	for _, rec := range c.All(awstype.HostedZone) {
		s := rec.State
		byID := aws.Deref(args.ZoneId) != ""
		inVPC := aws.Deref(args.VpcId) == ""
		for _, vpc := range s.Objects("vpcs") {
			inVPC = inVPC || vpc.String("vpcId") == aws.Deref(args.VpcId)
		}
		inVPC = inVPC || slices.ContainsFunc(associations, func(f aws.Foreign) bool {
			return f.State.String("zoneId") == rec.ID && f.State.String("vpcId") == aws.Deref(args.VpcId)
		})
		if byID && rec.ID == strings.TrimPrefix(aws.Deref(args.ZoneId), "/hostedzone/") ||
			!byID && (aws.Deref(args.Name) == "" ||
				props.AsDomain.Of(s.String("name")) == props.AsDomain.Of(aws.Deref(args.Name))) &&
				(len(s.Objects("vpcs")) > 0) == private && inVPC && aws.Tagged(s, aws.Tags(args.Tags)) {
			found = append(found, rec)
		}
	}
	id := strings.TrimPrefix(aws.Deref(args.ZoneId), "/hostedzone/")
	if others, err := c.InOtherAccounts("global", awstype.HostedZone, id); len(found) == 0 && id != "" && err == nil &&
		len(others) > 0 { // GetHostedZone has no access to a zone of another account
		return nil, fmt.Errorf("reading Route53 Hosted Zone (%s): operation error Route 53: GetHostedZone, https response error "+
			"StatusCode: 403, api error AccessDenied: User is not authorized to access this resource", id)
	}
	if len(found) == 0 && id != "" { // GetHostedZone refuses it: NoSuchHostedZone
		return nil, errors.New("couldn't find resource")
	}
	zone, err := aws.One("Route 53 Hosted Zone", found)
	if err != nil {
		return nil, err
	}
	return aws.Describe[route53.LookupZoneResult](c, zone, props.Map{
		"zoneId": zone.ID, "callerReference": ids.StableCode("pulumi-", zone.ID),
		"privateZone":            len(zone.State.Objects("vpcs")) > 0,
		"resourceRecordSetCount": float64(len(c.Where(awstype.Record, "zoneId", zone.ID))), "vpcId": aws.Deref(args.VpcId)})
}

// getRecords lists a zone's records, including its SOA and NS records.
func getRecords(c *aws.Call, args route53.GetRecordsArgs) (*route53.GetRecordsResult, error) {
	if c.Find(awstype.HostedZone, args.ZoneId) == nil {
		return nil, fmt.Errorf("listing Route 53 Records: %w", c.Types.Kinds[awstype.HostedZone].NotFound.For(args.ZoneId))
	}
	named, err := regexp.Compile(aws.Deref(args.NameRegex))
	if err != nil {
		return nil, fmt.Errorf("expected \"nameRegex\" to be a regular expression: %w", err)
	}
	result := &route53.GetRecordsResult{Id: args.ZoneId, ZoneId: args.ZoneId, NameRegex: args.NameRegex}
	for _, rec := range c.Where(awstype.Record, "zoneId", args.ZoneId) {
		s := rec.State
		name := s.String("fqdn") + "."
		if !named.MatchString(name) {
			continue
		}
		set := route53.GetRecordsResourceRecordSet{
			Name: name, Type: s.String("type"), SetIdentifier: s.String("setIdentifier"), Ttl: int(s.Number("ttl")),
		}
		for _, value := range s.Strings("records") {
			set.ResourceRecords = append(set.ResourceRecords, route53.GetRecordsResourceRecordSetResourceRecord{Value: value})
		}
		result.ResourceRecordSets = append(result.ResourceRecordSets, set)
	}
	slices.SortFunc(result.ResourceRecordSets, func(a, b route53.GetRecordsResourceRecordSet) int {
		return slices.Compare([]string{a.Name, a.Type}, []string{b.Name, b.Type})
	})
	return result, nil
}

// Functions returns the functions that look up hosted zones and their records.
func Functions() []*aws.Function {
	return []*aws.Function{
		aws.NewFunction("aws:route53/getZone:getZone", getZone),
		aws.NewFunction("aws:route53/getRecords:getRecords", getRecords),
	}
}
