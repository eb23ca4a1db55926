// Package features lists the features of the command line.
package features

import (
	adopt "github.com/hypershift-aws/hypershift-aws/internal/features/adopt/cmd"
	backup "github.com/hypershift-aws/hypershift-aws/internal/features/backup/cmd"
	fleet "github.com/hypershift-aws/hypershift-aws/internal/features/fleet/cmd"
	forecast "github.com/hypershift-aws/hypershift-aws/internal/features/forecast/cmd"
	heldfields "github.com/hypershift-aws/hypershift-aws/internal/features/heldfields/cmd"
	history "github.com/hypershift-aws/hypershift-aws/internal/features/history/cmd"
	paths "github.com/hypershift-aws/hypershift-aws/internal/features/paths/cmd"
	pause "github.com/hypershift-aws/hypershift-aws/internal/features/pause/cmd"
	permissions "github.com/hypershift-aws/hypershift-aws/internal/features/permissions/cmd"
	picture "github.com/hypershift-aws/hypershift-aws/internal/features/picture/cmd"
	pods "github.com/hypershift-aws/hypershift-aws/internal/features/pods/cmd"
	policies "github.com/hypershift-aws/hypershift-aws/internal/features/policies/cmd"
	preflight "github.com/hypershift-aws/hypershift-aws/internal/features/preflight/cmd"
	relocate "github.com/hypershift-aws/hypershift-aws/internal/features/relocate/cmd"
	render "github.com/hypershift-aws/hypershift-aws/internal/features/render/cmd"
	review "github.com/hypershift-aws/hypershift-aws/internal/features/review/cmd"
	sandbox "github.com/hypershift-aws/hypershift-aws/internal/features/sandbox/cmd"
	schema "github.com/hypershift-aws/hypershift-aws/internal/features/schema/cmd"
	sweep "github.com/hypershift-aws/hypershift-aws/internal/features/sweep/cmd"

	"github.com/hypershift-aws/hypershift-aws/internal/cli/invocation"
)

// All returns the features. In this order they check their flags of a command and show their part of its result.
// pods and fleet come after the commands that they extend.
func All() []invocation.Feature {
	return []invocation.Feature{
		policies.Feature(),
		forecast.Feature(),
		picture.Feature(),
		review.Feature(),
		heldfields.Feature(),
		preflight.Feature(),
		sweep.Feature(),
		adopt.Feature(),
		backup.Feature(),
		relocate.Feature(),
		paths.Feature(),
		history.Feature(),
		pause.Feature(),
		permissions.Feature(),
		render.Feature(),
		pods.Feature(),
		sandbox.Feature(),
		schema.Feature(),
		fleet.Feature(),
	}
}
