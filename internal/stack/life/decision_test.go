package life

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/internal/gate"
)

// The order of the cases is that of decide: the first fact that applies decides, and later ones are not read.
func TestTheLifeOfADependentIsDecidedByTheFirstFactThatApplies(t *testing.T) {
	t.Parallel()
	unread := errors.New("unread")
	users := func(life gates.Life, evidence string, err error) func() (gates.Life, string, error) {
		return func() (gates.Life, string, error) { return life, evidence, err }
	}
	shared := func(why string, err error) func() (string, error) { return func() (string, error) { return why, err } }
	notRead := func() (gates.Life, string, error) { panic("read without need") }
	gone := gate.Facts{Absent: "absent", Proved: true, InAWS: func() gate.InAWS { return gate.InAWS{} }}
	alive := gate.Facts{Has: "it has it"}
	for name, c := range map[string]struct {
		facts    facts
		life     gates.Life
		evidence string
		err      error
	}{
		"nothing depends on it":      {facts{}, gates.Gone, "no cluster depends on it", nil},
		"only users, one alive":      {facts{Users: users(gates.Alive, "web runs", nil)}, gates.Alive, "web runs", nil},
		"only users, none":           {facts{Users: users(gates.Gone, "no user", nil)}, gates.Gone, "no user", nil},
		"only users, unread":         {facts{Users: users(gates.Unknown, "", unread)}, gates.Unknown, "", unread},
		"another management cluster": {facts{Cluster: true, Elsewhere: true, Another: true, Own: gone}, gates.Unknown, "cannot be asked", nil},
		"another object":             {facts{Cluster: true, Another: true, Own: gone}, gates.Unknown, "", nil},
		"alive":                      {facts{Cluster: true, Own: alive, Users: notRead}, gates.Alive, "it has it", nil},
		"gone":                       {facts{Cluster: true, Own: gone}, gates.Gone, "absent", nil},
		"gone, in another stack": {facts{
			Cluster: true,
			Own:     gone,
			Shared:  shared("stack web", nil),
			Users:   notRead,
		}, gates.Unknown, "stack web", nil},
		"gone, other stacks unread": {facts{
			Cluster: true,
			Own:     gone,
			Shared:  shared("", unread),
		}, gates.Unknown, "", unread},
		"gone, in no other stack": {facts{
			Cluster: true,
			Own:     gone,
			Shared:  shared("", nil),
		}, gates.Gone, "absent", nil},
		"gone, a user is alive": {facts{
			Cluster: true,
			Own:     gone,
			Users:   users(gates.Alive, "web runs", nil),
		}, gates.Alive, "web runs", nil},
		"gone, a user may be alive": {facts{
			Cluster: true,
			Own:     gone,
			Users:   users(gates.Unknown, "web may run", nil),
		}, gates.Unknown, "web may run", nil},
		"gone, and so are all its users": {facts{
			Cluster: true,
			Own:     gone,
			Users:   users(gates.Gone, "no user", nil),
		}, gates.Gone, "absent", nil},
		"gone, its users are unread": {facts{
			Cluster: true,
			Own:     gone,
			Users:   users(gates.Unknown, "", unread),
		}, gates.Gone, "absent", unread},
	} {
		life, evidence, err := decide(c.facts)
		require.Equal(t, c.life, life, name)
		require.Contains(t, evidence, c.evidence, name)
		require.Equal(t, c.evidence == "", evidence == "", "%s: %s", name, evidence)
		require.Equal(t, c.err, err, name)
	}
}
