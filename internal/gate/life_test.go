package gate

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLifeIsDecidedByTheFirstEvidenceThatApplies(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1", Object: "hc-1"}
	reached := Reading{Configured: true, ManagementCluster: "mc-1"}
	silent := Reading{Configured: true, Err: errors.New("i/o timeout"), NoAnswer: true}
	page := Reading{Configured: true, Err: errors.New("invalid character '<' looking for beginning of value")}
	nothing := InAWS{}
	instance := InAWS{Signs: []string{"i-1"}, Instances: []string{"i-1"}}
	endpoint := InAWS{Signs: []string{"vpce-1"}}
	denied := InAWS{Err: errors.New("AccessDenied")}
	has := func(uid string) Reading { r := reached; r.Object = uid; return r }
	for name, c := range map[string]struct {
		identity Identity
		reading  Reading
		aws      InAWS
		want     Life
	}{
		"recorded cluster has the object":                         {recorded, has("hc-1"), nothing, Alive},
		"recorded cluster without the object, nothing in AWS":     {recorded, reached, nothing, Gone},
		"recorded cluster without the object, instances":          {recorded, reached, instance, Unknown},
		"recorded cluster without the object, AWS denied":         {recorded, reached, denied, Unknown},
		"recorded cluster without the object, leftover endpoint":  {recorded, reached, endpoint, Gone},
		"unreachable, instance":                                   {recorded, silent, instance, Alive},
		"unreachable, endpoint":                                   {recorded, silent, endpoint, Alive},
		"unreachable, denied":                                     {recorded, silent, denied, Unknown},
		"unreachable, nothing":                                    {recorded, silent, nothing, Unknown},
		"a page answers, nothing":                                 {recorded, page, nothing, Unknown},
		"recorded, and no kubeconfig selects it":                  {recorded, Reading{}, nothing, Unknown},
		"never recorded, instance":                                {Identity{}, Reading{}, instance, Alive},
		"never recorded, denied":                                  {Identity{}, Reading{}, denied, Unknown},
		"never recorded, nothing":                                 {Identity{}, Reading{}, nothing, Gone},
		"never recorded, but the cluster has the object":          {Identity{}, has("hc-9"), nothing, Alive},
		"only the object was recorded, and it is not found":       {Identity{Object: "hc-1"}, Reading{Configured: true}, instance, Alive},
		"namespace unreadable, and the object's UID is the same":  {recorded, Reading{Configured: true, Object: "hc-1"}, nothing, Alive},
		"namespace unreadable, object not found, instances exist": {recorded, Reading{Configured: true}, instance, Alive},
		"namespace unreadable, object not found, nothing in AWS":  {recorded, Reading{Configured: true}, nothing, Unknown},
	} {
		life, evidence := LifeOf(Facts{Identity: c.identity, Reading: c.reading, InAWS: func() InAWS { return c.aws }})
		require.Equal(t, c.want, life, "%s: %s", name, evidence)
		require.NotEmpty(t, evidence, name)
	}
}

func TestADeletionThatEndedExplainsTheInstancesThatWereLaunchedBefore(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1"}
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	before := InAWS{Signs: []string{"i-1"}, Instances: []string{"i-1"}, Launched: ended.Add(-time.Hour)}
	after := InAWS{Signs: []string{"i-1"}, Instances: []string{"i-1"}, Launched: ended.Add(time.Minute)}
	absent := Reading{Configured: true, ManagementCluster: "mc-1"}
	for name, c := range map[string]struct {
		reading Reading
		aws     InAWS
		ended   time.Time
		want    Life
	}{
		"launched before":                     {absent, before, ended, Gone},
		"launched since, restored elsewhere":  {absent, after, ended, Unknown},
		"the deletion did not end":            {absent, before, time.Time{}, Unknown},
		"AWS denies a list":                   {absent, InAWS{Err: errors.New("AccessDenied")}, ended, Unknown},
		"the management cluster has it again": {Reading{Configured: true, ManagementCluster: "mc-1", Object: "hc-2"}, before, ended, Alive},
		"the management cluster cannot say":   {Reading{Configured: true}, before, ended, Alive},
		"no answer":                           {Reading{Configured: true, Err: errors.New("refused"), NoAnswer: true}, InAWS{}, ended, Unknown},
	} {
		life, evidence := LifeOf(Facts{Identity: recorded, Reading: c.reading, InAWS: func() InAWS { return c.aws }, Ended: c.ended})
		require.Equal(t, c.want, life, "%s: %s", name, evidence)
	}
}

func TestOnlySilenceLetsTheAssertionThatTheManagementClusterIsGoneCount(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1", Object: "hc-1"}
	for name, c := range map[string]struct {
		reading Reading
		aws     InAWS
		want    Life
	}{
		"silence, nothing in AWS":   {Reading{Configured: true, Err: errors.New("refused"), NoAnswer: true}, InAWS{}, Gone},
		"silence, an instance":      {Reading{Configured: true, Err: errors.New("refused"), NoAnswer: true}, InAWS{Signs: []string{"i-1"}}, Alive},
		"an answer, nothing in AWS": {Reading{Configured: true, Err: errors.New("401")}, InAWS{}, Unknown},
		"read, but not identified":  {Reading{Configured: true}, InAWS{}, Unknown},
	} {
		life, evidence := LifeOf(Facts{Identity: recorded, Reading: c.reading, InAWS: func() InAWS { return c.aws }, ManagementGone: true})
		require.Equal(t, c.want, life, "%s: %s", name, evidence)
	}
}

func TestWhatThisOperationDeletedIsGoneWhereItsObjectIsAbsent(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	instance := func() InAWS { return InAWS{Signs: []string{"i-1"}, Instances: []string{"i-1"}} }
	unread := Reading{Configured: true} // the namespace may not be read
	life, _ := LifeOf(Facts{Identity: Identity{Object: "hc-1"}, Reading: unread, InAWS: instance, Ended: ended, Finished: true})
	require.Equal(t, Gone, life)
	unread.Object = "hc-1"
	life, _ = LifeOf(Facts{Identity: Identity{Object: "hc-1"}, Reading: unread, InAWS: instance, Ended: ended, Finished: true})
	require.Equal(t, Alive, life)
}

func TestAnotherManagementClusterOrObjectIsRecognized(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1", Object: "hc-1"}
	for name, c := range map[string]struct {
		reading       Reading
		other, proved bool
	}{
		"the same":        {Reading{ManagementCluster: "mc-1", Object: "hc-1"}, false, true},
		"another cluster": {Reading{ManagementCluster: "mc-2"}, true, false},
		"another cluster with an object so named": {Reading{ManagementCluster: "mc-2", Object: "hc-2"}, true, false},
		"another object":         {Reading{ManagementCluster: "mc-1", Object: "hc-2"}, true, false},
		"namespace not readable": {Reading{Object: "hc-1"}, false, true},
		"nothing readable":       {Reading{}, false, false},
		"unreachable":            {Reading{Err: errors.New("x509"), ManagementCluster: "mc-2"}, false, false},
	} {
		require.Equal(t, c.other, recorded.Other(c.reading) != "", name)
		require.Equal(t, c.proved, recorded.Proved(c.reading), name)
	}
	require.False(t, Identity{}.Proved(Reading{ManagementCluster: "mc-1"}))
	require.Empty(t, Identity{}.Other(Reading{ManagementCluster: "mc-1", Object: "hc-1"}), "nothing was recorded")
}

// A program cannot search AWS: what the recorded management cluster no longer has may have been restored elsewhere.
func TestWhoCannotSearchAWSTakesNoClusterForGone(t *testing.T) {
	t.Parallel()
	identity := Identity{ManagementCluster: "hub"}
	for _, reading := range []Reading{
		{Configured: true, ManagementCluster: "hub"}, {Configured: true}, {Configured: true, Err: errors.New("refused"), NoAnswer: true},
	} {
		life, evidence := LifeOf(Facts{Identity: identity, Reading: reading, ManagementGone: true})
		require.Equal(t, Unknown, life, evidence)
	}
	life, _ := LifeOf(Facts{Identity: identity, Reading: Reading{Configured: true, ManagementCluster: "hub", Object: "1"}})
	require.Equal(t, Alive, life)
}
