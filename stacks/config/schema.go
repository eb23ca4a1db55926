package config

import _ "embed"

// SchemaFile is the name of the file that a stack's file names its JSON Schema by.
const SchemaFile = "hypershift-aws.schema.json"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 7) of a stack's file, Pulumi.<stack>.yaml.
func Schema() []byte { return schema }
