package automation

import "context"

// Outputs returns the outputs of the last update; the map is empty if the stack is not deployed. Secrets are "[secret]"
// unless showSecrets is set.
func (s *Stack) Outputs(ctx context.Context, showSecrets bool) (map[string]any, error) {
	core := s.core()
	defer s.named(core)
	return core.Outputs(ctx, showSecrets)
}

// GuardedNames returns the resources in the stack's state that Up replaces or deletes only if UpOptions.Allow names
// them.
func (s *Stack) GuardedNames(ctx context.Context) ([]string, error) {
	core := s.core()
	defer s.named(core)
	return core.GuardedNames(ctx)
}

// HeldKeys returns the config keys of fields that other clients of the management cluster hold, and that UpOptions.Take
// gives the file's values.
func (s *Stack) HeldKeys(ctx context.Context) ([]string, error) {
	core := s.core()
	defer s.named(core)
	return core.HeldKeys(ctx)
}

// Candidates returns the IDs in AWS between which RepairOptions.Take decides.
func (s *Stack) Candidates(ctx context.Context) ([]string, error) {
	core := s.core()
	defer s.named(core)
	return core.Candidates(ctx)
}
