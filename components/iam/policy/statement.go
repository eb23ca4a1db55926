package policy

import (
	"maps"
	"reflect"
	"slices"
)

// Allows returns a statement that allows the actions on the resources.
func Allows(actions []string, resources ...string) Statement {
	return Statement{Effect: Allow, Action: actions, Resource: resources}
}

// When returns the statement with one more condition: the key must have one of the values.
func (s Statement) When(operator, key string, values ...string) Statement {
	condition := Condition{}
	for name, keys := range s.Condition {
		condition[name] = maps.Clone(keys)
	}
	if condition[operator] == nil {
		condition[operator] = map[string]Values{}
	}
	condition[operator][key] = values
	s.Condition = condition
	return s
}

// Merge merges statements that differ only in their actions, in the order of their first occurrence.
func Merge(statements []Statement) []Statement {
	var out []Statement
	for _, statement := range statements {
		i := slices.IndexFunc(out, func(other Statement) bool { return other.differsInActionsAlone(statement) })
		if i < 0 {
			statement.Action = slices.Clone(statement.Action)
			out = append(out, statement)
			continue
		}
		for _, action := range statement.Action {
			if !slices.Contains(out[i].Action, action) {
				out[i].Action = append(out[i].Action, action)
			}
		}
	}
	return out
}

func (s Statement) differsInActionsAlone(other Statement) bool {
	s.Action, other.Action = nil, nil
	return reflect.DeepEqual(s, other)
}
