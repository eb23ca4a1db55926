package offline

import (
	"google.golang.org/protobuf/types/known/structpb"
)

// request reads what most methods begin with: the type, and properties of it.
func (p *provider) request(token string, s *structpb.Struct) (*kind, props, error) {
	k, err := p.types.kind(token)
	if err != nil {
		return nil, nil, err
	}
	if p.account == nil {
		return nil, nil, errNotConfigured
	}
	read, err := unmarshal(s)
	return k, read, err
}

func unmarshalBoth(olds, news *structpb.Struct) (props, props, error) {
	o, err := unmarshal(olds)
	if err != nil {
		return nil, nil, err
	}
	n, err := unmarshal(news)
	return o, n, err
}
