package offline

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/pulumi/pulumi-aws/sdk/v6/go/aws/route53"
)

// getRecords lists a zone's records, those that it came with among them.
func getRecords(c *call, args route53.GetRecordsArgs) (*route53.GetRecordsResult, error) {
	if c.find(zoneToken, args.ZoneId) == nil {
		return nil, fmt.Errorf("listing Route 53 Records: %w", c.types.kinds[zoneToken].missing.about(args.ZoneId))
	}
	named, err := regexp.Compile(deref(args.NameRegex))
	if err != nil {
		return nil, fmt.Errorf("expected \"nameRegex\" to be a regular expression: %w", err)
	}
	result := &route53.GetRecordsResult{Id: args.ZoneId, ZoneId: args.ZoneId, NameRegex: args.NameRegex}
	for _, rec := range c.all(recordToken) {
		s := rec.State
		name := s.text("fqdn") + "."
		if s.text("zoneId") != args.ZoneId || !named.MatchString(name) {
			continue
		}
		set := route53.GetRecordsResourceRecordSet{
			Name: name, Type: s.text("type"), SetIdentifier: s.text("setIdentifier"), Ttl: int(s.number("ttl")),
		}
		for _, value := range s.texts("records") {
			set.ResourceRecords = append(set.ResourceRecords, route53.GetRecordsResourceRecordSetResourceRecord{Value: value})
		}
		result.ResourceRecordSets = append(result.ResourceRecordSets, set)
	}
	slices.SortFunc(result.ResourceRecordSets, func(a, b route53.GetRecordsResourceRecordSet) int {
		return slices.Compare([]string{a.Name, a.Type}, []string{b.Name, b.Type})
	})
	return result, nil
}

// zoneFunctions are the functions that look up hosted zones and their records.
func zoneFunctions() []*function {
	return []*function{
		answering("aws:route53/getZone:getZone", getZone),
		answering("aws:route53/getRecords:getRecords", getRecords),
	}
}
