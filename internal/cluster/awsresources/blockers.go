package awsresources

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/cluster/clusterstatus"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/state"
	"github.com/hypershift-aws/hypershift-aws/internal/value/recorded"
)

// Resident is a resource in a stack's VPC that no state of the stack has. AWS does not delete the VPC while it exists.
type Resident struct {
	inventory.Resource
	// Cluster is true if its tags say that it is the stack's cluster's: operators of the cluster made it.
	Cluster bool
}

// Text returns the type and the ID of the resident, with its name or description.
func (r Resident) Text() string {
	text := words(r.Resource)
	if r.Type == awstype.VPCPeering {
		text = clusterstatus.TypeLabel(r.Type) + " " + r.ID + " with " + r.Properties["peerVpcId"].(string)
	}
	for _, name := range []string{r.Name(), r.Resource.Text("name"), r.Description, r.Resource.Text("serviceName")} {
		if name != "" && !strings.Contains(text, name) {
			return text + " (" + name + ")"
		}
	}
	return text
}

// Residents returns what is in a VPC of the stack beside the resources in its state, and what AWS makes with the VPC
// and with resources. accounts are the stack's, by the references of their providers. In a VPC that accounts share,
// each sees the tags of its own resources only, so that all are asked for what a participant can create. unread are the
// lists that could not be read.
func Residents(
	ctx context.Context, vpc apitype.ResourceV3, own *state.Deployment, accounts map[string]account.Account,
) (found []Resident, unread []error) {
	known, clusters := knownIDs(own), clustersOf(vpc, own)
	owner := accounts[vpc.Provider]
	if owner == nil {
		return nil, []error{fmt.Errorf("the account of VPC %s cannot be opened", vpc.ID)}
	}
	lists := residentLists(ctx, vpc, owner, distinct(ctx, owner, accounts))
	seen := map[string]int{}
	for i, list := range lists {
		token := list.token
		if i > 0 && token != lists[i-1].token { // interfaces of residents are no residents of their own
			for _, r := range found {
				known[r.ID] = true
				for _, id := range r.Interfaces {
					known[id] = true
				}
			}
		}
		if list.err != nil {
			unread = append(unread, fmt.Errorf("the list of each %s of VPC %s: %w", clusterstatus.TypeLabel(token), vpc.ID, list.err))
			continue
		}
		for _, r := range list.found {
			if r.Type = token; token == awstype.VPCPeering {
				if r.ID != string(vpc.ID) {
					continue
				}
				r.VPC, r.ID = r.ID, r.Text("connectionId")
			}
			if r.VPC != string(vpc.ID) || r.DeletedWith != "" || known[r.ID] || isInterfaceOf(r, known) {
				continue
			}
			one := Resident{r, slices.ContainsFunc(clusters, func(name string) bool { return ofCluster(r, name) })}
			at, has := seen[r.ID]
			switch {
			case !has:
				seen[r.ID] = len(found)
				found = append(found, one)
			case one.Cluster:
				found[at] = one
			}
		}
	}
	return found, unread
}

// residentLists reads the lists of what may be in a VPC at the same time, and returns them in the order of the types.
// all are the accounts that may have something there.
func residentLists(
	ctx context.Context, vpc apitype.ResourceV3, owner account.Account, all []account.Account,
) []listOfType {
	type asked struct {
		token string
		in    account.Account
	}
	var questions []asked
	for _, token := range awstype.ResidentTypes() {
		in := []account.Account{owner}
		if slices.Contains(ofParticipants(), token) {
			in = all
		}
		for _, one := range in {
			questions = append(questions, asked{token, one})
		}
	}
	lists, _ := account.Gather(questions, func(q asked) ([]listOfType, error) { // one that fails stops no other one
		found, err := q.in.List(ctx, account.Query{
			Type: q.token, Inputs: map[string]any{"vpcId": string(vpc.ID)}, Complete: true,
		})
		return []listOfType{{q.token, found, err}}, nil
	})
	return lists
}

// ofParticipants are the types of which an account can create instances in a subnet that another account shares with
// it: https://docs.aws.amazon.com/vpc/latest/userguide/vpc-share-limitations.html
func ofParticipants() []string {
	return []string{
		awstype.Instance, awstype.LoadBalancer, awstype.ClassicLoadBalancer, awstype.SecurityGroup, awstype.NetworkInterface,
	}
}

// distinct returns each account and region once, the owner first.
func distinct(ctx context.Context, owner account.Account, accounts map[string]account.Account) []account.Account {
	places, all := map[inventory.Place]bool{}, []account.Account{}
	add := func(in account.Account) {
		if place, err := in.Place(ctx); err == nil && !places[place] {
			places[place] = true
			all = append(all, in)
		}
	}
	add(owner)
	for _, provider := range slices.Sorted(maps.Keys(accounts)) {
		add(accounts[provider])
	}
	return all
}

// clustersOf returns the infra ID in the tags of a VPC. The VPC of a cluster of Cluster API has none: then it returns
// the names of clusters in the tags of the stack's subnets.
func clustersOf(vpc apitype.ResourceV3, own *state.Deployment) []string {
	if infraID := clusterstatus.InfraIDOf(vpc.Inputs); infraID != "" {
		return []string{infraID}
	}
	var names []string
	for _, r := range own.Resources {
		if tags, _ := r.Inputs["tags"].(map[string]any); string(r.Type) == awstype.Subnet {
			for key := range tags {
				if name, is := strings.CutPrefix(key, hypershift.ClusterTagPrefix); is {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// knownIDs returns the IDs of a state's resources, and those of what AWS made with them, which are in their outputs.
func knownIDs(own *state.Deployment) map[string]bool {
	known := map[string]bool{}
	var add func(value any)
	add = func(value any) {
		switch v := value.(type) {
		case string:
			known[v] = true
		case []any:
			for _, one := range v {
				add(one)
			}
		case map[string]any:
			for _, one := range v {
				add(one)
			}
		}
	}
	for _, r := range own.Resources { // also those that wait for their deletion
		known[string(r.ID)] = true
		add(maps.Clone(r.Outputs))
	}
	return known
}

// isInterfaceOf reports whether a network interface belongs to a known resource: an instance that it is attached to, or
// one that its description names, as AWS writes it for load balancers, endpoints, NAT gateways and attachments.
func isInterfaceOf(r inventory.Resource, known map[string]bool) bool {
	if r.Type != awstype.NetworkInterface {
		return false
	}
	for _, user := range r.UsedBy {
		if known[user] {
			return true
		}
	}
	balancer, isBalancers := strings.CutPrefix(r.Description, "ELB ")
	for id := range known {
		if isBalancers && (id == balancer || strings.HasSuffix(id, ":loadbalancer/"+balancer)) {
			return true
		}
	}
	return slices.ContainsFunc(strings.FieldsFunc(r.Description, func(letter rune) bool {
		return strings.ContainsRune(" ,:()", letter)
	}), func(word string) bool { return known[word] })
}

// ofCluster reports whether the tags of a resource name a cluster: those of HyperShift and Kubernetes, of Cluster API,
// and of the AWS Load Balancer Controller, whose cluster is called as its infrastructure.
func ofCluster(r inventory.Resource, infraID string) bool {
	_, capa := r.Tags[recorded.CAPAOwnerTagPrefix+infraID]
	return capa || account.ClusterTag(r, infraID) != "" && account.ClusterTag(r, infraID) != "shared" ||
		r.Tags["elbv2.k8s.aws/cluster"] == infraID
}

// VPCBlockers lists what blocks the deletion of the stack's VPC, which AWS's error does not name. What has the tag of
// the stack's cluster may belong to a cluster that lives, so the text does not say to delete it. It returns "" if there
// is nothing, and what cannot be read.
func VPCBlockers(
	ctx context.Context, stack string, own *state.Deployment,
	accounts map[string]account.Account,
) string {
	var clusters, others, unread []string
	for _, r := range own.Resources {
		if string(r.Type) != awstype.VPC || r.External {
			continue
		}
		found, errs := Residents(ctx, r.ResourceV3, own, accounts)
		for _, err := range errs {
			unread = append(unread, notAsked(err))
		}
		for _, one := range found {
			if one.Cluster {
				clusters = append(clusters, "  "+words(one.Resource))
			} else {
				others = append(others, "  "+one.Text())
			}
		}
	}
	if len(unread) > 1 { // one reason is enough: usually it is the same
		unread = unread[:1]
	}
	if len(clusters) > 0 {
		unread = append(append(unread, fmt.Sprintf("these resources have the tag of the stack's cluster, are not in its state, and block the deletion of the network; "+
			"`hypershift-aws sweep -s %s` shows of each whether it is a leftover or in use:", stack)), clusters...)
	}
	if len(others) > 0 {
		unread = append(append(unread, "these resources are not the stack's, and block the deletion of the network; ask who made them:"), others...)
	}
	return strings.Join(unread, "\n")
}

// notAsked returns the sentence for a failed search for what blocks the network's deletion.
func notAsked(err error) string {
	return fmt.Sprintf("AWS could not be searched for what blocks the deletion of the network: %v", err)
}
