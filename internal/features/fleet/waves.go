package fleet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/failure"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
)

// Wave is the size of a wave.
type Wave struct {
	// Count is a number of stacks, or a percentage of all where Percent is set; 0 for the rest.
	Count   int
	Percent bool
}

// ParseWaves reads "1,5,rest" or "10%,50%,rest"; "" is a single wave of all.
func ParseWaves(text string) ([]Wave, error) {
	if text == "" {
		return []Wave{{}}, nil
	}
	parts := strings.Split(text, ",")
	var waves []Wave
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if part == "rest" && i == len(parts)-1 {
			waves = append(waves, Wave{})
			continue
		}
		number, percent := strings.CutSuffix(part, "%")
		count, err := strconv.Atoi(number)
		if err != nil || count < 1 || percent && count > 100 {
			return nil, &failure.Error{Reason: failure.Refused,
				Problem: fmt.Sprintf("--waves %s: %q is not the size of a wave", text, part),
				Remedy:  "use numbers of stacks or percentages, and rest as the last, such as 1,5,rest"}
		}
		waves = append(waves, Wave{Count: count, Percent: percent})
	}
	return waves, nil
}

// assign sets the wave of each job, counted from 1. Sizes count the stacks that no other stack of the fleet depends on;
// a stack that others depend on is in the wave of the first of them, or of the last on destroy.
func assign(jobs []*fleetrun.Job, waves []Wave, reverse bool) error {
	var counted []*fleetrun.Job
	for _, job := range jobs {
		if !job.Needed {
			counted = append(counted, job)
		}
	}
	next, number := 0, 0
	for _, wave := range waves {
		number++
		size := wave.Count
		if wave.Percent {
			size = (len(counted)*wave.Count + 99) / 100
		}
		if wave.Count == 0 || size > len(counted)-next {
			size = len(counted) - next
		}
		for _, job := range counted[next : next+size] {
			job.Wave = number
		}
		next += size
	}
	if rest := len(counted) - next; rest > 0 {
		return &failure.Error{
			Reason:  failure.Refused,
			Problem: fmt.Sprintf("--waves leaves out %d of %d stacks", rest, len(counted)),
			Remedy:  "end the list with rest",
		}
	}
	for changed := true; changed; {
		changed = false
		for _, job := range jobs {
			for _, before := range job.After {
				if reverse && before.Wave > job.Wave { // the needed stack is destroyed after those that need it
					job.Wave, changed = before.Wave, true
				}
				if !reverse && (before.Wave == 0 || before.Wave > job.Wave) && job.Wave > 0 {
					before.Wave, changed = job.Wave, true
				}
			}
		}
	}
	for _, job := range jobs {
		job.Wave = max(job.Wave, 1)
	}
	return nil
}
