"""Image, compose files and proxy: files are checked as text, the proxy with nginx itself where it is installed."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
import yaml

from browser import free_port
from server_process import PATIENCE, Guest, serving
from tablee.server.admission import REQUEST_BURST, REQUEST_RATE
from tablee.server.replays import MAX_RECORD_BYTES
from tablee.server.settings import Settings, known_variables

ROOT = Path(__file__).resolve().parents[1]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def load(name):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


COMPOSE, TLS = load("compose.yaml"), load("compose.tls.yaml")
SERVICES = COMPOSE["services"]
SERVERS = [name for name, service in SERVICES.items() if service["image"] == "tablee"]


def instructions(keyword):
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.partition(" ")[2] for line in text.splitlines() if line.startswith(f"{keyword} ")]


def test_two_servers_share_one_database_behind_a_proxy():
    assert len(SERVERS) == 2
    proxy = (ROOT / "proxy.conf").read_text(encoding="utf-8")
    for name in SERVERS:
        assert f"server {name}:8000" in proxy
        assert set(SERVICES[name]["environment"]) <= known_variables() | {"FORWARDED_ALLOW_IPS"}
        assert "ports" not in SERVICES[name]
        assert SERVICES["proxy"]["depends_on"][name] == {"condition": "service_healthy"}
    named = {volume.split(":")[0] for each in SERVICES.values() for volume in each["volumes"] if volume[0].isalpha()}
    assert named == set(COMPOSE["volumes"])
    assert SERVICES["database"]["networks"] == ["inside"]
    assert COMPOSE["networks"]["inside"]["internal"]


def test_the_proxy_allows_an_address_as_much_as_a_server_does():
    """A class behind one address opens a page together."""
    proxy = (ROOT / "proxy.conf").read_text(encoding="utf-8")
    found = re.search(r"rate=(\d+)r/s.*limit_req zone=people burst=(\d+) .*limit_conn sockets (\d+);", proxy, re.DOTALL)
    allowed = (REQUEST_RATE, REQUEST_BURST, Settings().connections_per_address)
    assert tuple(map(int, found.groups())) == allowed
    assert re.findall(r"(limit_req|limit_conn)_status 429;", proxy) == ["limit_req", "limit_conn"]


def test_no_container_is_root_or_writes_outside_its_volumes():
    for service in SERVICES.values():
        assert service["user"] not in ("root", "0")
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert instructions("USER") == ["10001"]
    assert all(SERVICES[name]["user"] == "10001" for name in SERVERS)


def test_secrets_are_files_and_in_no_environment():
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if "PASSWORD" in name or "SECRET" in name or "DATABASE" in name:
                assert name.endswith("_FILE")
                assert value.removeprefix("/run/secrets/") in service["secrets"]
        assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"])
    files = [secret["file"] for secret in (*COMPOSE["secrets"].values(), *TLS["secrets"].values())]
    assert all(file.startswith("secrets/") for file in files)
    assert "secrets/" in (ROOT / ".gitignore").read_text().splitlines()
    ignored = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert ignored[0] == "*"  # everything but what is named
    assert not any(line.startswith("!") and "secrets" in line for line in ignored)


def test_nothing_is_installed_at_the_start_and_everything_by_its_hash():
    assert all("pip" not in str(service.get("command", "")) for service in SERVICES.values())
    (install,) = [command for command in instructions("RUN") if "pip install" in command]
    assert "--require-hashes" in install
    assert "--only-binary :all:" in install
    assert all("pip" not in line for line in instructions("ENTRYPOINT") + instructions("CMD"))


def test_every_container_has_a_health_check():
    assert "/healthz" in re.search(r"HEALTHCHECK.*?\n\n?ENTRYPOINT", (ROOT / "Dockerfile").read_text(), re.S)[0]
    assert all("healthcheck" in SERVICES[name] for name in ("database", "proxy"))
    port = SERVICES[SERVERS[0]]["environment"]["TABLEE_STATUS"].rpartition(":")[2]
    assert f"127.0.0.1:{port}/healthz" in (ROOT / "Dockerfile").read_text()


def test_every_package_of_the_image_has_one_version_and_a_hash():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import requirements
    finally:
        sys.path.pop(0)
    wheel = {"metadata": {"name": "SQLAlchemy", "version": "2.0.1"}, "download_info": {"archive_info": {}}}
    wheel["download_info"] = {"url": "https://registry/x.whl", "archive_info": {"hashes": {"sha256": "ab" * 32}}}
    assert list(requirements.lines([wheel])) == [f"sqlalchemy==2.0.1 --hash=sha256:{'ab' * 32}"]
    assert any(line.startswith("uvicorn") for line in requirements.wanted())


def test_every_setting_is_documented_and_passes_through_the_environment(monkeypatch):
    settings = Settings(database="postgresql://x/y", bot_pause=0.25, connections=7)
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert Settings.from_environment() == settings
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in settings.environment())


# The proxy


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Proxy:
    """nginx with proxy.conf and proxy-tls.conf, in front of one server."""

    def __init__(self, folder, server):
        self.port = free_port()
        self.tls_port = free_port()
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", folder / "key"]
        subject = ["-subj", "/CN=localhost", "-days", "1", "-out", folder / "certificate"]
        subprocess.run(["openssl", "req", "-x509", *key, *subject], check=True, capture_output=True)
        (folder / "tablee").mkdir()
        tls = (ROOT / "proxy-tls.conf").read_text().replace("listen 8443", f"listen 127.0.0.1:{self.tls_port}")
        tls = tls.replace("/run/secrets/certificate_key", f"{folder}/key")
        (folder / "tablee" / "tls.conf").write_text(tls.replace("/run/secrets/certificate", f"{folder}/certificate"))
        site = (ROOT / "proxy.conf").read_text().replace("listen 8080", f"listen 127.0.0.1:{self.port}")
        site = site.replace("/etc/nginx/tablee", f"{folder}/tablee").replace("server1:8000", f"127.0.0.1:{server.port}")
        site = re.sub(r"\n *server server2:.*", "", site)
        paths = " ".join(
            f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root; " if os.geteuid() == 0 else ""  # another account could not enter the folder of the test
        main = f"{user}pid {folder}/pid; error_log stderr; daemon off; worker_processes 1; events {{}}\n"
        (folder / "nginx.conf").write_text(f"{main}http {{ access_log off; {paths}\n{site}\n}}\n")
        command = [NGINX, "-p", folder, "-c", folder / "nginx.conf", "-e", "stderr"]
        with (folder / "errors").open("w") as errors:
            self.process = subprocess.Popen(command, stderr=errors)
        deadline = time.monotonic() + PATIENCE
        while not (is_open(self.port) and is_open(self.tls_port)):
            assert self.process.poll() is None, (folder / "errors").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proxy")
    folder.chmod(0o755)
    with serving(folder / "tablee.db") as server:
        proxy = Proxy(folder, server)
        yield proxy
        proxy.stop()


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
class TestProxy:
    def test_sockets_and_requests_pass(self, proxied):
        ana = Guest(f"http://127.0.0.1:{proxied.port}", "Ana")
        table = ana.create()
        with ana.line() as line:
            assert line.watch(table["id"])["id"] == table["id"]

    def test_the_largest_record_passes_and_more_does_not(self, proxied):
        ana = Guest(f"http://127.0.0.1:{proxied.port}", "Ana")
        for size, code in ((MAX_RECORD_BYTES - 100, 422), (MAX_RECORD_BYTES + 1000, 413)):
            body = '{"record": "' + "x" * (size - 14) + '"}'
            answer = ana.http.post("/api/records", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code == code

    def test_the_cookie_is_secure_if_another_proxy_spoke_https(self, proxied):
        url = f"http://127.0.0.1:{proxied.port}/api/me"
        for headers, is_secure in (
            ({}, False),
            ({"X-Forwarded-Proto": "https"}, True),
            ({"X-Forwarded-Proto": "x"}, False),
        ):
            answer = httpx.put(url, json={"name": "Ana"}, headers=headers, timeout=PATIENCE)
            assert ("Secure" in answer.headers["set-cookie"]) is is_secure

    def test_health_and_metrics_are_not_behind_it(self, proxied):
        for path in ("/healthz", "/healthz/ready", "/metrics", "/metrics/"):
            assert httpx.get(f"http://127.0.0.1:{proxied.port}{path}", timeout=PATIENCE).status_code == 404

    def test_http2_over_tls(self, proxied):
        import ssl

        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        with (
            socket.create_connection(("127.0.0.1", proxied.tls_port)) as raw,
            context.wrap_socket(raw, server_hostname="localhost") as wrapped,
        ):
            assert wrapped.selected_alpn_protocol() == "h2"
