package moto

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRequestsAtTheSameTimeAreOneRound(t *testing.T) {
	t.Parallel()
	call := func(began, ended int, changes bool) Timed {
		return Timed{Began: time.UnixMilli(int64(began)), Ended: time.UnixMilli(int64(ended)), Changes: changes}
	}
	require.Zero(t, Rounds(nil))
	require.Equal(t, 2, Rounds([]Timed{call(0, 10, false), call(1, 9, false), call(2, 30, false), call(11, 20, false)}))
	calls := []Timed{call(0, 10, false), call(5, 40, false), call(12, 20, false), call(30, 50, true), call(60, 70, false)}
	require.Equal(t, []Timed{calls[0], calls[2]}, UntilFirstChange(calls))
	require.Equal(t, calls[:1], UntilFirstChange(calls[:1]))
}
