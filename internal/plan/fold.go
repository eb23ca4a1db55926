package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

// zoneName matches the name of a zone in a resource's name: us-east-1a, us-gov-west-1b, us-west-2-lax-1a.
var zoneName = regexp.MustCompile(`(?:^|-)((?:[a-z]{2}|eusc)(?:-[a-z]+){1,3}-\d(?:-[a-z]+-\d)?[a-z])(?:-|$)`)

// folded returns phrases that name resources of a type: those that differ in the zone alone are one phrase, "private
// and public in us-east-1a, 1b". Left out are the prefix, which is the name of their component, and a name that the
// type's label contains.
func folded(names []string, prefix, label string) []string {
	type group struct{ stems, zones []string }
	var zonal []*group
	zonesOf := map[string][]string{}
	var stems, plain []string
	for _, name := range names {
		name = strings.TrimPrefix(name, prefix+"-")
		at := zoneName.FindStringSubmatchIndex(name)
		if at == nil {
			plain = append(plain, name)
			continue
		}
		stem := strings.Trim(name[:at[2]], "-")
		if tail := strings.Trim(name[at[3]:], "-"); tail != "" {
			stem = strings.Trim(stem+"-"+tail, "-")
		}
		if zonesOf[stem] == nil {
			stems = append(stems, stem)
		}
		zonesOf[stem] = append(zonesOf[stem], name[at[2]:at[3]])
	}
	for _, stem := range stems {
		zones := zonesOf[stem]
		slices.Sort(zones)
		if i := slices.IndexFunc(zonal, func(g *group) bool { return slices.Equal(g.zones, zones) }); i >= 0 {
			zonal[i].stems = append(zonal[i].stems, stem)
			continue
		}
		zonal = append(zonal, &group{[]string{stem}, zones})
	}
	var phrases []string
	for _, g := range zonal {
		text := zones(g.zones)
		if names := and(g.stems); names != "" && !strings.Contains(strings.ToLower(label), names) {
			text = names + " in " + text
		}
		phrases = append(phrases, text)
	}
	for _, name := range plain {
		if len(plain) > 1 || !strings.Contains(strings.ToLower(label), strings.ReplaceAll(name, "-", " ")) {
			phrases = append(phrases, name)
		}
	}
	return phrases
}

// and joins words: "private", "private and public", "a, b and c".
func and(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// zones lists zones of one region: "us-east-1a, 1b".
func zones(names []string) string {
	first := names[0]
	region := first[:strings.LastIndex(first, "-")+1]
	list := []string{first}
	for _, name := range names[1:] {
		if short := strings.TrimPrefix(name, region); !strings.Contains(short, "-") {
			name = short
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// valueText returns a value as text: plain text without quotes unless it could be taken for something else, all others
// as JSON.
func valueText(value any) string {
	switch value {
	case nil:
		return "(none)"
	case changes.UnknownValue:
		return "(known after apply)"
	}
	text, ok := value.(string)
	if !ok {
		return shown(value)
	}
	if text == "" || strings.TrimSpace(text) != text || report.OneLine(text) != text || document(text) == nil && ambiguous.MatchString(text) {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// ambiguous matches text that without quotes would be read as another type.
var ambiguous = regexp.MustCompile(`^(true|false|null|-?[0-9.]+|\(.*\))$`)
