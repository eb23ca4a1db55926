package plan

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/value/props"
)

type m = map[string]any

func updated(old, new m) *changes.Step {
	return &changes.Step{Name: "r", Type: awstype.Role, Custom: true, Change: changes.Update, Old: old, New: new}
}

func TestAChangeHasTheLeafPathsOfItsValues(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		old, new m
		want     []event.Value
	}{
		"a leaf of an object": {
			m{"spec": m{"release": m{"image": "a"}, "name": "x"}}, m{"spec": m{"release": m{"image": "b"}, "name": "x"}},
			[]event.Value{{Path: "spec.release.image", Old: "a", New: "b"}},
		},
		"keys that a path cannot contain are quoted; derived inputs are left out": {
			m{"tags": m{"kubernetes.io/cluster/x": "a"}, "tagsAll": m{"n": "a"}},
			m{"tags": m{"Name": "n"}, "tagsAll": m{"n": "b"}, "__defaults": []any{"x"}},
			[]event.Value{{Path: "tags.Name", New: "n"}, {Path: `tags["kubernetes.io/cluster/x"]`, Old: "a"}},
		},
		"false, zero and empty are values": {
			m{"a": true, "b": 1.0, "c": "x"}, m{"a": false, "b": 0.0, "c": ""},
			[]event.Value{{Path: "a", Old: true, New: false}, {Path: "b", Old: 1.0, New: 0.0}, {Path: "c", Old: "x", New: ""}},
		},
		"one more element moves no other": {
			m{"ids": []any{"b", "c"}}, m{"ids": []any{"a", "b", "c"}},
			[]event.Value{{Path: "ids[0]", New: "a"}},
		},
		"elements are paired by their name": {
			m{"c": []any{m{"name": "a", "v": 1.0}, m{"name": "b", "v": 1.0}}}, m{"c": []any{m{"name": "b", "v": 2.0}}},
			[]event.Value{{Path: "c[0].name", Old: "a"}, {Path: "c[0].v", Old: 1.0}, {Path: "c[0].v", Old: 1.0, New: 2.0}},
		},
		"another order is a change of the list": {
			m{"ids": []any{"a", "b"}}, m{"ids": []any{"b", "a"}},
			[]event.Value{{Path: "ids", Old: []any{"a", "b"}, New: []any{"b", "a"}}},
		},
		"a document in JSON is compared as one": {
			m{"policy": `{"Statement":[{"Sid":"a","Action":["x"]}]}`}, m{"policy": `{"Statement": [{"Sid":"a","Action":["x","y"]}]}`},
			[]event.Value{{Path: "policy.Statement[0].Action[1]", New: "y"}},
		},
		"a document that is only written otherwise is no change": {
			m{"policy": `{"a":1,"b":2}`}, m{"policy": `{"b": 2, "a": 1}`}, nil,
		},
		"a value that is not known yet": {
			m{"policy": "p"}, m{"policy": changes.UnknownValue},
			[]event.Value{{Path: "policy", Old: "p", Unknown: true}},
		},
	} {
		assert.Equal(t, row.want, Values(updated(row.old, row.new)), name)
	}
}

func TestASecretIsNeverAValue(t *testing.T) {
	t.Parallel()
	secret := m{sig.Key: sig.Secret, "ciphertext": "hunter2"}
	both := []event.Value{{Path: "password", Old: props.Hidden, New: props.Hidden}}

	step := updated(m{"password": secret}, m{"password": m{sig.Key: sig.Secret, "ciphertext": "other"}})
	assert.Empty(t, Values(step), "the ciphertexts of one secret differ too")
	step.Diffs = []string{"password"}
	assert.Equal(t, both, Values(step))

	step = updated(m{"password": props.Hidden}, m{"password": "hunter2"})
	assert.Equal(t, both, Values(step), "what was a secret is hidden")
	step = updated(m{"password": "prefix-" + props.Hidden}, m{"password": "hunter2"})
	assert.Equal(t, both, Values(step), "the engine hides a part")

	step = updated(m{"spec": m{"a": 1.0, "in": m{"key": secret}}}, m{"spec": m{"a": 2.0, "in": m{"key": secret}}})
	step.Detailed = []string{"spec.a", "spec.in.key"}
	assert.Equal(t, []event.Value{{
		Path: "spec.a",
		Old:  1.0,
		New:  2.0,
	}, {Path: "spec.in.key", Old: props.Hidden, New: props.Hidden}}, Values(step))

	object := &changes.Step{
		Type:   "kubernetes:core/v1:Secret",
		Custom: true,
		Change: changes.Create,
		New:    m{"stringData": m{"k": "hunter2"}},
	}
	assert.Equal(t, []event.Value{{Path: "stringData", New: props.Hidden}}, Values(object))
}

// A refresh has put into the state's outputs what was changed in AWS.
func TestAValueThatWasChangedInAWSIsShown(t *testing.T) {
	t.Parallel()
	step := updated(m{"path": "/"}, m{"path": "/"})
	step.Diffs, step.OldOutputs = []string{"path", "tagsAll"}, m{"path": "/other/"}
	assert.Equal(t, []event.Value{{Path: "path", Old: "/other/", New: "/"}}, Values(step))
	step.OldOutputs = nil
	assert.Equal(t, []event.Value{{Path: "path"}}, Values(step), "the provider does not report how it differs")
}

func TestAReplacementNamesTheValuesThatForceIt(t *testing.T) {
	t.Parallel()
	var plan Builder
	step := engineStep(apitype.OpReplace, awstype.VPC, "vpc", false)
	step.Keys, step.Diffs = []string{"k"}, []string{"k"}
	plan.Add(step)
	assert.Equal(t, []event.Value{{Path: "k", Old: "old", New: "new", Replaces: true}}, Values(plan.Steps[0]))
	assert.Empty(t, Values((&changes.Step{Change: changes.Delete, Old: m{"a": "b"}})))
}
