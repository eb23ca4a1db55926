package state

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A state that names what is asked for is decoded, another one only has to be whole: what is damaged could name it.
func TestAStateIsDecodedIfItMentionsAWordAndIsReadOtherwise(t *testing.T) {
	t.Parallel()
	const text = `{"version":3,"checkpoint":{"latest":{"resources":[` +
		`{"urn":"urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev","type":"pulumi:pulumi:Stack","outputs":{"management":"hub-1"}}]}}}`
	for name, c := range map[string]struct {
		text    string
		mention Mention
		decoded bool
		problem string
	}{
		"a word":                      {text, Mentions("other", "hub-1"), true, ""},
		"part of a word":              {text, Mentions("hub"), true, ""},
		"no word":                     {text, Mentions("hub-2"), false, ""},
		"all":                         {text, nil, true, ""},
		"a word that JSON may escape": {text, Mentions("hub/ü"), true, ""},
		"a word outside the resources' list": {strings.Replace(text, `"latest":{`, `"latest":{"hub-2":1,`, 1),
			Mentions("hub-2"), true, ""},
		"cut":           {text[:len(text)-4], Mentions("hub-2"), false, "not JSON"},
		"another form":  {`{"version":9,"checkpoint":{}}`, Mentions("hub-2"), false, "format is not known"},
		"no list":       {strings.NewReplacer("[", "{\"a\":", "]", "}").Replace(text), Mentions("hub-2"), false, "no list"},
		"not yet used":  {`{"version":0,"checkpoint":{"stack":"s"}}`, Mentions("hub-2"), true, ""},
		"no resources":  {`{"version":3,"checkpoint":{"latest":{"manifest":{}}}}`, Mentions("hub-2"), true, ""},
		"several words": {text, Mentions("a", "b", "hub-1"), true, ""},
	} {
		one := OfStack{Project: "p", Stack: "dev"}
		one.Read([]byte(c.text), c.mention)
		require.Equal(t, c.decoded, one.Deployment != nil, name)
		if c.problem == "" {
			require.NoError(t, one.Err, name)
		} else {
			require.ErrorContains(t, one.Err, c.problem, name)
		}
	}
}
