package gate

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// lifeOf is the life of a cluster by a reading of its stack's management cluster, and what AWS has.
func lifeOf(
	identity Identity,
	reading Reading,
	finished, gone bool,
	aws InAWS,
	deleted *time.Time,
) (gates.Life, string) {
	facts := FactsOf(identity, reading, finished, gone)
	facts.InAWS, facts.Deleted = func() InAWS { return aws }, deleted
	return LifeOf(facts)
}

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
	deniedInPart := InAWS{Signs: []string{"vpce-1"}, Err: errors.New("AccessDenied")}
	has := func(uid string) Reading { r := reached; r.Object = uid; return r }
	for name, c := range map[string]struct {
		identity Identity
		reading  Reading
		aws      InAWS
		want     gates.Life
	}{
		"recorded cluster has the object":                        {recorded, has("hc-1"), nothing, gates.Alive},
		"recorded cluster without the object, nothing in AWS":    {recorded, reached, nothing, gates.Gone},
		"recorded cluster without the object, instances":         {recorded, reached, instance, gates.Unknown},
		"recorded cluster without the object, AWS denied":        {recorded, reached, denied, gates.Unknown},
		"the same, and a leftover endpoint":                      {recorded, reached, deniedInPart, gates.Unknown},
		"recorded cluster without the object, leftover endpoint": {recorded, reached, endpoint, gates.Gone},
		"unreachable, instance":                                  {recorded, silent, instance, gates.Alive},
		"unreachable, endpoint":                                  {recorded, silent, endpoint, gates.Alive},
		"unreachable, denied":                                    {recorded, silent, denied, gates.Unknown},
		"unreachable, nothing":                                   {recorded, silent, nothing, gates.Unknown},
		"a page answers, nothing":                                {recorded, page, nothing, gates.Unknown},
		"recorded, and no kubeconfig selects it":                 {recorded, Reading{}, nothing, gates.Unknown},
		"never recorded, instance":                               {Identity{}, Reading{}, instance, gates.Alive},
		"never recorded, denied":                                 {Identity{}, Reading{}, denied, gates.Unknown},
		"never recorded, nothing":                                {Identity{}, Reading{}, nothing, gates.Gone},
		"never recorded, but the cluster has the object":         {Identity{}, has("hc-9"), nothing, gates.Alive},
		"only the object was recorded, and it is not found": {Identity{Object: "hc-1"}, Reading{Configured: true},
			instance, gates.Alive},
		"namespace unreadable, and the object's UID is the same": {recorded, Reading{
			Configured: true,
			Object:     "hc-1",
		}, nothing, gates.Alive},
		"namespace unreadable, object not found, instances exist": {recorded, Reading{Configured: true}, instance,
			gates.Alive},
		"namespace unreadable, object not found, nothing in AWS": {recorded, Reading{Configured: true}, nothing,
			gates.Unknown},
	} {
		life, evidence := lifeOf(c.identity, c.reading, false, false, c.aws, nil)
		require.Equal(t, c.want, life, "%s: %s", name, evidence)
		require.NotEmpty(t, evidence, name)
	}
}

func TestADeletionThatEndedExplainsTheInstancesThatWereLaunchedBefore(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1"}
	newest := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	launched := func(at time.Time) InAWS {
		return InAWS{Signs: []string{"i-1"}, Instances: []string{"i-1"}, Launched: at}
	}
	absent := Reading{Configured: true, ManagementCluster: "mc-1"}
	for name, c := range map[string]struct {
		reading Reading
		aws     InAWS
		deleted *time.Time
		want    gates.Life
	}{
		"one that AWS had then":              {absent, launched(newest), &newest, gates.Gone},
		"an older one":                       {absent, launched(newest.Add(-time.Hour)), &newest, gates.Gone},
		"launched since, restored elsewhere": {absent, launched(newest.Add(time.Second)), &newest, gates.Unknown},
		"launched since, and AWS had none":   {absent, launched(newest), &time.Time{}, gates.Unknown},
		"the deletion did not end":           {absent, launched(newest), nil, gates.Unknown},
		"AWS denies a list":                  {absent, InAWS{Err: errors.New("AccessDenied")}, &newest, gates.Unknown},
		"the management cluster has it again": {Reading{
			Configured:        true,
			ManagementCluster: "mc-1",
			Object:            "hc-2",
		}, launched(newest), &newest, gates.Alive},
		"the management cluster cannot say": {Reading{Configured: true}, launched(newest), &newest, gates.Alive},
		"no answer": {Reading{
			Configured: true,
			Err:        errors.New("refused"),
			NoAnswer:   true,
		}, InAWS{}, &newest, gates.Unknown},
	} {
		life, evidence := lifeOf(recorded, c.reading, false, false, c.aws, c.deleted)
		require.Equal(t, c.want, life, "%s: %s", name, evidence)
	}
}

func TestOnlySilenceLetsTheAssertionThatTheManagementClusterIsGoneCount(t *testing.T) {
	t.Parallel()
	recorded := Identity{ManagementCluster: "mc-1", Object: "hc-1"}
	for name, c := range map[string]struct {
		reading Reading
		aws     InAWS
		want    gates.Life
	}{
		"silence, nothing in AWS": {Reading{
			Configured: true,
			Err:        errors.New("refused"),
			NoAnswer:   true,
		}, InAWS{}, gates.Gone},
		"silence, an instance": {Reading{
			Configured: true,
			Err:        errors.New("refused"),
			NoAnswer:   true,
		}, InAWS{Signs: []string{"i-1"}}, gates.Alive},
		"silence, what operators left": {Reading{
			Configured: true,
			Err:        errors.New("refused"),
			NoAnswer:   true,
		}, InAWS{Traces: []string{"sg-1"}}, gates.Gone},
		"an answer, nothing in AWS": {Reading{Configured: true, Err: errors.New("401")}, InAWS{}, gates.Unknown},
		"read, but not identified":  {Reading{Configured: true}, InAWS{}, gates.Unknown},
	} {
		life, evidence := lifeOf(recorded, c.reading, false, true, c.aws, nil)
		require.Equal(t, c.want, life, "%s: %s", name, evidence)
	}
}

func TestWhatThisOperationDeletedIsGoneWhereItsObjectIsAbsent(t *testing.T) {
	t.Parallel()
	newest := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	instance := InAWS{Signs: []string{"i-1"}, Instances: []string{"i-1"}}
	unread := Reading{Configured: true} // the namespace may not be read
	life, _ := lifeOf(Identity{Object: "hc-1"}, unread, true, false, instance, &newest)
	require.Equal(t, gates.Gone, life)
	unread.Object = "hc-1"
	life, _ = lifeOf(Identity{Object: "hc-1"}, unread, true, false, instance, &newest)
	require.Equal(t, gates.Alive, life)
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
		{Configured: true, ManagementCluster: "hub"}, {Configured: true},
		{Configured: true, Err: errors.New("refused"), NoAnswer: true},
	} {
		life, evidence := LifeOf(FactsOf(identity, reading, false, true))
		require.Equal(t, gates.Unknown, life, evidence)
	}
	life, _ := LifeOf(FactsOf(identity, Reading{Configured: true, ManagementCluster: "hub", Object: "1"}, false, false))
	require.Equal(t, gates.Alive, life)
}

// A cluster without nodes has no sign of life in AWS, but what its operators created.
func TestWhatOperatorsCreatedMakesAClusterUnknownThatNothingProvesGone(t *testing.T) {
	t.Parallel()
	traces := InAWS{Traces: []string{"load balancer a", "security group b"}}
	life, evidence := lifeOf(Identity{}, Reading{Configured: true}, false, false, traces, nil)
	require.Equal(t, gates.Unknown, life)
	require.Contains(t, evidence, "AWS has what operators of a cluster create")
	life, _ = lifeOf(Identity{}, Reading{Configured: true}, false, false, InAWS{}, nil)
	require.Equal(t, gates.Gone, life, "nothing is left")
	life, _ = lifeOf(Identity{ManagementCluster: "mc-1"}, Reading{
		Configured:        true,
		ManagementCluster: "mc-1",
	}, false, false,
		traces, nil)
	require.Equal(t, gates.Gone, life, "its own management cluster does not have it")
}
