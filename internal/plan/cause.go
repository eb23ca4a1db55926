package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/components/network/layout"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

// explain determines, from the plan, which input of the stack causes a step.
func explain(plan *changes.Plan, step *changes.Step) changes.Refusal {
	info := typeOf(step)
	r := changes.Refusal{
		Name:   step.Name,
		ID:     consentID(plan, step),
		Kind:   report.TypeName(step.Type),
		Change: step.Change,
		Needed: info.Needed,
	}
	if isTheLiving(plan, step) {
		r.Change = changes.Delete
		r.Because = "the state has it twice, with one ID, and is to delete the old one, which is also the one that stays"
		r.Remedy = "take the entry with `delete: true` out of the state with `pulumi state edit`, for which PULUMI_BACKEND_URL " +
			"is file://./.hypershift-aws/state if you have chosen no other backend"
		return r
	}
	switch step.Change {
	case changes.Delete:
		explainDeletion(plan, step, &r)
	case changes.Update, changes.Import:
		r.Change = changes.Update
		explainLosses(plan, step, &r)
	default:
		explainReplacement(plan, step, &r)
	}
	if needed := needer(plan, step); needed != "" {
		r.Needed, r.Input, r.Remedy = needed+" and stays", "operator.install", "use a complete render of the operator"
		if step.Change == changes.Update {
			r.Because = "the render has less of it"
		}
	}
	if info.Remedy != "" && step.Change != changes.Update {
		r.Remedy = strings.TrimPrefix(r.Remedy+"; or ", "; or ") + info.Remedy
	}
	return r
}

// explainLosses names what an update in place takes, and the config key that determines it.
func explainLosses(plan *changes.Plan, step *changes.Step, r *changes.Refusal) {
	var lost []string
	var remedy string
	for _, l := range losses(plan, step) {
		remedy = cmp.Or(remedy, l.Remedy)
		if r.Input = inputOf(typeOf(step), l.Input); !slices.Contains(lost, l.What) {
			lost = append(lost, l.What)
		}
	}
	r.Because = strings.Join(lost, "; ")
	r.Remedy = "set it back to its previous value, or allow the change when no cluster uses this any more"
	if r.Input != "" {
		r.Remedy = "set " + r.Input + " back to its previous value, or allow the change when no cluster uses this any more"
	}
	r.Remedy = cmp.Or(remedy, r.Remedy)
}

func explainReplacement(plan *changes.Plan, step *changes.Step, r *changes.Refusal) {
	var changes, follows []string
	for _, key := range step.Keys {
		if key == "provider" {
			changes = append(changes, "its account or region changes")
			r.Input = "aws: config"
			continue
		}
		if other := goneTarget(plan, step, key); other != nil {
			follows = append(follows, fmt.Sprintf("its %s %s would be %s", report.TypeName(other.Type), other.Name,
				pastOf(other.Change)))
			continue
		}
		changes = append(changes, fmt.Sprintf("%s %s -> %s", key, shown(valueAt(step.Old, key)),
			shown(valueAt(step.New, key))))
		if input := inputOf(typeOf(step), key); input != "" {
			r.Input = input
		}
		if isManagementZone(step) {
			r.Input = "zone"
		}
	}
	if step.Type == awstype.Subnet && len(follows) > 0 {
		changes, r.Input = nil, "" // its CIDR is derived from the VPC's
	}
	r.Because = strings.Join(append(changes, follows...), "; ")
	if r.Because == "" {
		r.Because = "the provider cannot change it in place"
	}
	if step.Type == awstype.Subnet && r.Input == "network.zones" {
		r.Remedy = slotRemedy(plan)
	}
	if r.Remedy == "" && r.Input != "" && r.Input != "aws: config" {
		r.Remedy = "set " + r.Input + " back to its previous value, or create another stack with the new value"
	}
	if r.Remedy == "" && len(follows) > 0 && len(changes) == 0 {
		r.Remedy = "prevent that change, and it stays as it is"
	}
}

// inputOf returns the config key that determines an input of a resource, "" if none is known.
func inputOf(info guarded.Type, input string) string {
	for name, key := range info.InputKeys {
		if rest, is := strings.CutPrefix(input, name); is && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
			return key
		}
	}
	return ""
}

// isManagementZone reports whether a step is about the public zone of a management stack. The zones of clusters are
// private.
func isManagementZone(step *changes.Step) bool {
	return step.Type == awstype.HostedZone && step.Old["vpcs"] == nil
}

// explainDeletion names the config keys of the type, or those that the resource shows to decide.
func explainDeletion(plan *changes.Plan, step *changes.Step, r *changes.Refusal) {
	r.Because, r.Input = "it is no longer in the config", typeOf(step).Keys
	old := props.Map(step.Old)
	switch step.Type {
	case awstype.Subnet:
		if zone := old.String("availabilityZone"); zone != "" && !zoneStays(plan, zone) {
			r.Because, r.Input = zone+" is no longer in the config", "network.zones"
			r.Remedy = "add " + zone + " again"
		}
	case awstype.NATGateway:
		if subnet := goneTarget(plan, step, "subnetId"); subnet != nil {
			r.Because = "its subnet " + subnet.Name + " would be deleted"
			r.Input = ""
			r.Remedy = "keep that subnet, and it stays"
		}
	case awstype.HostedZone:
		switch {
		case isManagementZone(step):
			r.Input = "zone"
		case strings.HasSuffix(old.String("name"), ".hypershift.local"):
			r.Input = "endpointAccess"
		}
	case awstype.Role:
		if strings.HasSuffix(step.Name, "kms-provider") {
			r.Input = "kmsKeyARN"
		}
	case awstype.VPCEndpoint:
		if old.String("vpcEndpointType") == "Interface" && strings.HasPrefix(old.String("serviceName"),
			"com.amazonaws.vpce.") {
			r.Input = "privateLink"
		}
	case awstype.Record:
		if old.String("type") == "NS" {
			r.Input = "zone"
		}
	}
	if r.Remedy == "" && r.Input != "" {
		r.Remedy = "set " + r.Input + " back to its previous value"
	}
}

// goneTarget returns the step that replaces or deletes another resource, to which an input of from refers, or nil if
// there is none.
func goneTarget(plan *changes.Plan, from *changes.Step, key string) *changes.Step {
	id, _ := from.Old[key].(string)
	if id == "" {
		return nil
	}
	for _, step := range plan.Steps {
		if step.ID != id || step == from || step.Change != changes.Replace && step.Change != changes.Delete {
			continue
		}
		if part := step.Old[key] == any(id) && slices.Contains(typeOf(step).Within, key); !part { // of what from is part of
			return step
		}
	}
	return nil
}

// pastOf returns "replaced" or "deleted".
func pastOf(change changes.Change) string {
	if change == changes.Delete {
		return "deleted"
	}
	return "replaced"
}

func zoneStays(plan *changes.Plan, zone string) bool {
	return slices.ContainsFunc(plan.Steps, func(s *changes.Step) bool {
		return s.Type == awstype.Subnet && s.Change != changes.Delete && s.New["availabilityZone"] == zone
	})
}

// slotRemedy returns a value of network.zones with which every existing zone keeps its CIDRs, which are read from the
// subnets, and new zones get free slots.
func slotRemedy(plan *changes.Plan) string {
	var vpc string
	for _, step := range plan.Steps {
		if step.Type == awstype.VPC {
			vpc = props.Map(step.Old).String("cidrBlock")
		}
	}
	subnets, err := layout.New(vpc, nil)
	if err != nil {
		return "" // not a VPC of this project
	}
	slots, zones := map[string]int{}, map[string]bool{}
	for _, step := range plan.Steps {
		if step.Type != awstype.Subnet {
			continue
		}
		if zone := props.Map(step.New).String("availabilityZone"); zone != "" && step.Change != changes.Delete {
			zones[zone] = true
		}
		old := props.Map(step.Old)
		if slot, ok := subnets.Slot(old.String("cidrBlock")); ok && old.String("availabilityZone") != "" {
			slots[old.String("availabilityZone")] = slot
		}
	}
	if len(slots) == 0 || len(zones) == 0 {
		return ""
	}
	wanted := slices.Sorted(maps.Keys(zones))
	assignFree(slots, wanted)
	slices.SortFunc(wanted, func(a, b string) int { return cmp.Compare(slots[a], slots[b]) })
	entries := make([]string, len(wanted))
	for i, zone := range wanted {
		entries[i] = fmt.Sprintf("{name: %s, slot: %d}", zone, slots[zone])
	}
	return "set each zone's current slot: zones: [" + strings.Join(entries, ", ") + "]"
}

// assignFree gives each zone without a slot the first free one.
func assignFree(slots map[string]int, zones []string) {
	taken := map[int]bool{}
	for _, slot := range slots {
		taken[slot] = true
	}
	for _, zone := range zones {
		if _, has := slots[zone]; !has {
			free := 0
			for taken[free] && free < layout.Slots-1 {
				free++
			}
			slots[zone], taken[free] = free, true
		}
	}
}
