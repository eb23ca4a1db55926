package plancheck

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/api/changes"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
)

func TestAPlanListsWhatOnlyTheOperatorFindsOut(t *testing.T) {
	t.Parallel()
	object := func(kind, image, access string, replicas float64) map[string]any {
		return map[string]any{"kind": kind, "spec": map[string]any{
			"release": map[string]any{"image": image}, "replicas": replicas,
			"platform": map[string]any{"aws": map[string]any{"region": "us-east-1", "endpointAccess": access}},
		}}
	}
	planned := func(op apitype.OpType, before, after map[string]any) *changes.Plan {
		step := apitype.StepEventMetadata{Op: op, URN: "urn:pulumi:a::b::kubernetes:x:y::z", Type: "kubernetes:x:y"}
		if before != nil {
			step.Old = &apitype.StepEventStateMetadata{Inputs: before, Custom: true}
		}
		if after != nil {
			step.New = &apitype.StepEventStateMetadata{Inputs: after, Custom: true}
		}
		return &changes.Plan{Steps: []*changes.Step{plan.NewStep(step)}}
	}
	const image, region = "the release image exists and the pull secret opens it", "HyperShift's operator runs in the cluster's region"
	assert.Equal(t, []string{image, region},
		Unchecked(planned(apitype.OpCreate, nil, object("HostedCluster", "q.io/r:4.20.1", "Private", 0))))
	assert.Equal(t, []string{image}, Unchecked(planned(apitype.OpCreate, nil,
		object("HostedCluster", "q.io/r:4.20.1", "Public", 0))),
		"a public cluster may be in another region")
	assert.Equal(t, []string{"EC2 has capacity"},
		Unchecked(planned(apitype.OpUpdate, object("NodePool", "q.io/r:4.20.1", "", 2),
			object("NodePool", "q.io/r:4.20.1", "", 3))))
	assert.Equal(t, []string{image}, Unchecked(planned(apitype.OpUpdate, object("NodePool", "q.io/r:4.20.1", "", 2),
		object("NodePool", "q.io/r:4.20.2", "", 2))))
	assert.Empty(t, Unchecked(planned(apitype.OpDelete, object("NodePool", "q.io/r:4.20.1", "", 2), nil)))
	const version, byDigest = "a release whose tag is no version is supported, and no older than the cluster's", "q.io/r@sha256:1"
	assert.Equal(t, []string{version, image},
		Unchecked(planned(apitype.OpUpdate, object("HostedCluster", "q.io/r:4.20.1", "Public", 0),
			object("HostedCluster", byDigest, "Public", 0))))
	assert.Equal(t, []string{version, image},
		Unchecked(planned(apitype.OpUpdate, object("HostedCluster", byDigest, "Public", 0),
			object("HostedCluster", "q.io/r:4.19.5", "Public", 0))), "the cluster's own version is in no tag")
}
