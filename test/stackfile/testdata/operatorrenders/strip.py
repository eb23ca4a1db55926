import json, sys, yaml

def strip(node, inside):
    """Removes the descriptions of the schemas in definitions."""
    if isinstance(node, dict):
        return {k: strip(v, inside or k == "openAPIV3Schema") for k, v in node.items() if not (inside and k == "description" and isinstance(v, str))}
    return [strip(v, inside) for v in node] if isinstance(node, list) else node

documents = [strip(d, False) for d in yaml.load_all(sys.stdin, Loader=yaml.CSafeLoader) if d]
print("\n---\n".join(json.dumps(d, separators=(",", ":"), sort_keys=True) for d in documents))
