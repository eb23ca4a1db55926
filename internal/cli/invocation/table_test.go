package invocation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATableFitsItsTerminal(t *testing.T) {
	t.Parallel()
	long := "arn:aws:iam::123456789012:oidc-provider/demo-oidc/demo-x1"
	rows := [][]any{{"delete", "VPC", "vpc-1", "", "2d"}, {"hold", "OIDC provider", long, "demo", "3m"}}
	for width, want := range map[int]string{
		0: "ACTION  TYPE           ID                                                         NAME  AGE\n" +
			"delete  VPC            vpc-1                                                      -     2d\n" +
			"hold    OIDC provider  " + long + "  demo  3m\n",
		80: "ACTION  TYPE           ID     NAME  AGE\n" +
			"delete  VPC            vpc-1  -     2d\n" +
			"hold    OIDC provider\n" +
			"        ID " + long + "  NAME demo\n" +
			"        AGE 3m\n",
		30: "ACTION  TYPE           ID\n" +
			"delete  VPC            vpc-1\n" +
			"        AGE 2d\n" +
			"hold    OIDC provider\n" +
			"        ID\n          " + long + "\n" +
			"        NAME demo  AGE 3m\n",
	} {
		var out strings.Builder
		streams := Streams{Out: &out, Err: &out}
		if width > 0 {
			streams.OutWidth = func() int { return width }
		}
		c := New(streams, nil)
		c.output = "text"
		require.NoError(t, c.Begin("sweep"))
		require.NoError(t, Table(c, "ACTION\tTYPE\tID\tNAME\tAGE", rows, func(row []any) []any { return row }))
		require.Equal(t, want, out.String(), "width %d", width)
	}
}
