"""What the environment says. The only reader of environment variables in this package."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

MCP_ENV = "TOOLGAUGE_MCP_ENV"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one process, read once.

    ==============================  ====================================================
    TOOLGAUGE_DATABASE_URL          where runs are kept: sqlite:///FILE or postgresql://...
    TOOLGAUGE_EMBEDDING_MODEL       model for the ``semantic`` mode, as provider/model
    TOOLGAUGE_MCP_ENV               names of variables that MCP servers of the project file may
                                    use as ${NAME}, separated by commas; none without it
    <PROVIDER>_API_BASE             address of a provider (OPENAI_API_BASE, say)
    OPENAI_BASE_URL                 the same for OpenAI, as its own tools spell it
    SSL_CERT_FILE,                  certificates to trust, for proxies that re-encrypt
    REQUESTS_CA_BUNDLE
    ==============================  ====================================================

    Keys are read when a provider is asked, by the name its documentation gives
    (OPENAI_API_KEY) or that a target names (``api_key_env``); they are never kept.
    """

    environment: Mapping[str, str] = field(repr=False)

    @classmethod
    def from_env(cls) -> Settings:
        """Return the settings of this process."""
        return cls(os.environ)

    @property
    def database_url(self) -> str | None:
        """Where runs are kept, None for a file in the user's data directory."""
        return self.environment.get("TOOLGAUGE_DATABASE_URL") or None

    @property
    def embedding_model(self) -> str | None:
        return self.environment.get("TOOLGAUGE_EMBEDDING_MODEL") or None

    @property
    def mcp_env(self) -> frozenset[str]:
        """Names of the variables that MCP servers of a project file may use."""
        names = self.environment.get(MCP_ENV, "").split(",")
        return frozenset(filter(None, map(str.strip, names)))

    @property
    def ca_file(self) -> str | None:
        """The file of certificates to trust, None for the system's."""
        names = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
        return next((self.environment[name] for name in names if self.environment.get(name)), None)

    def api_base(self, provider: str) -> str | None:
        """Return the address that the environment gives for a provider, None for its own."""
        names = [f"{provider.upper()}_API_BASE"]
        if provider == "openai":
            names.append("OPENAI_BASE_URL")
        return next((self.environment[name] for name in names if self.environment.get(name)), None)

    def key(self, name: str) -> str | None:
        """Return the secret of this name; None where it is missing or empty."""
        return self.environment.get(name) or None
