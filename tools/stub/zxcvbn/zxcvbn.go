// Package zxcvbn replaces the password estimator of the same name when the engine is built. The engine uses it to
// determine whether a plain value given to `pulumi config set` looks like a secret, and for nothing else; but the
// estimator reads its dictionaries, 40 MB in memory, at each start of the engine, which is half of the processor time
// that a start takes.
package zxcvbn

import (
	"math"
	"unicode"
)

// Strength is the result of PasswordStrength.
type Strength struct {
	// Entropy is the number of bits that a password of this length and these kinds of characters has at most.
	Entropy float64
}

// PasswordStrength estimates a password's strength from its length and its kinds of characters. It has no dictionary,
// so that a value made of words is taken for a secret sooner than by the estimator. No argument but the first is read.
func PasswordStrength(password string, _ []string) Strength {
	kinds := []struct {
		is   func(rune) bool
		size int
	}{
		{unicode.IsLower, 26},
		{unicode.IsUpper, 26},
		{unicode.IsDigit, 10},
		{func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }, 33},
	}
	alphabet := 0
	for _, kind := range kinds {
		for _, r := range password {
			if kind.is(r) {
				alphabet += kind.size
				break
			}
		}
	}
	if alphabet == 0 {
		return Strength{}
	}
	return Strength{Entropy: float64(len(password)) * math.Log2(float64(alphabet))}
}
