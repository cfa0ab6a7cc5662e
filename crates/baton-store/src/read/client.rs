//! The screen something came from, as JSON in a column.

use baton_protocol::words::{ClientRef, Json};

use crate::error::StoreError;

pub(crate) fn text(client: Option<&ClientRef>) -> Option<String> {
    client.map(|client| Json::of(client).text().to_owned())
}

pub(crate) fn read(
    what: &'static str,
    text: Option<String>,
) -> Result<Option<ClientRef>, StoreError> {
    text.map(|text| serde_json::from_str(&text).map_err(|error| StoreError::row(what, error)))
        .transpose()
}
