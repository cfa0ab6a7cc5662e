//! JSON Schema of both directions, generated from the types.
//!
//! The documents are committed under `schema/`; a test fails when they drift.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use crate::{input::Input, output::Output};

/// File name and content of every generated document.
pub fn documents() -> Vec<(&'static str, Value)> {
    vec![
        (
            "stdio-input.schema.json",
            document::<Input>("What a parent says to `baton stdio`, one object per line."),
        ),
        (
            "stdio-output.schema.json",
            document::<Output>(
                "What `baton stdio` says, one object per line. Readers ignore unknown types and fields.",
            ),
        ),
    ]
}

fn document<T: JsonSchema>(about: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".into(), json!(about));
    }
    schema
}
