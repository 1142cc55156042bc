# SPDX-License-Identifier: Apache-2.0
"""What Python's tomllib and jsonschema say of files of rules by docs/rules.schema.json: a line for each file, 1 = accepted."""
import json, re, sys, tomllib

import jsonschema

schema, page, *files = sys.argv[1:]
with open(schema) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
if page:
    with open(page) as file:
        texts = [text for text in re.findall(r"```toml\n(.*?)```", file.read(), re.S)]
    assert texts, "the page has no example"
else:
    texts = []
for path in files:
    with open(path) as file:
        texts += file.read().split("\f")
print("".join("1" if validator.is_valid(tomllib.loads(text)) else "0" for text in texts))
