package aws

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/hypershift-aws/hypershift-aws/internal/offline/plugin"
	"github.com/hypershift-aws/hypershift-aws/internal/offline/props"
)

// request reads a request's type and properties.
func (p *Provider) request(token string, s *structpb.Struct) (*Kind, props.Map, error) {
	k, err := p.Types.kind(token)
	if err != nil {
		return nil, nil, err
	}
	if p.account == nil {
		return nil, nil, plugin.ErrNotConfigured
	}
	read, err := props.Unmarshal(s)
	return k, read, err
}
