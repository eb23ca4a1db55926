package leftover

import (
	"context"
	"errors"
)

// AWS is a real account.
type AWS struct{}

// NewAWS is the account.
func NewAWS(map[string]any, func(string) (string, bool)) Account { return AWS{} }

// Place implements Account.
func (AWS) Place(context.Context) (Place, error) { return Place{}, errors.New("later") }

// Find implements Account.
func (AWS) Find(context.Context, Trace) ([]string, error) { return nil, errors.New("later") }
