package fleet

import "github.com/hypershift-aws/hypershift-aws/internal/failure"

// Reason returns the reason of a failed run: that of the stacks if all have the same one, otherwise failure.Failed. An interruption takes
// precedence; stacks that were not started count only if there is no other reason.
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
			case exitRefused:
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
