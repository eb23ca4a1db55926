// Package savedplan keeps a reviewed plan in a file: the engine's update plan, the stack and the config that it was made for, and what
// differed in AWS then. A later update holds its own preview against it. It is for `preview --save-plan` and `up --plan`.
package savedplan
