package guarded_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hypershift-aws/hypershift-aws/internal/aws/guarded"
)

func TestInstanceTypesWithAnInstanceStoreAreKnownByTheirFamilies(t *testing.T) {
	t.Parallel()
	for family := range strings.FieldsSeq("m5d m5dn m5ad m6id m6idn m6gd c5d c5ad c6gd r5d r6idn r7gd x2gd x2idn x2iedn z1d i3 i3en " +
		"i4i i4g i7ie i8g im4gn is4gen d2 d3 d3en h1 x1 x1e g4dn g4ad g5 g6 g6e p3dn p4d p4de p5 p5e p6-b200 trn1 f1 hpc6id m3 c3") {
		require.True(t, guarded.HasInstanceStore(family+".xlarge"), family)
	}
	for family := range strings.FieldsSeq("t2 t3 t4g m4 m5 m5a m5n m5zn m6i m6g m7i m7i-flex m8g c4 c5 c5n c6gn c7i r4 r5 r5b r6i r7iz x2iezn " +
		"a1 g5g p2 p3 inf1 inf2 hpc6a hpc7g u-6tb1 mac2-m2pro") {
		require.False(t, guarded.HasInstanceStore(family+".xlarge"), family)
	}
}
