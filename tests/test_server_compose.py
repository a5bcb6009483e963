"""The compose file is checked as text: the test needs no container engine."""

from pathlib import Path

import yaml

from tablee.server.settings import Settings

ROOT = Path(__file__).resolve().parents[1]


def test_two_servers_share_one_database_behind_a_proxy():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    services = compose["services"]
    servers = [name for name, service in services.items() if "tablee serve" in str(service.get("command"))]
    assert len(servers) == 2
    proxy = (ROOT / "proxy.conf").read_text(encoding="utf-8")
    for name in servers:
        assert f"server {name}:8000" in proxy
        known = {*Settings().environment(), "TABLEE_CACHE", "FORWARDED_ALLOW_IPS"}
        assert set(services[name]["environment"]) <= known
        assert services[name]["environment"]["TABLEE_DATABASE"].startswith("postgresql://")
    assert set(services["proxy"]["depends_on"]) == set(servers)
    named = {volume.split(":")[0] for s in services.values() for volume in s["volumes"] if volume[0].isalpha()}
    assert named == set(compose["volumes"])


def test_every_setting_is_documented_and_passes_through_the_environment(monkeypatch):
    settings = Settings(database="postgresql://x/y", bot_pause=0.25, connections=7)
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    assert Settings.from_environment() == settings
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in settings.environment())
