// Package zxcvbn stands in for the fork of the password estimator that `pulumi env set` uses.
package zxcvbn

import "github.com/nbutton23/zxcvbn-go"

// PasswordStrength estimates a password's strength.
func PasswordStrength(password string, inputs []string) zxcvbn.Strength {
	return zxcvbn.PasswordStrength(password, inputs)
}
