package offline

import "fmt"

// refusal is AWS's answer to a call that it does not carry out.
type refusal struct {
	code, message string
}

var _ error = (*refusal)(nil)

func (r *refusal) Error() string { return r.code + ": " + r.message }

// refuse answers with one of AWS's error codes.
func refuse(code, format string, args ...any) error {
	return &refusal{code: code, message: fmt.Sprintf(format, args...)}
}

// answer is a refusal whose message has one place for an ID.
type answer struct {
	code, format string
}

func (a answer) about(id string) error { return refuse(a.code, a.format, id) }
