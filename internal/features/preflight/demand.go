package preflight

import (
	"cmp"
	"slices"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// Demand is how much of a quota plans need.
type Demand struct {
	inventory.Place
	// Quota is the quota's name in package awstype.
	Quota string
	// Of is the zone or the VPC that the quota is counted in, "" for a region or an account. New is true if the plan
	// creates that VPC, whose name Of then is, and for a quota per instance, whose name Of is.
	Of  string
	New bool
	// InstanceType is the type of instances whose vCPUs are counted, "" for other quotas.
	InstanceType string
	// Later is true if operators need it after the stack is deployed: `up` itself is not refused.
	Later bool
	// Count is how many resources are needed: for vCPUs, how many instances.
	Count int
	// Stacks are the stacks whose plans need it.
	Stacks []string
}

// Demands returns the use of quotas by a plan: by what it creates in addition to all existing resources.
func Demands(p Plan) []Demand {
	var list []Demand
	for _, r := range p.Resources {
		for _, q := range awstype.Quotas() {
			if q.Token != r.Type || q.Counts != nil && !q.Counts(r.Inputs) || !r.Created && q.Per != awstype.PerInstance {
				continue
			}
			d := Demand{Place: r.Place, Quota: q.Name, Count: 1, Stacks: []string{p.Stack}}
			switch q.Per {
			case awstype.PerAccount:
				d.Region = ""
			case awstype.PerVPC:
				d.Of, d.New = p.vpcFor(r)
			case awstype.PerZone:
				if subnet := p.source(r, "subnetId", awstype.Subnet); subnet != nil {
					d.Of = subnet.text("availabilityZone")
				}
			case awstype.PerInstance:
				d.Of, d.New = r.name(), true
				if q.Has != nil {
					d.Count = q.Has(r.Inputs)
				} else {
					d.Of = p.owner(r, q)
				}
			case awstype.PerRegion:
			}
			if q.VCPUs {
				d.InstanceType = r.text("instanceType")
			}
			if d.Of == "" && q.Per != awstype.PerRegion && q.Per != awstype.PerAccount {
				continue // it is not known whose it is, such as in a shared subnet or VPC
			}
			list = append(list, d)
		}
	}
	for _, n := range p.Nodes {
		if n.Exist || !awstype.StandardInstance(n.InstanceType) {
			continue
		}
		name := awstype.StandardVCPUs
		if n.Spot {
			name = awstype.SpotVCPUs
		}
		list = append(list, Demand{
			Place:        n.Place,
			Quota:        name,
			InstanceType: n.InstanceType,
			Later:        true,
			Count:        n.Count,
			Stacks:       []string{p.Stack},
		})
	}
	return slices.DeleteFunc(Sum(list, p.laterDemands()), func(d Demand) bool {
		q, _ := awstype.QuotaOf(d.Quota)
		return q.Default > 0 && d.Count <= q.Default
	})
}

// owner returns the name of the instance that a resource is a part of.
func (p Plan) owner(part Resource, q awstype.Quota) string {
	if own := p.source(part, q.PartOf(), q.Owner); own != nil {
		return own.name()
	}
	return part.text(q.PartOf())
}

// vpcFor returns the VPC that a resource is created in, and whether the plan creates it.
func (p Plan) vpcFor(r Resource) (vpc string, isNew bool) {
	if id := r.text("vpcId"); id != "" {
		return id, false
	}
	if own := p.source(r, "vpcId", awstype.VPC); own != nil {
		return p.Stack + "/" + own.name(), true
	}
	return p.VPCID, false
}

// Sum returns the total of several plans, in the order of reports.
func Sum(lists ...[]Demand) []Demand {
	type kind struct {
		inventory.Place
		quota, of, instanceType string
		new, later              bool
	}
	var sum []Demand
	known := map[kind]int{}
	for _, d := range slices.Concat(lists...) {
		of := kind{d.Place, d.Quota, d.Of, d.InstanceType, d.New, d.Later}
		i, has := known[of]
		if !has {
			known[of] = len(sum)
			d.Stacks = slices.Clone(d.Stacks)
			sum = append(sum, d)
			continue
		}
		sum[i].Count += d.Count
		sum[i].Stacks = append(sum[i].Stacks, d.Stacks...)
	}
	for i := range sum {
		sum[i].Stacks = unique(sum[i].Stacks)
	}
	order := map[string]int{}
	for i, q := range awstype.Quotas() {
		order[q.Name] = i
	}
	slices.SortStableFunc(sum, func(a, b Demand) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Region, b.Region),
			cmp.Compare(order[a.Quota], order[b.Quota]),
			cmp.Compare(a.Of, b.Of), cmp.Compare(a.InstanceType, b.InstanceType))
	})
	return sum
}

// unique returns texts in order, each once.
func unique(texts []string) []string {
	sorted := slices.Clone(texts)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
