package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheEnginesWrappingIsLeftOut(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"an unhandled error occurred: 1 error occurred:\n\t* Pulumi.dev.yaml:9: it is wrong":   "Pulumi.dev.yaml:9: it is wrong",
		"an unhandled error occurred: program exited with 1":                                   "program exited with 1",
		`Preview failed: before hook "bucket-is-new" failed: oidcBucket.name: "x" is taken`:    `oidcBucket.name: "x" is taken`,
		`before hook "bucket-is-new" failed: oidcBucket.name: "x" is taken`:                    `oidcBucket.name: "x" is taken`,
		"the zone's name: an unhandled error occurred: this is not at the message's beginning": "the zone's name: an unhandled error occurred: this is not at the message's beginning",
	} {
		assert.Equal(t, want, OwnWords(message))
	}
}
