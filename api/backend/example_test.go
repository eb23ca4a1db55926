package backend_test

import (
	"fmt"
	"time"

	"github.com/hypershift-aws/hypershift-aws/api/backend"
)

// The lock of an update that is in progress names its holder.
func ExampleLock() {
	lock := backend.Lock{Holder: "ana@build-1", Process: 4711, Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	fmt.Println(lock)
	// Output: ana@build-1, process 4711, since 2026-01-02T03:04:05Z
}
