package commandline_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hypershift-aws/hypershift-aws/test/commandline"
)

func TestAnAdvisedCommandSucceedsOrLeadsOn(t *testing.T) {
	t.Parallel()
	const command = "`hypershift-aws destroy -s mgmt`"
	failed := errors.New("exit status 1")
	for output, want := range map[string]string{
		"error: the bucket is protected; " + command + " deletes it":  "leads in a circle",
		"error: there is no stack mgmt: it does not exist":            "cannot be run",
		"error: unknown flag: --cluster":                              "cannot be run",
		"panic: nil":                                                  "without an error of its own",
		"error: stack mgmt is used by dev; destroy dev first":         "",
		"the pool is held: " + command + " takes it\nerror: no AWS":   "",
		"error: a cluster is alive\n  `hypershift-aws status -s dev`": "",
	} {
		err := commandline.CheckFollowed("next: "+command, command, output, failed)
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, want)
	}
	assert.NoError(t, commandline.CheckFollowed("next: "+command, command, "warning: there is no stack old", nil))
	assert.NoError(t, commandline.CheckFollowed("correct it, and run "+command+" again", command,
		"error: it is wrong; run "+command+" again", failed), "the user corrects it first")
	assert.True(t, commandline.NotFollowed("run "+command+" in its project"))
}
