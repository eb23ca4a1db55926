package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAPackageAndEachLongTestAreParts(t *testing.T) {
	t.Parallel()
	require.Equal(t, []part{
		{"  TestKills", 2, 70 * time.Second},
		{"m/test", 3, 40 * time.Second},
	}, summarize(strings.NewReader(`{"Action":"run","Package":"m/test","Test":"TestKills"}
{"Action":"pass","Package":"m/test","Test":"TestKills/one","Elapsed":30}
{"Action":"output","Package":"m/test","Test":"TestKills/two","Output":"said"}
{"Action":"fail","Package":"m/test","Test":"TestKills/two","Elapsed":40}
{"Action":"fail","Package":"m/test","Test":"TestKills","Elapsed":0}
{"Action":"pass","Package":"m/test","Test":"TestShort","Elapsed":1}
{"Action":"fail","Package":"m/test","Elapsed":40}
{"Action":"skip","Package":"m/none","Elapsed":0}
`)))
}
