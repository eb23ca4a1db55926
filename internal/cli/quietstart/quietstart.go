// Package quietstart keeps a process from asking its terminal for colours before main. A library of Pulumi's SDK,
// bubbletea, asks when it is linked, and waits five seconds for a terminal that does not answer, such as that of a
// container in a pipeline. It asks no terminal that TERM calls dumb. Packages are initialised in the order of their
// paths, each as soon as those that it imports are: this package, which needs package os alone, is earlier than
// github.com/muesli/termenv, through which bubbletea asks.
package quietstart

import "os"

// given is TERM as the process has been started with it.
var given, has = dumb()

func dumb() (string, bool) {
	term, has := os.LookupEnv("TERM")
	_ = os.Setenv("TERM", "dumb") // where it fails, the terminal is asked as before
	return term, has
}

// End gives TERM back, once all packages are initialised.
func End() {
	if has {
		_ = os.Setenv("TERM", given) // it has worked before
		return
	}
	_ = os.Unsetenv("TERM")
}
