package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/inventory"
	"github.com/hypershift-aws/hypershift-aws/api/takeover"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/account"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
)

// writtenMatch returns the finding of a resource that is written into the state, with its outputs.
func writtenMatch(ctx context.Context, aws account.Account, q account.Query, found inventory.Resource) Match {
	f := Match{ID: found.ID, Resource: found, Outputs: map[string]any{"id": found.ID}}
	if q.Type == awstype.KeyPair {
		f.Refused = keyPairOutputs(f.Outputs, q, found)
		return f
	}
	f.Outputs["vpcId"], f.Outputs["routeTableId"] = q.Text("vpcId"), q.Text("routeTableId")
	original, err := originalMainTable(ctx, aws, q.Text("vpcId"), q.Text("routeTableId"))
	if err != nil {
		return Match{Err: err}
	}
	f.Outputs["originalRouteTableId"] = original
	if original == "" {
		f.Refused = fmt.Sprintf("VPC %s has no route table without tags and associations, which `destroy` would make its main one again: "+
			"create one with `aws ec2 create-route-table --vpc-id %s`", q.Text("vpcId"), q.Text("vpcId"))
	}
	return f
}

// keyPairOutputs sets the outputs of a key pair, and returns why it cannot be adopted. An import has no public key, so
// that the pair would be replaced, and the bastion with it.
func keyPairOutputs(outputs map[string]any, q account.Query, found inventory.Resource) (refused string) {
	for _, output := range []string{"arn", "fingerprint", "keyName", "keyPairId", "keyType"} {
		outputs[output] = found.Text(output)
	}
	outputs["keyNamePrefix"], outputs["publicKey"] = "", strings.TrimSpace(q.Text("publicKey"))
	outputs["tags"], outputs["tagsAll"] = anyMap(found.Tags), anyMap(found.Tags)
	has := strings.TrimSpace(found.Text("publicKey"))
	if has != "" && keyMaterial(has) != keyMaterial(q.Text("publicKey")) {
		return fmt.Sprintf("key pair %s has another public key than sshKey, and AWS cannot change it: set sshKey to %q", found.ID, has)
	}
	return ""
}

// keyMaterial returns a public key in OpenSSH format without its comment. AWS may return another comment.
func keyMaterial(key string) string {
	fields := strings.Fields(key)
	return strings.Join(fields[:min(2, len(fields))], " ")
}

// originalMainTable returns the table that a VPC had as its main one at first: one without tags and associations, other
// than the present main table. It is "" if there is none.
func originalMainTable(ctx context.Context, aws account.Account, vpc, main string) (string, error) {
	tables, err := aws.List(ctx, account.Query{Type: awstype.RouteTable, Inputs: map[string]any{"vpcId": vpc}})
	if err != nil {
		return "", err
	}
	for _, table := range tables {
		if table.Text("vpcId") != vpc || len(table.Tags) > 0 || table.ID == main {
			continue
		}
		associations, err := aws.List(ctx, account.Query{
			Type:   awstype.RouteTableAssociation,
			Inputs: map[string]any{"routeTableId": table.ID},
		})
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(associations, func(a inventory.Resource) bool { return a.Text("routeTableId") == table.ID }) {
			return table.ID, nil
		}
	}
	return "", nil
}

// Dependents returns the steps of resources that depend on recorded ones, and of the objects of the management cluster,
// which depend on the whole network: the engine does not keep a resource without its dependencies.
func Dependents(planned *changes.Plan, recorded []*changes.Step) []*changes.Step {
	if len(recorded) == 0 {
		return nil
	}
	left := map[string]bool{}
	for _, step := range recorded {
		left[step.URN] = true
	}
	for grown := true; grown; {
		grown = false
		for _, r := range planned.After {
			if !left[string(r.URN)] && slices.ContainsFunc(r.Dependencies, func(urn resource.URN) bool {
				return left[string(urn)]
			}) {
				left[string(r.URN)], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(planned.Steps), func(step *changes.Step) bool {
		return slices.Contains(recorded, step) || !left[step.URN] && !strings.HasPrefix(step.Type, "kubernetes:")
	})
}

// KeysOf returns the keys of steps.
func KeysOf(steps []*changes.Step) map[takeover.Key]bool {
	keys := map[takeover.Key]bool{}
	for _, step := range steps {
		keys[takeover.Key{Type: step.Type, Name: step.Name}] = true
	}
	return keys
}
