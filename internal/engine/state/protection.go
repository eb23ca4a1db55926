package state

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Protection is what keeps the engine from deleting resources of a state.
type Protection struct {
	// Protected are the URNs of protected resources.
	Protected []string
	// Hooked are the resources with hooks that the engine runs before it deletes them.
	Hooked []*Resource
}

// Empty reports whether nothing is protected.
func (p Protection) Empty() bool { return len(p.Protected) == 0 && len(p.Hooked) == 0 }

// Protection returns the protection of the types of resources that a stack protects itself, and of the type that
// carries its hook.
func (d *Deployment) Protection(protected func(token string) bool, hooked string) Protection {
	var p Protection
	for _, r := range d.Resources {
		switch {
		case r.Delete:
		case string(r.Type) == hooked && len(r.ResourceHooks) > 0:
			p.Hooked = append(p.Hooked, r)
		case r.Protect && protected(string(r.Type)):
			p.Protected = append(p.Protected, string(r.URN))
		}
	}
	return p
}

// Unprotect removes a protection.
func (d *Deployment) Unprotect(p Protection) error {
	for _, urn := range p.Protected {
		if r := d.Live(urn); r != nil {
			if err := r.Set("protect", false); err != nil {
				return err
			}
		}
	}
	for _, hooked := range p.Hooked {
		if r := d.Live(string(hooked.URN)); r != nil {
			if err := r.Set("resourceHooks", map[resource.HookType][]string{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Protect adds a protection that was removed to the protected resources that remain, and its hooked resources even if
// they do not, because the engine deletes them first. It reports whether the state changed.
func (d *Deployment) Protect(p Protection) (changed bool, err error) {
	for _, r := range d.Resources {
		if !r.Delete && !r.Protect && slices.Contains(p.Protected, string(r.URN)) {
			if err := r.Set("protect", true); err != nil {
				return changed, err
			}
			changed = true
		}
	}
	for _, hooked := range p.Hooked {
		r := d.Live(string(hooked.URN))
		switch {
		case r == nil:
			if r, err = hooked.Copy(); err != nil {
				return changed, err
			}
			if err := r.Detach(d); err != nil {
				return changed, err
			}
			d.Resources = append(d.Resources, r)
		case len(r.ResourceHooks) > 0:
			continue
		default:
			if err := r.Set("resourceHooks", hooked.ResourceHooks); err != nil {
				return changed, err
			}
		}
		changed = true
	}
	return changed, nil
}
