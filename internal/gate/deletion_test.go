package gate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
)

// verdict is what Judge returns, by its effect.
type verdict string

const (
	begins  verdict = "begins"
	refused verdict = "refused"
	living  verdict = "refused as living"
	failed  verdict = "failed"
)

func verdictOf(err error) verdict {
	var of *failure.Error
	switch {
	case err == nil:
		return begins
	case !errors.As(err, &of) || of.Reason != failure.Refused:
		return failed
	case of.Code == failure.CodeLiving:
		return living
	}
	return refused
}

// The cases are the rows of the decision: what was read, and what happens without a flag, with consent to the cluster's
// name, with the assertion about the management cluster, and with both.
func TestADestroyBeginsOnlyIfTheClusterIsGoneOrDeletedFirstOrTheUserConsents(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1", Object: "hc-1"}
	reached := Reading{Configured: true, ManagementCluster: "mc-1"}
	has := func(uid string) Reading { r := reached; r.Object = uid; return r }
	silent := Reading{Configured: true, Err: errors.New("i/o timeout"), NoAnswer: true}
	answering := Reading{Configured: true, Err: errors.New("503")}
	unread := Reading{Configured: true} // its namespace kube-system may not be read
	nothing, denied := InAWS{}, InAWS{Err: errors.New("AccessDenied")}
	instance := InAWS{Signs: []string{"i-1"}, Instances: []string{"i-1"}}
	for name, c := range map[string]struct {
		inState                       bool
		reading                       Reading
		aws                           InAWS
		plain, consent, gone, assured verdict
	}{
		"another management cluster": {true, Reading{
			Configured:        true,
			ManagementCluster: "mc-2",
		}, instance, refused, refused, refused, begins},
		"another object": {true, has("hc-2"), instance, refused, refused, refused, refused},
		"in the state and the management cluster":          {true, has("hc-1"), instance, begins, begins, refused, refused},
		"in the management cluster alone":                  {false, has("hc-1"), nothing, living, begins, refused, refused},
		"in neither, and nothing in AWS":                   {false, reached, nothing, begins, begins, refused, refused},
		"in the state alone, and nothing in AWS":           {true, reached, nothing, begins, begins, refused, refused},
		"in the state alone, and instances":                {true, reached, instance, living, begins, refused, refused},
		"in the state alone, and AWS denies":               {true, reached, denied, living, begins, refused, refused},
		"in the state, silence, and nothing in AWS":        {true, silent, nothing, failed, failed, begins, begins},
		"in the state, silence, and instances":             {true, silent, instance, failed, failed, living, begins},
		"in the state, silence, and AWS denies":            {true, silent, denied, failed, failed, living, begins},
		"in the state, an error that is an answer":         {true, answering, nothing, failed, failed, living, begins},
		"not in the state, silence, nothing in AWS":        {false, silent, nothing, living, begins, begins, begins},
		"not in the state, an error that is an answer":     {false, answering, nothing, living, begins, living, begins},
		"in the state alone, not identified":               {true, unread, nothing, living, begins, refused, refused},
		"not in the state, not identified":                 {false, unread, nothing, living, begins, refused, refused},
		"not in the state, silence, and instances":         {false, silent, instance, living, begins, living, begins},
		"a recorded management cluster without kubeconfig": {false, Reading{}, nothing, living, begins, living, begins},
		"no management cluster, and instances":             {false, Reading{}, instance, living, begins, living, begins},
		"no management cluster, and AWS denies":            {false, Reading{}, denied, living, begins, living, begins},
	} {
		d := Deletion{Stack: "dev", Cluster: "demo", InState: c.inState, Identity: recorded, Reading: c.reading}
		for _, with := range []struct {
			consent string
			gone    bool
			want    verdict
		}{{"", false, c.plain}, {"demo", false, c.consent}, {"", true, c.gone}, {"demo", true, c.assured},
			{"other", false, refused}, {"other", true, refused}} {
			d.Consent, d.ManagementGone = with.consent, with.gone
			facts := FactsOf(recorded, c.reading, false, with.gone)
			facts.InAWS = func() InAWS { return c.aws }
			d.Life, d.Evidence = LifeOf(facts)
			require.Equal(t, with.want, verdictOf(d.Judge()), "%s, consent %q, gone %t: %s", name, with.consent, with.gone,
				d.Evidence)
		}
	}
	// A management cluster that may be another one does not delete the cluster of the state.
	unproved := Deletion{
		Stack:    "dev",
		Cluster:  "demo",
		InState:  true,
		Identity: Identity{ManagementCluster: "mc-1"},
		Reading:  Reading{Configured: true, Object: "hc-1"},
	}
	unproved.Life, unproved.Evidence = LifeOf(FactsOf(unproved.Identity, unproved.Reading, false, false))
	require.Equal(t, living, verdictOf(unproved.Judge()))
}
