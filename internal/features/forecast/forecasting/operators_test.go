package forecasting

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/api/forecast"
)

func TestTheLastLineIsWhatOnlyTheOperatorFindsOut(t *testing.T) {
	t.Parallel()
	f := &forecast.Forecast{Unchecked: []string{"the AMI exists", "EC2 has capacity"}}
	assert.Regexp(t, `\nnot checked here; HyperShift's operator checks whether:\n  the AMI exists, EC2 has capacity\n$`, Text(f, 0, false))
	assert.Regexp(t, `not checked here; HyperShift's operator checks whether:\n  the AMI exists, EC2 has capacity\n$`, Text(f, 0, true))
	_, _, policies := Markdown(f)
	assert.Contains(t, policies, "checks whether:\n- the AMI exists\n- EC2 has capacity\n")
	assert.NotContains(t, Text(&forecast.Forecast{}, 0, false), "finds out")
}
