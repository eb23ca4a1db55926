package velero

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/api/backup"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/hypershift/crd"
)

func TestEachBackupAndScheduleIsValidInVelerosAPI(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]backup.Options{
		"backup": {}, "etcd snapshot": {EtcdSnapshot: true},
		"schedule": {Cron: "0 2 * * *", IncludeNamespaces: []string{"hypershift"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Cluster, o.ClusterNamespace, o.Name = "demo", "clusters", "demo-1"
			require.NoError(t, Validate(o))
			object := Object(o)
			require.NoError(t, crd.Velero.Validate(object))
			spec := object["spec"].(map[string]any)
			if o.Cron != "" {
				require.Equal(t, crd.Schedule, object["kind"])
				spec = spec["template"].(map[string]any)
			}
			require.Subset(t, spec["includedNamespaces"], []any{"clusters", crd.ControlPlaneNamespace("clusters", "demo")})
			require.Subset(t, spec["includedResources"],
				[]any{"secrets", "hostedclusters.hypershift.openshift.io", "nodepools.hypershift.openshift.io"})
			require.Equal(t, !o.EtcdSnapshot, spec["snapshotVolumes"])
			require.Equal(t, "720h0m0s", spec["ttl"])
		})
	}
}

func TestTheFaultsOfABackupNameTheOptionTheValueAndARemedy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*backup.Options)
		want   string
	}{
		"name":      {func(o *backup.Options) { o.Name = strings.Repeat("n", 64) }, "is not a name"},
		"namespace": {func(o *backup.Options) { o.Namespace = "a.b" }, `namespace: "a.b" is not a name`},
		"included":  {func(o *backup.Options) { o.IncludeNamespaces = []string{"ok", "*"} }, `includeNamespaces[1]: "*" is not a name`},
		"ttl":       {func(o *backup.Options) { o.TTL = time.Minute }, `ttl: "1m0s" is too short`},
		"cron":      {func(o *backup.Options) { o.Cron = "daily" }, `schedule: "daily" is not a time of cron`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := backup.Options{Cluster: "demo", ClusterNamespace: "clusters", Name: "demo-1"}
			c.change(&o)
			err := Validate(o)
			require.ErrorContains(t, err, c.want)
			require.Len(t, fault.In(err), 1)
			require.NotEmpty(t, fault.In(err)[0].Remedy)
		})
	}
}
