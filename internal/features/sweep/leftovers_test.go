package sweep

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/engine"
	"github.com/hypershift-aws/hypershift-aws/internal/run/environment"
)

// forEver waits as a sweep does for what AWS never finishes deleting.
func forEver(ctx context.Context) error {
	for {
		if err := environment.AWS(environment.Options{}).Timing().Wait(ctx, 5*time.Second); err != nil {
			return err
		}
	}
}

func TestTheSweepOfADestroyEndsAfterFifteenMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := bounded(t.Context(), engine.NewInterrupts(), forEver)
		require.EqualError(t, err, "not done after 15 minutes")
		require.Equal(t, 15*time.Minute, time.Since(began))
	})
}

func TestTheSweepOfADestroyEndsWhenItIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, interrupts := time.Now(), engine.NewInterrupts()
		time.AfterFunc(time.Minute, interrupts.Interrupt)
		require.ErrorIs(t, bounded(t.Context(), interrupts, forEver), context.Canceled)
		require.Equal(t, time.Minute, time.Since(began))
	})
}

func TestASweepThatEndsInTimeHasItsOwnError(t *testing.T) {
	t.Parallel()
	refused := errors.New("AccessDenied")
	require.NoError(t, bounded(t.Context(), engine.NewInterrupts(), func(context.Context) error { return nil }))
	require.ErrorIs(t, bounded(t.Context(), engine.NewInterrupts(), func(context.Context) error {
		return refused
	}), refused)
}
