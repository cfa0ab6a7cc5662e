use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConnection, pki_types::ServerName,
};

use super::*;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn now() -> Timestamp {
    "2026-11-15T06:44:01.522Z".parse().unwrap()
}

fn own(folder: &Path, names: &[&str]) -> TlsSource {
    TlsSource::Own {
        folder: folder.join("tls"),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// Whether a client that trusts the certificate gets through to `name`.
fn shakes_hands(tls: &Tls, certificate: &Path, name: &str) -> bool {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(certificate).unwrap() {
        roots.add(certificate).unwrap();
    }
    let client = ClientConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut client = ClientConnection::new(Arc::new(client), name).unwrap();
    let mut server = ServerConnection::new(Arc::clone(&tls.config)).unwrap();
    for _ in 0..20 {
        let mut wire = Vec::new();
        client.write_tls(&mut wire).unwrap();
        server.read_tls(&mut wire.as_slice()).unwrap();
        if server.process_new_packets().is_err() {
            return false;
        }
        let mut wire = Vec::new();
        server.write_tls(&mut wire).unwrap();
        client.read_tls(&mut wire.as_slice()).unwrap();
        if client.process_new_packets().is_err() {
            return false;
        }
        if !client.is_handshaking() && !server.is_handshaking() {
            return true;
        }
    }
    false
}

#[test]
fn a_self_made_certificate_serves_its_names_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let source = own(folder.path(), &["localhost", "192.0.2.7"]);
    let first = Tls::load(&source, now()).unwrap();
    let file = folder.path().join("tls/certificate.pem");
    assert!(shakes_hands(&first, &file, "localhost"));
    assert!(shakes_hands(&first, &file, "192.0.2.7"));
    assert!(!shakes_hands(&first, &file, "192.0.2.8"));
    assert_eq!(first.fingerprint.len(), 32 * 3 - 1);
    let again = Tls::load(&source, now().plus(DAY * 700)).unwrap();
    assert_eq!(again.fingerprint, first.fingerprint);
    let late = Tls::load(&source, now().plus(DAY * 750)).unwrap();
    assert_ne!(late.fingerprint, first.fingerprint);
    let other = own(folder.path(), &["localhost"]);
    let other = Tls::load(&other, now().plus(DAY * 750)).unwrap();
    assert_ne!(other.fingerprint, late.fingerprint);
}

#[test]
fn what_is_made_is_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    Tls::load(&own(folder.path(), &["localhost"]), now()).unwrap();
    let tls = folder.path().join("tls");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&tls), 0o700);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&tls).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path.file_name().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["certificate.json", "certificate.pem", "key.pem"]);
}

#[test]
fn files_that_are_no_certificate_are_told_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let made = own(folder.path(), &["localhost"]);
    Tls::load(&made, now()).unwrap();
    let tls = folder.path().join("tls");
    let (certificate, key) = (tls.join("certificate.pem"), tls.join("key.pem"));
    let load = |certificate: &Path, key: &Path| {
        let source = TlsSource::Files {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        };
        Tls::load(&source, now())
    };
    load(&certificate, &key).unwrap();
    assert!(matches!(load(&key, &key), Err(TlsError::Pem { .. })));
    let swapped = load(&certificate, &certificate);
    assert!(matches!(swapped, Err(TlsError::Pem { .. })));
    let missing = load(&tls.join("nothing"), &key);
    assert!(matches!(missing, Err(TlsError::Io { .. })));
    let other = tempfile::tempdir().unwrap();
    Tls::load(&own(other.path(), &["localhost"]), now()).unwrap();
    let foreign = load(&certificate, &other.path().join("tls/key.pem"));
    assert!(matches!(foreign, Err(TlsError::Unusable { .. })));
}
