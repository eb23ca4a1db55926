package plan

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/gate/props"
	"github.com/hypershift-aws/hypershift-aws/internal/plan/report"
)

type m = map[string]any

func updated(old, new m) *Step {
	return &Step{Name: "r", Type: awstype.Role, Custom: true, Change: ChangeUpdate, Old: old, New: new}
}

func TestAChangeHasTheLeafPathsOfItsValues(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		old, new m
		want     []report.Value
	}{
		"a leaf of an object": {
			m{"spec": m{"release": m{"image": "a"}, "name": "x"}}, m{"spec": m{"release": m{"image": "b"}, "name": "x"}},
			[]report.Value{{Path: "spec.release.image", Old: "a", New: "b"}},
		},
		"keys that a path cannot contain are quoted; derived inputs are left out": {
			m{"tags": m{"kubernetes.io/cluster/x": "a"}, "tagsAll": m{"n": "a"}}, m{"tags": m{"Name": "n"}, "tagsAll": m{"n": "b"}, "__defaults": []any{"x"}},
			[]report.Value{{Path: "tags.Name", New: "n"}, {Path: `tags["kubernetes.io/cluster/x"]`, Old: "a"}},
		},
		"false, zero and empty are values": {
			m{"a": true, "b": 1.0, "c": "x"}, m{"a": false, "b": 0.0, "c": ""},
			[]report.Value{{Path: "a", Old: true, New: false}, {Path: "b", Old: 1.0, New: 0.0}, {Path: "c", Old: "x", New: ""}},
		},
		"one more element moves no other": {
			m{"ids": []any{"b", "c"}}, m{"ids": []any{"a", "b", "c"}},
			[]report.Value{{Path: "ids[0]", New: "a"}},
		},
		"elements are paired by their name": {
			m{"c": []any{m{"name": "a", "v": 1.0}, m{"name": "b", "v": 1.0}}}, m{"c": []any{m{"name": "b", "v": 2.0}}},
			[]report.Value{{Path: "c[0].name", Old: "a"}, {Path: "c[0].v", Old: 1.0}, {Path: "c[0].v", Old: 1.0, New: 2.0}},
		},
		"another order is a change of the list": {
			m{"ids": []any{"a", "b"}}, m{"ids": []any{"b", "a"}},
			[]report.Value{{Path: "ids", Old: []any{"a", "b"}, New: []any{"b", "a"}}},
		},
		"a document in JSON is compared as one": {
			m{"policy": `{"Statement":[{"Sid":"a","Action":["x"]}]}`}, m{"policy": `{"Statement": [{"Sid":"a","Action":["x","y"]}]}`},
			[]report.Value{{Path: "policy.Statement[0].Action[1]", New: "y"}},
		},
		"a document that is only written otherwise is no change": {
			m{"policy": `{"a":1,"b":2}`}, m{"policy": `{"b": 2, "a": 1}`}, nil,
		},
		"a value that is not known yet": {
			m{"policy": "p"}, m{"policy": UnknownValue},
			[]report.Value{{Path: "policy", Old: "p", Unknown: true}},
		},
	} {
		assert.Equal(t, row.want, updated(row.old, row.new).Values(), name)
	}
}

func TestASecretIsNeverAValue(t *testing.T) {
	t.Parallel()
	secret := m{sig.Key: sig.Secret, "ciphertext": "hunter2"}
	both := []report.Value{{Path: "password", Old: props.Hidden, New: props.Hidden}}

	step := updated(m{"password": secret}, m{"password": m{sig.Key: sig.Secret, "ciphertext": "other"}})
	assert.Empty(t, step.Values(), "the ciphertexts of one secret differ too")
	step.Diffs = []string{"password"}
	assert.Equal(t, both, step.Values())

	step = updated(m{"password": props.Hidden}, m{"password": "hunter2"})
	assert.Equal(t, both, step.Values(), "what was a secret is hidden")
	step = updated(m{"password": "prefix-" + props.Hidden}, m{"password": "hunter2"})
	assert.Equal(t, both, step.Values(), "the engine hides a part")

	step = updated(m{"spec": m{"a": 1.0, "in": m{"key": secret}}}, m{"spec": m{"a": 2.0, "in": m{"key": secret}}})
	step.Detailed = []string{"spec.a", "spec.in.key"}
	assert.Equal(t, []report.Value{{Path: "spec.a", Old: 1.0, New: 2.0}, {Path: "spec.in.key", Old: props.Hidden, New: props.Hidden}}, step.Values())

	object := &Step{Type: "kubernetes:core/v1:Secret", Custom: true, Change: ChangeCreate, New: m{"stringData": m{"k": "hunter2"}}}
	assert.Equal(t, []report.Value{{Path: "stringData", New: props.Hidden}}, object.Values())
}

// A refresh has put into the state's outputs what was changed in AWS.
func TestAValueThatWasChangedInAWSIsShown(t *testing.T) {
	t.Parallel()
	step := updated(m{"path": "/"}, m{"path": "/"})
	step.Diffs, step.OldOutputs = []string{"path", "tagsAll"}, m{"path": "/other/"}
	assert.Equal(t, []report.Value{{Path: "path", Old: "/other/", New: "/"}}, step.Values())
	step.OldOutputs = nil
	assert.Equal(t, []report.Value{{Path: "path"}}, step.Values(), "the provider does not report how it differs")
}

func TestAReplacementNamesTheValuesThatForceIt(t *testing.T) {
	t.Parallel()
	var plan Recorder
	step := engineStep(apitype.OpReplace, awstype.VPC, "vpc", false)
	step.Keys, step.Diffs = []string{"k"}, []string{"k"}
	plan.Add(step)
	assert.Equal(t, []report.Value{{Path: "k", Old: "old", New: "new", Replaces: true}}, plan.Steps[0].Values())
	assert.Empty(t, (&Step{Change: ChangeDelete, Old: m{"a": "b"}}).Values())
}
