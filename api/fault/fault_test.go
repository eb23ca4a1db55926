package fault

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFaultIsOneLineWithWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	for want, fault := range map[string]Fault{
		`f.yaml:3:2: network.nat: "x" is odd; use y`: {File: "f.yaml", Line: 3, Column: 2, Path: "network.nat", Value: "x", Problem: "is odd", Remedy: "use y"},
		`f.yaml:1: "just text" is a string`:          {File: "f.yaml", Line: 1, Value: "just text", Problem: "is a string"},
		`name is missing`:                            {Path: "name", Problem: "is missing"},
		`is empty`:                                   {Problem: "is empty"},
	} {
		require.Equal(t, want, fault.Error())
	}
}
