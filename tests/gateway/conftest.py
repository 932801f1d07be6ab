"""What the tests of gateways share: servers that fail, and an environment without proxies."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from gateway.fault_server import FaultServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    """Serve faults on loopback, reached directly whatever the environment says of proxies."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    with FaultServer() as running:
        yield running


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Write a certificate for 127.0.0.1 that nobody else has signed, and beside it its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    now = dt.datetime.now(dt.UTC)
    host = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(host, critical=False)
        .sign(key, hashes.SHA256())
    )
    bundle = tmp_path / "bundle.pem"
    bundle.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    bundle.with_suffix(".key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    )
    return bundle


@pytest.fixture
def tls_server(server: FaultServer, bundle: Path) -> Iterator[FaultServer]:
    """Serve the same over TLS, with the certificate of ``bundle``."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(bundle, bundle.with_suffix(".key"))
    with FaultServer(behaviours=server.behaviours, tls=tls) as running:
        yield running
