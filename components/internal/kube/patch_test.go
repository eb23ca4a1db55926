package kube_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/components/internal/kube"
)

type named string

// value returns values of the types that a Go program writes, with the same value as JSON decodes it.
func value(depth int) *rapid.Generator[[2]any] {
	return rapid.Custom(func(t *rapid.T) [2]any {
		n := rapid.IntRange(-1000, 1000).Draw(t, "number")
		text := rapid.StringMatching(`[a-z<&]{0,4}`).Draw(t, "text")
		of := []func() [2]any{
			func() [2]any { return [2]any{n, int64(n)} }, func() [2]any { return [2]any{int32(n), int64(n)} },
			func() [2]any { return [2]any{uint(n & 0xff), int64(n & 0xff)} },
			func() [2]any { return [2]any{int64(n), int64(n)} },
			func() [2]any { return [2]any{float64(n) + 0.5, float64(n) + 0.5} },
			func() [2]any { return [2]any{float32(n) + 0.5, float64(n) + 0.5} },
			func() [2]any { return [2]any{&n, int64(n)} }, func() [2]any { return [2]any{(*int)(nil), nil} },
			func() [2]any { return [2]any{text, text} }, func() [2]any { return [2]any{named(text), text} },
			func() [2]any { return [2]any{n > 0, n > 0} },
			func() [2]any { return [2]any{nil, nil} },
			func() [2]any { return [2]any{[]string{text}, []any{text}} },
			func() [2]any { return [2]any{[]int{n}, []any{int64(n)}} },
			func() [2]any { return [2]any{map[string]string{"a": text}, map[string]any{"a": text}} },
			func() [2]any { return [2]any{map[string]int{"a": n}, map[string]any{"a": int64(n)}} },
			func() [2]any { return [2]any{[]map[string]any{{"b": n}}, []any{map[string]any{"b": int64(n)}}} },
			func() [2]any { return [2]any{json.Number("12"), int64(12)} },
			func() [2]any {
				return [2]any{struct {
					A int `json:"a"`
				}{n}, map[string]any{"a": int64(n)}}
			},
		}
		if depth > 0 {
			of = append(of, func() [2]any {
				written, decoded := draw(t, depth-1)
				return [2]any{written, decoded}
			}, func() [2]any {
				inner := value(depth-1).Draw(t, "element")
				return [2]any{[]any{inner[0]}, []any{inner[1]}}
			})
		}
		return of[rapid.IntRange(0, len(of)-1).Draw(t, "type")]()
	})
}

// draw returns a patch as a Go program writes it, and as JSON decodes it.
func draw(t *rapid.T, depth int) (written, decoded map[string]any) {
	written, decoded = map[string]any{}, map[string]any{}
	for _, key := range []string{"a", "b", "c"} {
		if rapid.Bool().Draw(t, key) {
			v := value(depth).Draw(t, "value")
			written[key], decoded[key] = v[0], v[1]
		}
	}
	return written, decoded
}

func TestValuesOfEveryGoTypeMergeAsThoseOfJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, spec := draw(t, 2)
		same := runtime.DeepCopyJSON(spec)
		written, decoded := draw(t, 2)
		require.NoError(t, kube.MergePatch(spec, written))
		require.NoError(t, kube.MergePatch(same, decoded))
		assert.Equal(t, same, spec)
		assert.Equal(t, same, runtime.DeepCopyJSON(spec), "only types that Kubernetes copies")
		for _, path := range []string{"a", "b.a", "c.b.a", "a[0]", "b.a.c"} {
			assert.Equal(t, kube.PatchHas(decoded, path), kube.PatchHas(written, path), path)
		}
		for key, value := range decoded {
			if _, isMap := value.(map[string]any); !isMap && value != nil {
				assert.Equal(t, value, spec[key], key)
			}
			if value == nil {
				assert.NotContains(t, spec, key)
			}
		}
	})
}

func TestAMergeDoesNotShareItsPatch(t *testing.T) {
	t.Parallel()
	list := []any{map[string]any{"a": 1}}
	spec, from := map[string]any{}, map[string]any{"list": list}
	require.NoError(t, kube.MergePatch(spec, from))
	spec["list"].([]any)[0].(map[string]any)["a"] = int64(2)
	assert.Equal(t, map[string]any{"list": []any{map[string]any{"a": 1}}}, from)
}

func TestAValueThatJSONCannotHaveIsRefusedAtItsPath(t *testing.T) {
	t.Parallel()
	for path, from := range map[string]map[string]any{
		"a":      {"a": func() {}},
		"a.b":    {"a": map[string]any{"b": make(chan int), "c": 1}},
		"a.c[1]": {"a": map[string]any{"c": []any{1, complex(1, 1)}}},
	} {
		spec := map[string]any{"kept": true}
		faults := fault.In(kube.MergePatch(spec, from))
		require.Len(t, faults, 1, path)
		assert.Equal(t, path, faults[0].Path)
		assert.Equal(t, map[string]any{"kept": true}, spec, "nothing is merged")
	}
}
