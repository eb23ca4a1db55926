package kubeapi

import (
	"context"
	"fmt"
	"sync"
)

// aboutKey is the key of what a request is about, in a context whose answers' warnings the user is told.
type aboutKey struct{}

// warnings tells the user what an API server warns of in its answers to dry runs, such as that a namespace's security
// standard admits no pods of a Deployment. Warnings of other answers are of no use to the user.
type warnings struct {
	cluster *Cluster
	// told are the sentences that the user knows.
	told *sync.Map
}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _, text string) {
	about, _ := ctx.Value(aboutKey{}).(string)
	if about == "" || code != 299 || text == "" { // the code of warnings in RFC 7234
		return
	}
	sentence := fmt.Sprintf("the management cluster warns of %s: %s", about, text)
	if _, known := w.told.LoadOrStore(sentence, true); !known {
		w.cluster.tell(sentence)
	}
}
