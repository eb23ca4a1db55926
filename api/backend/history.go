package backend

import "time"

// Entry is an entry in a stack's history: a change by the engine, or a consent.
type Entry struct {
	// Time is when the change began, or when the consent was given.
	Time time.Time `json:"time"`
	// Kind is "update", "destroy", "refresh" or another kind of change of the engine, or KindConsent.
	Kind string `json:"kind"`
	// By is the user and host, with the run of a pipeline; "" for a change that another program made without telling it.
	By string `json:"by,omitempty"`
	// Result is "succeeded", "failed" or "in-progress"; "" for a consent.
	Result string `json:"result,omitempty"`
	// Ended is when the change ended; zero if it did not, and for a consent.
	Ended time.Time `json:"ended,omitzero"`
	// Changes counts the resources of a change by what was done to them: "create", "update", "same" and so on.
	Changes map[string]int `json:"changes,omitempty"`
	// Commit, Author and Message are those of the commit that the project's folder had; "" without one.
	Commit  string `json:"commit,omitempty"`
	Author  string `json:"author,omitempty"`
	Message string `json:"message,omitempty"`
	// Dirty is true if the folder had changes that were not committed.
	Dirty bool `json:"dirty,omitempty"`
	// Version is the version of the program that made the change or took the consent, "" if it is not known.
	Version string `json:"version,omitempty"`
	// Consent is the flag of a consent with its value, Evidence why it was needed, and Resources what it was about.
	Consent   string   `json:"consent,omitempty"`
	Evidence  string   `json:"evidence,omitempty"`
	Resources []string `json:"resources,omitempty"`
}

// KindConsent is the kind of an entry that is a consent.
const KindConsent = "consent"
