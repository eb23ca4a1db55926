package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/gates"
	"github.com/hypershift-aws/hypershift-aws/components/hypershift"
	"github.com/hypershift-aws/hypershift-aws/internal/aws/awstype"
	"github.com/hypershift-aws/hypershift-aws/internal/offline"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/store"
	"github.com/hypershift-aws/hypershift-aws/test/opening"
	"github.com/hypershift-aws/hypershift-aws/test/sizes"
)

// lifeRow is a row of the table by which a destroy finds out whether a cluster is alive.
type lifeRow struct {
	name    string
	prepare func(*model, modelCluster)
	env     string
	// refused is true if the management cluster or the object is another one: life is not asked.
	refused bool
	want    gates.Life
	// gone is the result of --management-cluster-gone: begins, living or declined.
	gone string
}

// The results of the assertion that the management cluster no longer exists: it suffices if the cluster does not exist
// either.
const (
	begins   = "begins"
	living   = "living"
	declined = "refused"
)

// unreachable returns the ways in which a management cluster cannot be read.
func unreachable() map[string]offline.Operators {
	all := map[string]offline.Operators{
		"refuses the connection":     {Unreachable: true},
		"times out":                  {Unreachable: true, Failure: "timeout"},
		"has no name":                {Unreachable: true, Failure: "dns"},
		"has an unknown certificate": {Unreachable: true, Failure: "certificate"},
		"answers with a page":        {Unreachable: true, Failure: "page"},
	}
	for _, status := range []int{401, 403, 429, 500, 502, 503} {
		all[fmt.Sprintf("answers %d", status)] = offline.Operators{Status: status}
	}
	return all
}

// lifeRows returns the rows for a cluster in the state of its stack, or that another tool applies.
func lifeRows(t *testing.T, c modelCluster) []lifeRow {
	t.Helper()
	removeObject := func(m *model, c modelCluster) {
		m.object(c, func(path string) { require.NoError(m.t, os.Remove(path)) })
	}
	nothing := func(m *model, c modelCluster) { m.inAWS(c, func(*store.Entry) bool { return false }) }
	only := func(types ...string) func(*model, modelCluster) {
		return func(m *model, c modelCluster) {
			m.inAWS(c, func(r *store.Entry) bool { return strings.Contains(strings.Join(types, " "), r.Type) })
		}
	}
	denied := func(code string) string {
		return `HYPERSHIFT_AWS_OFFLINE_FAULTS={faults: [{lists: "aws:ec2/instance:Instance", code: ` + code + `}]}`
	}
	both := func(first, second func(*model, modelCluster)) func(*model, modelCluster) {
		return func(m *model, c modelCluster) { first(m, c); second(m, c) }
	}
	var rows []lifeRow
	if c.tool { // none is recorded
		return append(rows,
			lifeRow{name: "none recorded, an instance runs", prepare: only(awstype.Instance), want: gates.Alive, gone: living},
			lifeRow{name: "none recorded, an instance is stopped", prepare: both(only(awstype.Instance), (*model).stop), want: gates.Alive, gone: living},
			lifeRow{
				name:    "none recorded, an endpoint is available",
				prepare: only(awstype.VPCEndpoint),
				want:    gates.Alive,
				gone:    living,
			},
			lifeRow{
				name:    "none recorded, a target is registered",
				prepare: both(nothing, targetGroup("10.0.0.7")),
				want:    gates.Alive,
				gone:    living,
			},
			lifeRow{
				name:    "none recorded, a target group has no target",
				prepare: both(nothing, targetGroup()),
				want:    gates.Gone,
				gone:    begins,
			},
			lifeRow{
				name:    "none recorded, a list is denied",
				prepare: nothing,
				env:     denied("UnauthorizedOperation"),
				want:    gates.Unknown,
				gone:    living,
			},
			lifeRow{
				name:    "none recorded, a list is throttled",
				prepare: nothing,
				env:     denied("RequestLimitExceeded"),
				want:    gates.Unknown,
				gone:    living,
			},
			lifeRow{name: "none recorded, nothing in AWS", prepare: nothing, want: gates.Gone, gone: begins},
		)
	}
	rows = append(rows,
		lifeRow{name: "the recorded management cluster has it", want: gates.Alive, gone: declined},
		lifeRow{
			name:    "it is gone there, and no instance runs",
			prepare: both(removeObject, nothing),
			want:    gates.Gone,
			gone:    declined,
		},
		lifeRow{name: "it is gone there, and instances run", prepare: removeObject, want: gates.Unknown, gone: declined},
		lifeRow{
			name:    "it is gone there, and AWS denies a list",
			prepare: both(removeObject, nothing),
			env:     denied("UnauthorizedOperation"),
			want:    gates.Unknown,
			gone:    declined,
		},
		lifeRow{name: "another management cluster", prepare: func(m *model, _ modelCluster) { m.exchange() }, refused: true},
		lifeRow{name: "another UID", prepare: func(m *model, c modelCluster) {
			m.object(c, func(path string) {
				text, err := os.ReadFile(path)
				require.NoError(m.t, err)
				_, uid := m.inState(c.stack)
				require.Contains(m.t, string(text), uid)
				require.NoError(m.t, os.WriteFile(path,
					[]byte(strings.ReplaceAll(string(text), uid, "00000000-0000-0000-0000-000000000000")), 0o600))
			})
		}, refused: true},
		lifeRow{name: "it is gone there, instances run, and its deletion was confirmed", want: gates.Unknown, gone: declined, prepare: func(m *model, c modelCluster) {
			opened := opening.Of(m.t, m.CLI, c.stack, true)
			_, err := opened.Gates.Check(m.t.Context(), false, "")
			require.NoError(m.t, err)
			require.NoError(m.t, opened.Gates.Begin(m.t.Context(), nil))
			removeObject(m, c)
		}},
	)
	for how, operators := range sizes.Only(t, unreachable(), "refuses the connection", "answers 503") {
		silent := func(m *model, c modelCluster) { m.operators(c.management, operators) }
		answers := operators.Status != 0 || operators.Failure == "certificate" || operators.Failure == "page"
		believed := begins
		if answers {
			believed = living
		}
		rows = append(rows,
			lifeRow{
				name:    "its management cluster " + how + ", and an instance runs",
				prepare: silent,
				want:    gates.Alive,
				gone:    living,
			},
			lifeRow{
				name:    "its management cluster " + how + ", and nothing is in AWS",
				prepare: both(nothing, silent),
				want:    gates.Unknown,
				gone:    believed,
			},
			lifeRow{
				name:    "its management cluster " + how + ", and AWS throttles",
				prepare: both(nothing, silent),
				env:     denied("RequestLimitExceeded"),
				want:    gates.Unknown,
				gone:    living,
			},
		)
	}
	return rows
}

// object changes the file of a cluster's object behind the API server.
func (m *model) object(c modelCluster, change func(path string)) {
	m.t.Helper()
	dir := filepath.Join(m.offlineDir(), "clusters", m.folderOf(c.management))
	found := false
	require.NoError(m.t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(filepath.Dir(path), "."+c.kind) && strings.HasSuffix(path, "%2F"+c.name+".json") {
			found = true
			change(path)
		}
		return err
	}))
	require.True(m.t, found, "%s %s in %s", c.kind, c.name, dir)
}

// inAWS deletes the signs of life of a cluster in AWS, except those that are kept. The operators do nothing from then
// on.
func (m *model) inAWS(c modelCluster, keep func(*store.Entry) bool) {
	m.t.Helper()
	m.operators(c.management, offline.Operators{Killed: true})
	signs := strings.Join(append(awstype.LifeTypes(), awstype.TraceTypes()...), " ")
	accounts, err := offline.Accounts(m.offlineDir())
	require.NoError(m.t, err)
	kept := false
	for _, account := range accounts {
		require.NoError(m.t, account.Folder.Transact(func(t *store.Tx) error {
			for of := range t.Store.Records {
				for _, rec := range t.Store.List(of.Scope, of.Token) {
					text, err := json.Marshal(rec.State)
					require.NoError(m.t, err)
					switch {
					case !strings.Contains(signs, rec.Type) || !strings.Contains(string(text), c.infraID):
					case keep(rec):
						kept = true
					default:
						t.Delete(rec)
					}
				}
			}
			return nil
		}))
		require.NoError(m.t, account.Close())
	}
	m.log = append(m.log, fmt.Sprintf("signs of life are kept: %t", kept))
}

// targetGroup adds a target group with the cluster's tag and these registered targets: what an operator created, and no
// stack has.
func targetGroup(targets ...any) func(*model, modelCluster) {
	return func(m *model, c modelCluster) {
		accounts, err := offline.Accounts(m.offlineDir())
		require.NoError(m.t, err)
		require.Len(m.t, accounts, 1)
		tags := map[string]any{hypershift.ClusterTagPrefix + c.infraID: "owned"}
		arn := "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/k8s-ingress/0123456789abcdef"
		require.NoError(m.t, accounts[0].Folder.Transact(func(t *store.Tx) error {
			for of := range t.Store.Records {
				if of.Token != awstype.VPC {
					continue
				}
				t.Put(&store.Entry{Type: awstype.TargetGroup, ID: arn, Scope: of.Scope, Origin: store.ByOperator,
					State: props.Map{"arn": arn, "name": "k8s-ingress", "tags": tags, "tagsAll": tags, "targets": targets}})
				return nil
			}
			return errors.New("the account has no VPC")
		}))
		require.NoError(m.t, accounts[0].Close())
	}
}

// lifeOfRealClusters are the rows of `make test` by stack. Package gate decides the others from what was read; these
// show what is read.
var lifeOfRealClusters = map[string][]string{
	"prod": {
		"the recorded management cluster has it", "it is gone there, and instances run", "another UID",
		"its management cluster refuses the connection, and nothing is in AWS",
	},
	"gitops": {
		"none recorded, a target is registered", "none recorded, a list is denied",
	},
	"self": {"it is gone there, and no instance runs"},
}

// TestTheTableOfLife has a case per row of the table by which a destroy finds out whether a cluster is alive, for
// clusters of HyperShift and of Cluster API: each with the flag --management-cluster-gone, and without.
func TestTheTableOfLife(t *testing.T) {
	t.Parallel()
	dir := modelDir(t)
	for _, c := range modelClusters {
		if c.stack != "prod" && c.stack != "self" && c.stack != "gitops" {
			continue
		}
		rows := lifeRows(t, c)
		if !sizes.All() {
			rows = slices.DeleteFunc(rows, func(row lifeRow) bool {
				return !slices.Contains(lifeOfRealClusters[c.stack], row.name)
			})
		}
		for _, row := range rows {
			t.Run(c.stack+"/"+strings.ReplaceAll(row.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				m := copyModel(t, dir)
				if row.prepare != nil {
					row.prepare(m, c)
				}
				opened := opening.Of(t, m.With(row.env), c.stack, true)
				deletion, err := opened.Gates.Check(t.Context(), false, "")
				if row.refused {
					require.Equal(t, failure.Refused, failure.ReasonOf(err))
					require.NotEmpty(t, deletion.Identity.Other(deletion.Reading), "%v", err)
					return
				}
				require.Equal(t, row.want, deletion.Life, "%s: %v", deletion.Evidence, err)
				_, err = opened.Gates.Check(t.Context(), true, "")
				require.Equal(t, row.gone, verdictOf(err), "%v", err)
			})
		}
	}
}

// verdictOf returns the result of the gates of a deletion by its error.
func verdictOf(err error) string {
	var of *failure.Error
	switch {
	case err == nil:
		return begins
	case errors.As(err, &of) && of.Code == failure.CodeLiving:
		return living
	case failure.ReasonOf(err) == failure.Refused:
		return declined
	}
	return err.Error()
}
