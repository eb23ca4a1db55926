package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/orphan"
)

// recordOf returns the finding of a resource that is written into the state, with its outputs.
func recordOf(ctx context.Context, account orphan.Inventory, q orphan.Query, found orphan.Resource) Finding {
	f := Finding{ID: found.ID, Resource: found, Record: map[string]any{"id": found.ID}}
	if q.Type == awstype.KeyPair {
		f.Refused = keyPairRecord(f.Record, q, found)
		return f
	}
	f.Record["vpcId"], f.Record["routeTableId"] = q.Text("vpcId"), q.Text("routeTableId")
	original, err := originalMainTable(ctx, account, q.Text("vpcId"), q.Text("routeTableId"))
	if err != nil {
		return Finding{Err: err}
	}
	f.Record["originalRouteTableId"] = original
	if original == "" {
		f.Refused = fmt.Sprintf("VPC %s has no route table without tags and associations, which `destroy` would make its main one again: "+
			"create one with `aws ec2 create-route-table --vpc-id %s`", q.Text("vpcId"), q.Text("vpcId"))
	}
	return f
}

// keyPairRecord sets the outputs of a key pair, and returns why it cannot be adopted. An import has no public key, so that the pair would be
// replaced, and the bastion with it.
func keyPairRecord(outputs map[string]any, q orphan.Query, found orphan.Resource) (refused string) {
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

// keyMaterial returns a public key in OpenSSH format without its comment, for which AWS may return another one.
func keyMaterial(key string) string {
	fields := strings.Fields(key)
	return strings.Join(fields[:min(2, len(fields))], " ")
}

// originalMainTable returns the table that a VPC had as its main one at first: one without tags and associations, other than the present
// main table. It is "" if there is none.
func originalMainTable(ctx context.Context, account orphan.Inventory, vpc, main string) (string, error) {
	tables, err := account.List(ctx, orphan.Query{Type: awstype.RouteTable, Inputs: map[string]any{"vpcId": vpc}})
	if err != nil {
		return "", err
	}
	for _, table := range tables {
		if table.Text("vpcId") != vpc || len(table.Tags) > 0 || table.ID == main {
			continue
		}
		associations, err := account.List(ctx, orphan.Query{Type: awstype.RouteTableAssociation, Inputs: map[string]any{"routeTableId": table.ID}})
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(associations, func(a orphan.Resource) bool { return a.Text("routeTableId") == table.ID }) {
			return table.ID, nil
		}
	}
	return "", nil
}
