"""``chunkscope cache``: what is kept of vectors, and how to be rid of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from chunkscope.cli import options
from chunkscope.cli.console import Messages
from chunkscope.cli.outputs import open_output
from chunkscope.reports.formatting import plural
from chunkscope.splitters.kept import KIND, kept_splitters

if TYPE_CHECKING:
    from chunkscope.language import Language
    from chunkscope.retrieval.dense.vector_cache import VectorCache

EPILOG = """\b
Examples:
  chunkscope cache info
  chunkscope cache prune --days 90
  chunkscope cache prune --provider openai:text-embedding-3-small
  chunkscope cache clear --yes"""

path_option = click.option("--cache", "path", metavar="PATH", help="The cache [default: in the user's cache folder].")


@click.group(
    "cache",
    short_help="Show, prune or clear the cache of vectors and pieces.",
    epilog=EPILOG,
    invoke_without_command=True,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Look after the vectors of embedding models, and the pieces of splitters, that are kept.

    Nothing in the cache goes stale: each is found only by everything that it depends on. It only takes room.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@command.command("info", short_help="Where it is and what it holds.")
@path_option
@options.format_option("text", "json")
@options.output_option
@options.message_options
def info(path: str | None, output_format: str, output: str | None, lang: Language, quiet: bool, verbose: bool) -> None:
    """Tell where the cache is, and what it holds of each model and each splitter."""
    with _opened(path, Messages(quiet, verbose, lang)) as cache:
        file, spaces, splitters = cache.store.path, cache.spaces(), kept_splitters(cache.store)
        n_bytes = file.stat().st_size if file.exists() else 0
    rows = [
        {
            "provider": one.space.provider,
            "model": one.space.model,
            "endpoint": one.space.endpoint,
            "revision": one.space.revision,
            "role": one.space.role,
            "vectors": one.vectors,
            "width": one.width,
            "last_used": one.last_used or None,
        }
        for one in spaces
    ]
    with open_output(output, output_format) as stream:
        if output_format == "json":
            pieces = [
                {"splitter": one.name.removeprefix(KIND), "documents": one.n_blobs, "last_used": one.last_used or None}
                for one in splitters
            ]
            held = {"format": 1, "path": str(file), "bytes": n_bytes, "spaces": rows, "splitters": pieces}
            stream.write(json.dumps(held, ensure_ascii=False) + "\n")
            return
        stream.write(f"{file}: " + (f"{n_bytes / 1e6:,.1f} MB\n" if n_bytes else "nothing yet\n"))
        for one in spaces:
            name = one.space.provider if one.space.model is None else f"{one.space.provider}:{one.space.model}"
            where = f" at {one.space.endpoint}" if one.space.endpoint else ""
            stream.write(
                f"  {name}{where}, {one.space.role}: {plural(one.vectors, 'vector')} of {plural(one.width, 'number')}, "
                f"last used {one.last_used or 'never'}\n"
            )
        for kept in splitters:
            cuts = plural(kept.n_blobs, "document")
            stream.write(f"  {kept.name.removeprefix(KIND)}: {cuts} split, last used {kept.last_used or 'never'}\n")


@command.command("prune", short_help="Delete what is not used.")
@path_option
@click.option("--days", type=click.IntRange(min=1), metavar="N", help="What was not used for so many days.")
@click.option("--provider", metavar="NAME[:MODEL]", help="Vectors of this provider, or of this model of it.")
@options.message_options
def prune(path: str | None, days: int | None, provider: str | None, lang: Language, quiet: bool, verbose: bool) -> None:
    """Delete what has not been used for some days, or the vectors of a provider."""
    if days is None and provider is None:
        raise options.usage_error("say which: --days N, --provider NAME, or both")
    _delete(path, Messages(quiet, verbose, lang), days, provider)


@command.command("clear", short_help="Delete everything.")
@path_option
@click.option("--yes", is_flag=True, help="Do it: vectors of paid services are paid for again.")
@options.message_options
def clear(path: str | None, yes: bool, lang: Language, quiet: bool, verbose: bool) -> None:
    """Delete all vectors, and all pieces of splitters."""
    if not yes:
        raise options.usage_error("all vectors would be embedded again, all documents split again; say --yes")
    _delete(path, Messages(quiet, verbose, lang), None, None)


def _delete(path: str | None, messages: Messages, days: int | None, provider: str | None) -> None:
    with _opened(path, messages) as cache:
        n_deleted = cache.prune(unused_days=days, provider=provider)
        splitters = [] if provider else [one.name for one in kept_splitters(cache.store)]
        n_split = cache.store.prune(namespaces=splitters, unused_days=days) if splitters else 0
    deleted = plural(n_deleted, "vector") + (f" and {plural(n_split, 'document')} split" if n_split else "")
    with open_output(None) as stream:
        stream.write(f"{cache.store.path}: {deleted} deleted\n")


def _opened(path: str | None, messages: Messages) -> VectorCache:
    """Open the cache; looking at none makes none."""
    from chunkscope.retrieval.dense.vector_cache import VectorCache
    from chunkscope.store import Store
    from chunkscope.store.file import default_path

    return VectorCache(Store(path or default_path(), messages.warn))
