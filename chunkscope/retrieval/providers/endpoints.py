"""Where a service is: a URL without anything secret in it, for it stands in keys, messages and reports."""

from __future__ import annotations

from urllib.parse import urlsplit

from chunkscope.errors import ConfigError


def checked_endpoint(name: str, url: str) -> str:
    """Give a URL in the form in which it is kept.

    Raises
    ------
    ConfigError
        It is no http URL, or it holds a user, a password or a query: these come from the environment only.

    Examples
    --------
    >>> checked_endpoint("openai", "http://LOCALHOST:8000/v1/")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise ConfigError(f"{name}: base_url is no URL; write http://localhost:8000/v1") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{name}: base_url is no URL; write http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(f"{name}: base_url must hold no user, password or query; keys come from the environment")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "") + parts.path.rstrip("/")
