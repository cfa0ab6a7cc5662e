//! Checks the JSON schema that answers must follow, before an agent gets it.
//!
//! The check is not complete: the agent validates its answers with a validator
//! of its own, which has the last word. This one finds common mistakes and says
//! where they are.

use serde_json::{Map, Value};

const TYPES: &[&str] = &[
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Why this is no schema, if that can be told.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    let Some(fields) = schema.as_object() else {
        return Err("a JSON schema is an object".into());
    };
    look(fields, "")
}

fn look(fields: &Map<String, Value>, place: &str) -> Result<(), String> {
    for (key, value) in fields {
        let here = format!("{place}{key}");
        let wrong = |what: &str| Err(format!("`{here}` {what}"));
        match key.as_str() {
            "type" if !is_type(value) => {
                return wrong(&format!(
                    "is one of {}, or a list of them",
                    TYPES.join(", ")
                ));
            }
            "required" if !is_list_of_texts(value) => return wrong("is a list of names"),
            "enum" if !value.is_array() => return wrong("is a list"),
            "description" | "title" | "$ref" | "pattern" | "format" if !value.is_string() => {
                return wrong("is a text");
            }
            "properties" | "patternProperties" | "$defs" | "definitions" => {
                let Some(schemas) = value.as_object() else {
                    return wrong("is an object of schemas");
                };
                for (name, schema) in schemas {
                    below(schema, &format!("{here}.{name}"))?;
                }
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let Some(schemas) = value.as_array() else {
                    return wrong("is a list of schemas");
                };
                for schema in schemas {
                    below(schema, &here)?;
                }
            }
            // Older drafts have a list of schemas here too.
            "items" if value.is_array() => {
                for schema in value.as_array().into_iter().flatten() {
                    below(schema, &here)?;
                }
            }
            "items" | "additionalProperties" | "not" | "contains" => below(value, &here)?,
            _ => {}
        }
    }
    Ok(())
}

fn below(schema: &Value, place: &str) -> Result<(), String> {
    match schema {
        Value::Object(fields) => look(fields, &format!("{place}.")),
        Value::Bool(_) => Ok(()),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(format!("`{place}` is no schema"))
        }
    }
}

fn is_type(value: &Value) -> bool {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value.as_array() {
        Some(names) => !names.is_empty() && names.iter().all(known),
        None => known(value),
    }
}

fn is_list_of_texts(value: &Value) -> bool {
    let list = value.as_array();
    list.is_some_and(|list| list.iter().all(Value::is_string))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_taken_whatever_it_says() {
        for schema in [
            json!({}),
            json!({"type": ["object", "null"], "additionalProperties": false, "x-more": 7}),
            json!({"properties": {"type": {"type": "string"}, "required": true}, "required": []}),
            json!({"$defs": {"a": {"enum": [1, null]}}, "anyOf": [{"$ref": "#/$defs/a"}, {"items": {"type": "integer"}}]}),
        ] {
            assert_eq!(check(&schema), Ok(()), "{schema}");
        }
    }

    #[test]
    fn a_slip_is_told_with_its_place() {
        for (schema, why) in [
            (json!([]), "a JSON schema is an object"),
            (
                json!({"type": "nonsense"}),
                "`type` is one of array, boolean, integer, null, number, object, string, or a list of them",
            ),
            (
                json!({"properties": {"a": {"required": "b"}}}),
                "`properties.a.required` is a list of names",
            ),
            (
                json!({"properties": ["a"]}),
                "`properties` is an object of schemas",
            ),
            (json!({"anyOf": {}}), "`anyOf` is a list of schemas"),
            (json!({"items": {"enum": "a"}}), "`items.enum` is a list"),
            (
                json!({"properties": {"a": "string"}}),
                "`properties.a` is no schema",
            ),
            (json!({"oneOf": [{"title": 7}]}), "`oneOf.title` is a text"),
        ] {
            assert_eq!(check(&schema).unwrap_err(), why, "{schema}");
        }
    }
}
