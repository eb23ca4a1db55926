package hostedcluster

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
)

// inSettings maps the paths of an object's faults to the settings that the values come from. Faults in values from the
// patch of the spec, and in fields without a setting, keep their path in the object.
func inSettings(faults fault.Faults, spec map[string]any, fields [][2]string) fault.Faults {
	var out fault.Faults
	for _, f := range faults {
		own := *f
		if !patched(spec, f.Path) {
			own.Path = translate(f.Path, fields)
		}
		out = append(out, &own)
	}
	return out
}

// ConfigKey returns the setting that the value of an object's field comes from, such as "nodePools[0].replicas" for the
// path "spec.replicas" of the first pool. For a field without a setting, it returns the field's path. pool is -1 for
// the HostedCluster.
func (s *Settings) ConfigKey(pool int, path string) string {
	fields, spec, prefix := s.fields(), s.Spec, ""
	if pool >= 0 {
		p := &NodePool{}
		if pool < len(s.NodePools) {
			p = &s.NodePools[pool]
		}
		fields, prefix, spec = p.fields(), fmt.Sprintf("nodePools[%d].", pool), p.Spec
	}
	return prefix + inSettings(fault.Faults{{Path: path}}, spec, fields)[0].Path
}

func translate(path string, fields [][2]string) string {
	for _, field := range fields {
		rest, ok := strings.CutPrefix(path, field[0])
		if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return field[1] + rest
		}
	}
	return path
}

// patched reports whether the value at a path of the object, or a value around it, came from the patch.
func patched(spec map[string]any, path string) bool {
	rest, ok := strings.CutPrefix(path, "spec.")
	return ok && kube.PatchHas(spec, rest)
}

// objectPaths returns the paths in an object that the fields of a struct set, with the fields' names: longer paths
// before their prefixes. It leaves out inputs that are not set: the path is then another struct's.
func objectPaths(args reflect.Value, prefix string) [][2]string {
	var paths [][2]string
	for i := range args.NumField() {
		field, value := args.Type().Field(i), args.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("pulumi"), ",")
		name = prefix + name
		inputs := value.Kind() == reflect.Interface ||
			value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Interface
		if prefix == "" && inputs && value.IsNil() {
			continue
		}
		for _, path := range strings.FieldsFunc(field.Tag.Get("object"), func(r rune) bool { return r == ',' }) {
			path, part, _ := strings.Cut(path, "=")
			paths = append(paths, [2]string{path, name + part})
		}
		if field.Type == reflect.TypeFor[*RootVolume]() {
			paths = append(paths, objectPaths(reflect.Zero(field.Type.Elem()), name+".")...)
		}
	}
	slices.SortStableFunc(paths, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	return paths
}

// machineNetwork is the path of the CIDRs of the nodes, which the site provides.
const machineNetwork = "spec.networking.machineNetwork"

// fields returns the fields of Settings by the paths in a HostedCluster that they set.
func (s *Settings) fields() [][2]string {
	return append([][2]string{{"spec.infraID", "infraID"}, {machineNetwork, machineNetwork}},
		objectPaths(reflect.ValueOf(*s), "")...)
}

// fields returns the fields of a NodePool by the paths in the object that they set. What is wrong with the placement as
// a whole is wrong with a field that is set.
func (p *NodePool) fields() [][2]string {
	paths := objectPaths(reflect.ValueOf(*p), "")
	for i := range paths {
		switch {
		case paths[i][0] != "spec.platform.aws.placement" || p.Spot != nil:
		case p.CapacityReservation != nil:
			paths[i][1] = "capacityReservation"
		case p.Tenancy != "":
			paths[i][1] = "tenancy"
		}
	}
	return paths
}

// ofPool returns the faults of a pool's object with the keys of the pool. A rule of the whole spec is the pool's,
// unless the pool has a spec of its own.
func (p *NodePool) ofPool(faults fault.Faults) fault.Faults {
	out := inSettings(faults, p.Spec, p.fields())
	for _, f := range out {
		if f.Path == "spec" && p.Spec == nil {
			f.Path = ""
		}
	}
	return out
}

// poolPath matches the path of a field of a NodePool.
var poolPath = regexp.MustCompile(`^nodePools\[\d+\]\.(spec\..*)$`)

// roleField matches a field of a HostedCluster with the ARN of a role.
var roleField = regexp.MustCompile(`^spec\.platform\.aws\.rolesRef\.(.*)ARN$`)

// inArgs maps the paths of an object's faults to the site's values that the fields come from.
func (args *Args) inArgs(faults fault.Faults) fault.Faults {
	var out fault.Faults
	site := objectPaths(reflect.Zero(reflect.TypeFor[SiteArgs]()), "site.")
	for _, f := range faults {
		own := *f
		path := f.Path
		if match := poolPath.FindStringSubmatch(path); match != nil {
			path = match[1]
		}
		if match := roleField.FindStringSubmatch(path); match != nil {
			own.Path = "site.roles[" + match[1] + "]"
		} else if path == "" { // of machine networks that overlap
			own.Path = "site.machineCIDRs"
		} else if to := translate(path, site); to != path && !patched(args.Settings.Spec, path) {
			own.Path = strings.Replace(to, "].id", "]", 1) // of a security group
		}
		out = append(out, &own)
	}
	return out
}

// withoutOwners returns the faults of a HostedCluster with the indexes of the principals that the settings give: the
// role of a shared VPC's owner is put before them.
func withoutOwners(faults fault.Faults) fault.Faults {
	var out fault.Faults
	for _, f := range faults {
		own := *f
		var index int
		if rest, ok := strings.CutPrefix(f.Path, principals+"["); ok {
			if _, err := fmt.Sscanf(rest, "%d]", &index); err == nil && index > 0 {
				own.Path = fmt.Sprintf("%s[%d]", principals, index-1)
			} else {
				own.Path = "spec.platform.aws.sharedVPC.rolesRef.controlPlaneARN"
			}
		}
		out = append(out, &own)
	}
	return out
}

const principals = "spec.platform.aws.additionalAllowedPrincipals"
