package crd

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	meta "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
)

// Validate checks a new object against its schema. The error is fault.Faults, all of them, each with the field's path
// in the object and the CRD's own message.
func (s *Set) Validate(object map[string]any) error {
	return refused(s.api, object, s.Check(object, nil))
}

// ValidateUpdate checks an object against its schema and against its former state: fields that never change, and those
// that stay once set. Both may lack the defaults. The error is as of Validate.
func (s *Set) ValidateUpdate(object, old map[string]any) error {
	return refused(s.api, object, s.Check(object, old))
}

// ValidateMetadata checks the name, the labels and the annotations of an object, of which all versions of an API have
// the same rules. The error is as of Validate.
func (s *Set) ValidateMetadata(object map[string]any) error {
	kindSchema, err := s.schemaOf(object)
	if err != nil {
		return err
	}
	errs := meta.ValidateObjectMetaAccessor(&unstructured.Unstructured{Object: object}, kindSchema.namespaced,
		meta.NameIsDNSSubdomain, field.NewPath("metadata"))
	return refused(s.api, object, errs)
}

// Default sets the schema's defaults for fields that the object does not have. The object's values have JSON's types:
// int64 or float64, never int.
func (s *Set) Default(object map[string]any) error {
	kindSchema, err := s.schemaOf(object)
	if err != nil {
		return err
	}
	defaulting.Default(object, kindSchema.structure)
	return nil
}

// Check checks an applied object as an API server does; old is nil for a new object. What an API server let stay when
// its definition became stricter may stay here too. It changes neither object. The errors are those that the server's
// response lists after 'HostedCluster.hypershift.openshift.io "…" is invalid:'.
func (s *Set) Check(object, old map[string]any) field.ErrorList {
	kindSchema, err := s.schemaOf(object)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("kind"), object["kind"], err.Error())}
	}
	return kindSchema.check(object, old)
}

// Newer returns the paths below spec of an object's fields that the set does not know, and does not refuse: those of a
// set that is Dated. They may be fields of a newer version of the API.
func (s *Set) Newer(object map[string]any) []string {
	kindSchema, err := s.schemaOf(object)
	if err != nil || !kindSchema.dated {
		return nil
	}
	return slices.DeleteFunc(kindSchema.unknown(object), func(path string) bool { return !belowSpec(path) })
}

// belowSpec reports whether a path is one of a field below spec, which users may set.
func belowSpec(path string) bool { return strings.HasPrefix(path, "spec.") }

func (s *schema) check(object, old map[string]any) field.ErrorList {
	object = s.complete(object)
	var errs field.ErrorList
	for _, path := range s.unknown(object) {
		if s.dated && belowSpec(path) {
			continue
		}
		// The path is complete already; the error needs it only in this form.
		errs = append(errs, &field.Error{Type: field.ErrorTypeNotSupported, Field: path, BadValue: field.OmitValueType{},
			Detail: "field not declared in schema"})
	}
	var ratchet *common.CorrelatedObject
	accessor := &unstructured.Unstructured{Object: object}
	if old == nil {
		errs = append(errs, meta.ValidateObjectMetaAccessor(accessor, s.namespaced, meta.NameIsDNSSubdomain,
			field.NewPath("metadata"))...)
		errs = append(errs, validation.ValidateCustomResource(nil, object, s.shape)...)
	} else {
		old = s.complete(old)
		ratchet = common.NewCorrelatedObject(object, old, &model.Structural{Structural: s.structure})
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, object, old, s.shape,
			validation.WithRatcheting(ratchet))...)
	}
	errs = append(errs, objectmeta.Validate(context.Background(), nil, object, s.structure, false)...)
	if old == nil || len(listtype.ValidateListSetsAndMaps(nil, s.structure, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structure, object)...)
	}
	if slices.ContainsFunc(errs, KeepsFromRules) {
		return errs
	}
	return append(errs, s.rules.check(object, old, ratchet)...)
}

// KeepsFromRules reports whether an error prevents the API server from evaluating a definition's rules.
func KeepsFromRules(e *field.Error) bool {
	return slices.Contains([]field.ErrorType{field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
		field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid}, e.Type)
}

// complete returns a copy of an object with the schema's defaults.
func (s *schema) complete(object map[string]any) map[string]any {
	object = runtime.DeepCopyJSON(object)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structure)
	defaulting.Default(object, s.structure)
	return object
}

// prune removes the fields that the schema does not have.
func (s *schema) prune(object map[string]any) {
	pruning.PruneWithOptions(object, s.structure, true, structural.UnknownFieldPathOptions{})
}

// unknown returns the paths of the fields that the schema does not have.
func (s *schema) unknown(object map[string]any) []string {
	options := structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	paths := pruning.PruneWithOptions(runtime.DeepCopyJSON(object), s.structure, true, options)
	slices.Sort(paths)
	return paths
}

// refused converts the errors of an API server to faults.
func refused(api string, object map[string]any, errs field.ErrorList) error {
	var faults fault.Faults
	for _, e := range errs {
		value, problem := e.BadValue, message(e)
		switch e.Type {
		case field.ErrorTypeTypeInvalid, field.ErrorTypeInvalid:
			// Errors of types and rules have the name of the type in place of the value.
			value = valueAt(object, e.Field)
		case field.ErrorTypeRequired:
			value = nil
		default:
			// The others have the value.
		}
		if e.Type == field.ErrorTypeTypeInvalid {
			problem, _, _ = strings.Cut(problem, ": \"")
		}
		faults.Add(e.Field, scalar(value), "is refused by "+api+": "+strings.TrimSuffix(problem, "."), "")
	}
	return faults.Err()
}

// valueAt returns the value at a path of an error, or nil where it cannot be found.
func valueAt(object map[string]any, path string) any {
	var at any = object
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		switch inner := at.(type) {
		case map[string]any:
			at = inner[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(inner) {
				return nil
			}
			at = inner[i]
		default:
			return nil
		}
	}
	return at
}

// message returns the error's text without the value, which is part of the fault.
func message(e *field.Error) string {
	if (e.Type == field.ErrorTypeInvalid || e.Type == field.ErrorTypeTypeInvalid) && e.Detail != "" {
		return strings.TrimPrefix(e.Detail, e.Field+" in body ")
	}
	return strings.TrimSuffix(strings.ToLower(e.Type.String())+": "+e.Detail, ": ")
}

// scalar returns a value that fits on a line, or nil for a map or list, whose content is not part of the rules'
// messages either.
func scalar(v any) any {
	switch v {
	case "object", "array":
		return nil
	}
	switch v.(type) {
	case nil, field.OmitValueType, map[string]any, []any:
		return nil
	case string, bool, int64, float64, int:
		return v
	default:
		return fmt.Sprint(v)
	}
}

// Prune removes the fields that an object's schema does not have, as an API server does on creation and update. The
// object's values have JSON's types. A set that is Dated keeps them.
func (s *Set) Prune(object map[string]any) error {
	kindSchema, err := s.schemaOf(object)
	if err != nil || kindSchema.dated {
		return err
	}
	kindSchema.prune(object)
	return nil
}
