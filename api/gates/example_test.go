package gates_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/gates"
)

// A cluster whose life is unknown is treated as alive.
func ExampleLife() {
	var life gates.Life
	fmt.Println(life, life != gates.Gone)
	// Output: unknown true
}
