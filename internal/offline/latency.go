package offline

// Latency is how many seconds AWS takes to create one of a type until it can be used, by the medians of public logs of
// real runs. What is not listed takes a second.
func Latency(token string) float64 {
	switch token {
	case vpcToken:
		return 15 // 11 to 22, with the DNS attributes
	case natToken:
		return 106 // 95 to 125
	case zoneToken:
		return 70 // 60 to 80, until the change is in sync
	case profileToken:
		return 8
	default:
		return 1
	}
}

// CreationSeconds is how many seconds a creation takes here: its setting, or Latency, scaled.
func (r Rehearsal) CreationSeconds(token string) float64 {
	seconds, ok := r.Seconds[token]
	if !ok {
		seconds = Latency(token)
	}
	return seconds * r.Scale
}
