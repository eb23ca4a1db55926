// Package savedplan saves a reviewed plan in a file: the engine's update plan, the stack and the config that it was
// created for, and the drift at that time. A later update compares its own preview with it. It is for `preview
// --save-plan` and `up --plan`.
package savedplan
