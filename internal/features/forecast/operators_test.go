package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"

	api "github.com/hypershift-aws/hypershift-aws/api/forecast"
)

func TestTheLastLineIsWhatOnlyTheOperatorFindsOut(t *testing.T) {
	t.Parallel()
	f := &api.Forecast{Unchecked: []string{"the AMI exists", "EC2 has capacity"}}
	assert.Regexp(t, `\nnot checked here; HyperShift's operator checks whether:\n  the AMI exists, EC2 has capacity\n$`, Text(f, 0, false))
	assert.Regexp(t, `not checked here; HyperShift's operator checks whether:\n  the AMI exists, EC2 has capacity\n$`, Text(f, 0, true))
	_, _, policies := Markdown(f)
	assert.Contains(t, policies, "checks whether:\n- the AMI exists\n- EC2 has capacity\n")
	assert.NotContains(t, Text(&api.Forecast{}, 0, false), "finds out")
}
