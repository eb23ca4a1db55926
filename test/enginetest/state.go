package enginetest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/test/graph"
)

// State returns the stack's resources as the engine has recorded them.
func (s *Stack) State() []apitype.ResourceV3 {
	s.t.Helper()
	var kept struct {
		Checkpoint struct{ Latest *apitype.DeploymentV3 }
	}
	require.NoError(s.t, json.Unmarshal([]byte(s.Kept()), &kept))
	if kept.Checkpoint.Latest == nil {
		return nil
	}
	return kept.Checkpoint.Latest.Resources
}

// Custom returns the resources of State that represent something in a cloud.
func (s *Stack) Custom() []apitype.ResourceV3 {
	s.t.Helper()
	return slices.DeleteFunc(s.State(), func(r apitype.ResourceV3) bool {
		return !r.Custom || strings.HasPrefix(string(r.Type), "pulumi:")
	})
}

// Graph is graph.Of the stack's resources.
func (s *Stack) Graph(common map[string]string, components ...string) string {
	s.t.Helper()
	return graph.Of(s.t, s.State(), common, components...)
}
