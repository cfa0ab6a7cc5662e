//! JSON pieces the rest of the crate is built from: raw values that keep what
//! we do not model, and scalars that forgive a surprising type.
//!
//! The CLI adds and changes fields between releases. A field that merely
//! informs must not cost us the message it sits in, so such fields read as
//! absent when their type is not the expected one. Fields a message cannot do
//! without are plain serde fields and demote the whole line to raw JSON.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value kept as its text.
///
/// Tool inputs, tool results and everything unknown stay in this form: most of
/// it is only stored or forwarded, numbers keep their digits and objects their
/// key order, and a 1 MB tool result costs one copy instead of a tree. Readers
/// that need the inside call [`RawJson::parse`] with a type of their own.
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Keeps `text` if it is one valid JSON value.
    ///
    /// # Errors
    /// Fails when `text` is not JSON.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// Serialises `value`.
    ///
    /// # Errors
    /// Fails when `value` has no JSON form, such as a map with non-string keys.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// The empty object.
    #[must_use]
    pub fn empty_object() -> Self {
        Self::from(serde_json::Value::Object(serde_json::Map::new()))
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Reads the value as `T`.
    ///
    /// # Errors
    /// Fails when the value does not have the shape of `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }
}

impl From<serde_json::Value> for RawJson {
    fn from(value: serde_json::Value) -> Self {
        #[expect(clippy::expect_used, reason = "a Value always has a JSON form")]
        Self::of(&value).expect("a Value always has a JSON form")
    }
}

impl From<&RawValue> for RawJson {
    fn from(raw: &RawValue) -> Self {
        Self(raw.to_owned())
    }
}

impl Default for RawJson {
    fn default() -> Self {
        Self::from(serde_json::Value::Null)
    }
}

impl PartialEq for RawJson {
    /// Compares the text, so `1` and `1.0` differ and so do key orders.
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

/// One JSON scalar of any type; arrays and objects are read past.
enum Scalar<'de> {
    Absent,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(Cow<'de, str>),
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Absent)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Scalar::Bool(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Unsigned(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Signed(value))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Float(value))
    }
    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(value)))
    }
    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(value.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Absent)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Absent)
    }
}

impl<'de> Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

/// Borrows a string from the line where it has no escapes.
pub(crate) fn opt_cow<'de: 'a, 'a, D>(deserializer: D) -> Result<Option<Cow<'a, str>>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(match Scalar::deserialize(deserializer)? {
        Scalar::Text(text) => Some(text),
        Scalar::Absent
        | Scalar::Bool(_)
        | Scalar::Unsigned(_)
        | Scalar::Signed(_)
        | Scalar::Float(_) => None,
    })
}

pub(crate) fn opt_string<'de, D>(deserializer: D) -> Result<Option<String>, D::Error>
where
    D: Deserializer<'de>,
{
    opt_cow(deserializer).map(|text| text.map(Cow::into_owned))
}

/// Accepts floats too: durations of the CLI are integers in one release and
/// fractions in the next.
pub(crate) fn opt_u64<'de, D>(deserializer: D) -> Result<Option<u64>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(match Scalar::deserialize(deserializer)? {
        Scalar::Unsigned(value) => Some(value),
        Scalar::Float(value) if value >= 0.0 => Some(value as u64),
        Scalar::Absent
        | Scalar::Bool(_)
        | Scalar::Signed(_)
        | Scalar::Float(_)
        | Scalar::Text(_) => None,
    })
}

pub(crate) fn opt_i64<'de, D>(deserializer: D) -> Result<Option<i64>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(match Scalar::deserialize(deserializer)? {
        Scalar::Unsigned(value) => i64::try_from(value).ok(),
        Scalar::Signed(value) => Some(value),
        Scalar::Absent | Scalar::Bool(_) | Scalar::Float(_) | Scalar::Text(_) => None,
    })
}

pub(crate) fn opt_f64<'de, D>(deserializer: D) -> Result<Option<f64>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(match Scalar::deserialize(deserializer)? {
        Scalar::Unsigned(value) => Some(value as f64),
        Scalar::Signed(value) => Some(value as f64),
        Scalar::Float(value) => Some(value),
        Scalar::Absent | Scalar::Bool(_) | Scalar::Text(_) => None,
    })
}

pub(crate) fn opt_bool<'de, D>(deserializer: D) -> Result<Option<bool>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(match Scalar::deserialize(deserializer)? {
        Scalar::Bool(value) => Some(value),
        Scalar::Absent
        | Scalar::Unsigned(_)
        | Scalar::Signed(_)
        | Scalar::Float(_)
        | Scalar::Text(_) => None,
    })
}

/// A flag: absent, null and anything but `true` mean no.
pub(crate) fn flag<'de, D>(deserializer: D) -> Result<bool, D::Error>
where
    D: Deserializer<'de>,
{
    opt_bool(deserializer).map(Option::unwrap_or_default)
}

/// Reads null as the default, which serde's `default` alone does not.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Declares an enum of known words that keeps a word it does not know.
macro_rules! word_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$vmeta])* $variant,)+
            /// A word this crate does not know, as the CLI wrote it.
            Other(String),
        }

        impl $name {
            /// Every word this crate knows.
            pub const KNOWN: &'static [&'static str] = &[$($word,)+];

            /// The word as it travels.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    _ => Self::Other(word.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Word;
                impl serde::de::Visitor<'_> for Word {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a word")
                    }
                    fn visit_str<E>(self, word: &str) -> Result<Self::Value, E> {
                        Ok($name::from(word))
                    }
                }
                deserializer.deserialize_str(Word)
            }
        }
    };
}
pub(crate) use word_enum;
