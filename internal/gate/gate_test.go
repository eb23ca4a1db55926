package gate

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// asked returns gates that refuse, by their names and costs, and those of them that were asked.
func asked(names ...string) (all []Gate, count func() map[string]bool) {
	found := make(chan string, len(names))
	costs := map[string]gates.Cost{
		"free":   gates.CostFree,
		"states": gates.CostStates,
		"aws":    gates.CostAWS,
		"engine": gates.CostEngine,
	}
	for _, name := range names {
		all = append(all, New(gates.Gate{Name: name, Cost: costs[name]}, Refuses(func(context.Context) error {
			found <- name
			return errors.New(name)
		})))
	}
	return all, func() map[string]bool {
		close(found)
		list := map[string]bool{}
		for name := range found {
			list[name] = true
		}
		return list
	}
}

func TestTheZeroListHasEveryGateAndAnotherOneOnlyItsOwn(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	require.Equal(t, refused, List{}.Refusal(gates.Gate{Name: "life"}, refused))
	require.Equal(t, refused, Only("life").Refusal(gates.Gate{Name: "life"}, refused))
	require.NoError(t, Only("life").Refusal(gates.Gate{Name: "users"}, refused))
	require.NoError(t, Only().Refusal(gates.Gate{Name: "users"}, refused), "a list of no gates is not the zero list")

	all, count := asked("engine", "free", "aws")
	answers := Only("engine", "aws").AskAll(t.Context(), gates.Up, true, all...)
	require.Equal(t, map[string]bool{"engine": true, "aws": true}, count())
	require.Len(t, answers, 2)
	require.Equal(t, "engine", answers[0].Gate)
	require.Equal(t, "aws", answers[1].Gate)
}

func TestARefusalEndsTheQuestionsBeforeTheDearerOnes(t *testing.T) {
	t.Parallel()
	all, count := asked("engine", "states", "aws")
	List{}.AskAll(t.Context(), gates.Up, false, all...)
	require.Equal(t, map[string]bool{"states": true, "aws": true}, count())

	all, count = asked("engine", "free", "aws")
	List{}.AskAll(t.Context(), gates.Up, false, all...)
	require.Equal(t, map[string]bool{"free": true}, count())

	all, count = asked("engine", "free", "aws")
	List{}.AskAll(t.Context(), gates.Up, true, all...)
	require.Equal(t, map[string]bool{"free": true, "aws": true, "engine": true}, count())
}

func TestAnErrorOfACheckRefusesAndKeepsItsWarnings(t *testing.T) {
	t.Parallel()
	unread := errors.New("unread")
	g := New(gates.Gate{Name: "quotas", Cost: gates.CostAWS}, func(context.Context, gates.Operation) (Answer, error) {
		return Answer{Warnings: []string{"slow"}}, unread
	})
	require.Equal(t, []Answer{{
		Gate:     "quotas",
		Refused:  unread,
		Warnings: []string{"slow"},
	}}, List{}.AskAll(t.Context(), gates.Up, true, g))
}
