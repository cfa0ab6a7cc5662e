//! The self-made certificate and its files.

use std::{
    fs::{DirBuilder, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_protocol::Timestamp;
use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use serde::{Deserialize, Serialize};

use super::{TlsError, failed};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Some systems refuse certificates that hold for longer than 825 days.
const LIFE_DAYS: u32 = 800;

/// Made anew this long before it runs out.
const SPARE_DAYS: u32 = 60;

/// What was made, so that nobody has to read it out of the certificate.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    names: Vec<String>,
    expires_at: Timestamp,
}

/// The files of a certificate for `names`: those that are there, if they will do.
pub(super) fn keep(
    folder: &Path,
    names: &[String],
    now: Timestamp,
) -> Result<(PathBuf, PathBuf), TlsError> {
    let (certificate, key, facts) = (
        folder.join("certificate.pem"),
        folder.join("key.pem"),
        folder.join("certificate.json"),
    );
    let known = std::fs::read(&facts).ok();
    let known: Option<Facts> = known.and_then(|text| serde_json::from_slice(&text).ok());
    let will_do = known
        .is_some_and(|known| known.names == names && known.expires_at > now.plus(DAY * SPARE_DAYS));
    if will_do && certificate.exists() && key.exists() {
        return Ok((certificate, key));
    }
    let made = make(names, now)?;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| failed(folder, source))?;
    // The facts come last: without them the rest is made again.
    std::fs::remove_file(&facts).ok();
    write(&key, &pem("PRIVATE KEY", &made.key))?;
    write(&certificate, &pem("CERTIFICATE", &made.certificate))?;
    write(
        &facts,
        &serde_json::to_string(&made.facts).unwrap_or_default(),
    )?;
    tracing::info!(folder = %folder.display(), "made a certificate");
    Ok((certificate, key))
}

struct Made {
    certificate: Vec<u8>,
    key: Vec<u8>,
    facts: Facts,
}

fn make(names: &[String], now: Timestamp) -> Result<Made, TlsError> {
    let fail = |source| TlsError::Make { source };
    let expires_at = now.plus(DAY * LIFE_DAYS);
    let mut params = CertificateParams::new(names.to_vec()).map_err(fail)?;
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, "Baton");
    params.distinguished_name = name;
    let date = |at: Timestamp| {
        let since = Timestamp::from_millis(0);
        date_time_ymd(1970, 1, 1) + at.since(since)
    };
    // A day before, for devices whose clock is behind.
    params.not_before = date(Timestamp::from_millis(now.as_millis() - 86_400_000));
    params.not_after = date(expires_at);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate().map_err(fail)?;
    let certificate = params.self_signed(&key).map_err(fail)?;
    Ok(Made {
        certificate: certificate.der().to_vec(),
        key: key.serialize_der(),
        facts: Facts {
            names: names.to_vec(),
            expires_at,
        },
    })
}

fn pem(label: &str, bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let mut pem = format!("-----BEGIN {label}-----\n");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        pem.push_str(line);
        pem.push('\n');
        rest = after;
    }
    pem + &format!("-----END {label}-----\n")
}

/// Whole or not at all, for its owner alone.
fn write(path: &Path, text: &str) -> Result<(), TlsError> {
    let new = path.with_extension("new");
    let write = || {
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut open = OpenOptions::new();
        let mut file = open.write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    write().map_err(|source| failed(path, source))
}
