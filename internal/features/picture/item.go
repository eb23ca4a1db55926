package picture

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"

	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/features/forecast/price"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// item is a resource that is drawn.
type item struct {
	apitype.ResourceV3
	graph *graph
	// region and account are the location of the resource, "" if it is unknown or it has none.
	region, account string
	// change is the effect of the plan.
	change Change
	// outside is set for an item that is not a resource of the stack.
	outside *outside
}

// graph is the resources that are drawn.
type graph struct {
	items []*item
	byURN map[resource.URN]*item
	byID  map[string][]*item
}

func newGraph(resources []apitype.ResourceV3, changes map[string]Change, added ...apitype.ResourceV3) *graph {
	g := &graph{byURN: map[resource.URN]*item{}, byID: map[string][]*item{}}
	for _, r := range added {
		it := &item{ResourceV3: r, graph: g, region: price.Region(r, resources)}
		it.outside = &outside{label: "added outside the stack", name: string(r.ID), key: string(r.URN)}
		g.items, g.byURN[r.URN] = append(g.items, it), it
	}
	for _, r := range resources {
		if !r.Custom || r.Delete || r.Type == "pulumi:pulumi:StackReference" || r.Type == "pulumi:providers:pulumi" {
			continue
		}
		it := &item{ResourceV3: r, graph: g, region: price.Region(r, resources), change: changes[string(r.URN)]}
		g.items = append(g.items, it)
		g.byURN[r.URN] = it
		ids := []string{string(r.ID), it.text("arn")}
		if string(r.Type) == awstype.VPCEndpointService {
			ids = append(ids, it.text("serviceName")) // by which endpoints refer to it
		}
		for _, id := range ids {
			if id != "" && !slices.Contains(g.byID[id], it) {
				g.byID[id] = append(g.byID[id], it)
			}
		}
	}
	slices.SortFunc(g.items, func(a, b *item) int { return strings.Compare(string(a.URN), string(b.URN)) })
	g.findAccounts(nil)
	return g
}

// managed returns how many resources there are, as a plan counts them: without the engine's own.
func (g *graph) managed() int {
	n := 0
	for _, it := range g.items {
		if it.outside == nil && !strings.HasPrefix(string(it.Type), "pulumi:") {
			n++
		}
	}
	return n
}

// findAccounts sets the account of each item, from its ARN, from another item of its provider or from its provider's
// settings. asked are the accounts that providers lead to, by name.
func (g *graph) findAccounts(asked map[string]string) {
	byProvider := map[string]string{}
	for _, it := range g.items {
		for _, property := range []string{"arn", "ownerId"} {
			if account := accountOf(it.text(property)); it.account == "" && account != "" {
				it.account = account
			}
		}
		if it.account != "" && byProvider[it.provider()] == "" {
			byProvider[it.provider()] = it.account
		}
	}
	for _, it := range g.items {
		if strings.HasPrefix(string(it.Type), "pulumi:providers:aws") {
			it.account = cmp.Or(byProvider[string(it.URN)], it.configuredAccount(), asked[it.providerName()])
			byProvider[string(it.URN)] = it.account
		}
	}
	for _, it := range g.items {
		if it.account == "" && strings.HasPrefix(string(it.Type), "aws:") {
			it.account = byProvider[it.provider()]
		}
	}
}

// accountOfProvider returns the account of a provider by its name, "" if it is unknown.
func (g *graph) accountOfProvider(name string) string {
	for _, it := range g.items {
		if strings.HasPrefix(string(it.Type), "pulumi:providers:aws") && it.providerName() == name {
			return it.account
		}
	}
	return ""
}

// mainAccount returns the account of most items.
func (g *graph) mainAccount() string {
	count, main := map[string]int{}, ""
	for _, it := range g.items {
		if it.account != "" {
			count[it.account]++
		}
		if count[it.account] > count[main] || count[it.account] == count[main] && it.account < main {
			main = it.account
		}
	}
	return main
}

// roleAccount matches the account of a role that a provider assumes.
var roleAccount = regexp.MustCompile(`arn:aws[a-z-]*:iam::(\d{12}):role/`)

// provider returns the URN of an item's provider. The reference to it also has its ID, which a plan does not know.
func (r *item) provider() string { return r.Provider[:max(0, strings.LastIndex(r.Provider, "::"))] }

// providerName returns the name of a provider of AWS in the stack's file, "" for the stack's own.
func (r *item) providerName() string {
	if name := r.URN.Name(); !strings.HasPrefix(name, "default_") { // which has the version of the SDK
		return name
	}
	return ""
}

// configuredAccount returns the account in a provider's settings: that of the last role that it assumes, or the only
// one that is allowed. It returns "" if they have none.
func (r *item) configuredAccount() string {
	for _, property := range []string{"assumeRoles", "assumeRole"} {
		if all := roleAccount.FindAllStringSubmatch(fmt.Sprint(r.Inputs[property]), -1); all != nil {
			return all[len(all)-1][1]
		}
	}
	allowed := strings.Trim(fmt.Sprint(r.Inputs["allowedAccountIds"]), `[]"`)
	return accountOf(allowed)
}

// accountOf returns the account in an ARN, or the text itself where it is an account.
func accountOf(text string) string {
	if parts := strings.SplitN(text, ":", 6); len(parts) == 6 {
		text = parts[4]
	}
	if len(text) == 12 && strings.Trim(text, "0123456789") == "" {
		return text
	}
	return ""
}

func (r *item) name() string {
	if r.outside != nil {
		return r.outside.name
	}
	if strings.HasPrefix(string(r.Type), "pulumi:providers:") && r.providerName() == "" {
		return "the stack's own"
	}
	return r.URN.Name()
}

// id returns AWS's ID, or "" if there is none yet: a resource that a plan creates has its name as its ID.
func (r *item) id() string {
	if r.change == Create {
		return ""
	}
	return string(r.ID)
}

// text returns a property that is a string: the value in AWS, or else the program's. It returns "" for a secret.
func (r *item) text(property string) string {
	for _, properties := range []props.Map{r.Outputs, r.Inputs} {
		if text := properties.String(property); text != "" && text != plugin.UnknownStringValue {
			return text
		}
	}
	return ""
}

// texts returns a property that is a text or a list of texts.
func (r *item) texts(property string) []string {
	var list []string
	for _, properties := range []props.Map{r.Outputs, r.Inputs} {
		if text := properties.String(property); text != "" {
			list = append(list, text)
		}
		list = append(list, properties.Strings(property)...)
	}
	return list
}

// targets returns the items of one of the types that a property refers to: by its value, or where that is not known by
// the program's own dependencies.
func (r *item) targets(property string, types ...string) []*item {
	var found []*item
	add := func(it *item) {
		if it != r && slices.Contains(types, string(it.Type)) && !slices.Contains(found, it) {
			found = append(found, it)
		}
	}
	for _, text := range r.texts(property) {
		for _, it := range r.graph.byID[text] {
			add(it)
		}
	}
	if len(found) == 0 {
		for _, urn := range r.PropertyDependencies[resource.PropertyKey(property)] {
			if it := r.graph.byURN[urn]; it != nil {
				add(it)
			}
		}
	}
	slices.SortFunc(found, func(a, b *item) int { return strings.Compare(string(a.URN), string(b.URN)) })
	return found
}

// target returns the name of the item that a property refers to, or the property's own text.
func (r *item) target(property, token string) string {
	if list := r.targets(property, token); len(list) > 0 {
		return list[0].name()
	}
	return last(r.text(property), "/")
}

// owner returns the item in whose box this one is a line, or nil for one with its own box.
func (r *item) owner() *item {
	way, ok := rows[string(r.Type)]
	if !ok {
		return nil
	}
	var owner *item
	if way.reverse {
		for _, it := range r.graph.items {
			if slices.Contains(way.owners, string(it.Type)) && slices.Contains(it.targets(way.property, string(r.Type)), r) {
				owner = it
				break
			}
		}
	} else if list := r.targets(way.property, way.owners...); len(list) > 0 {
		owner = list[0]
	}
	if owner == nil {
		return nil
	}
	if above := owner.owner(); above != nil {
		return above
	}
	return owner
}

func lines(properties ...string) func(*item) []string {
	return func(r *item) []string {
		var list []string
		for _, property := range properties {
			if text := r.text(property); text != "" {
				list = append(list, text)
			}
		}
		return list
	}
}

func subnetLines(r *item) []string {
	var roles []string
	tags := props.Map(r.Inputs).Object("tags")
	if tags[hypershift.InternalELBTag] != nil {
		roles = append(roles, "internal load balancers")
	}
	if tags[hypershift.PublicELBTag] != nil {
		roles = append(roles, "public load balancers")
	}
	var further []string
	for _, key := range tags.Keys() {
		infraID, isCluster := strings.CutPrefix(key, hypershift.ClusterTagPrefix)
		if isCluster && tags.String(key) == "shared" && tags.String(hypershift.InfraIDTag) != "" {
			further = append(further, infraID)
		}
	}
	if len(further) > 0 {
		roles = append(roles, "also for "+strings.Join(further, ", "))
	}
	return append(lines("cidrBlock")(r), roles...)
}

func endpointLines(r *item) []string {
	kind := r.text("vpcEndpointType")
	if kind == "" {
		kind = "Gateway"
	}
	return []string{kind, last(r.text("serviceName"), "com.amazonaws.")}
}

func zoneLines(r *item) []string {
	seen := "public"
	if len(props.Map(r.Inputs).Objects("vpcs")) > 0 {
		seen = "private"
	}
	return []string{r.text("name"), seen}
}

func says(text string) func(*item) string { return func(*item) string { return text } }

func routeText(r *item) string {
	to := r.text("destinationCidrBlock") + r.text("destinationIpv6CidrBlock")
	for _, way := range []struct{ property, token string }{{"natGatewayId", awstype.NATGateway},
		{"gatewayId", awstype.InternetGateway},
		{"egressOnlyGatewayId", awstype.EgressOnlyGateway}, {"networkInterfaceId", awstype.Instance},
		{"vpcEndpointId", awstype.VPCEndpoint}} {
		if r.text(way.property) != "" || len(r.PropertyDependencies[resource.PropertyKey(way.property)]) > 0 {
			return to + " → " + r.target(way.property, way.token)
		}
	}
	return to
}

func recordText(r *item) string {
	text := r.text("type") + " " + r.text("name")
	if kind := r.text("type"); kind == "CNAME" || kind == "A" || kind == "AAAA" {
		if values := r.texts("records"); len(values) > 0 {
			text += " → " + values[0]
		}
	}
	return text
}

func ruleText(way string) func(*item) string {
	return func(r *item) string {
		ports := "every port"
		from, to := props.Map(r.Inputs).Number("fromPort"), props.Map(r.Inputs).Number("toPort")
		switch {
		case r.text("ipProtocol") == "-1":
		case from == to:
			ports = fmt.Sprintf("%s %g", r.text("ipProtocol"), from)
		default:
			ports = fmt.Sprintf("%s %g–%g", r.text("ipProtocol"), from, to)
		}
		whom := r.text("cidrIpv4") + r.text("cidrIpv6")
		if whom == "" {
			whom = r.target("referencedSecurityGroupId", awstype.SecurityGroup)
		}
		return ports + " " + way + " " + whom
	}
}

// last returns the text after the last separator.
func last(text, separator string) string {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[i+len(separator):]
	}
	return text
}

func vpcPage(page string) func(*item) string {
	return func(r *item) string { return "vpcconsole/home?region=" + r.region + "#" + page + r.id() }
}

func ec2Page(page string) func(*item) string {
	return func(r *item) string { return "ec2/home?region=" + r.region + "#" + page + r.id() }
}

func iamPage(page string) func(*item) string {
	return func(r *item) string { return "iam/home#/" + page + r.id() }
}

// console returns the address of the resource's page in AWS's console, or "" for none.
func (r *item) console() string {
	console := kindOf(string(r.Type)).console
	if console == nil || r.id() == "" {
		return ""
	}
	return "https://" + hypershift.ConsoleHost(hypershift.Partition(r.region)) + "/" + console(r)
}
