package fleet

import "github.com/hypershift-aws/hypershift-aws/internal/failure"

// Reason returns why a run in which not all stacks succeeded has not: that of the stacks, where it is one for all of them, else
// failure.Failed. An interruption comes first; stacks that were not started count only where nothing else does.
func Reason(outcomes map[*Job]Outcome) failure.Reason {
	codes := map[int]bool{}
	for _, outcome := range outcomes {
		switch outcome.Status {
		case Stopped:
			return failure.Interrupted
		case Skipped:
			if outcome.Problem == reasonInterrupted {
				return failure.Interrupted
			}
		case Changed, Failed, Locked:
			codes[outcome.Code] = true
		case Succeeded, Waiting, Running:
		}
	}
	if len(codes) == 1 {
		for code := range codes {
			switch code {
			case 2:
				return failure.Refused
			case exitChanges:
				return failure.ChangesFound
			case exitConflict:
				return failure.Conflict
			}
		}
	}
	return failure.Failed
}
