package config

import _ "embed"

// SchemaFile is the name of the file with the JSON Schema, to which a stack's file refers.
const SchemaFile = "hypershift-aws.schema.json"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 7) of a stack's file, Pulumi.<stack>.yaml.
func Schema() []byte { return schema }
