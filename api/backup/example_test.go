package backup_test

import (
	"fmt"

	"github.com/hypershift-aws/hypershift-aws/api/backup"
)

// A schedule of daily backups, for Stack.Backup of package automation: it is embedded in BackupOptions.
func ExampleOptions() {
	options := backup.Options{Cron: "@daily", TTL: 2 * backup.DefaultTTL}
	fmt.Println(options.Cron, options.TTL)
	// Output: @daily 1440h0m0s
}
