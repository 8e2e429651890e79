"""Workers of Dask: those of a cluster, or some that are started here."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chunkscope.errors import ChunkscopeError, ConfigError, MissingPartError

if TYPE_CHECKING:
    from concurrent.futures import Executor

SECONDS_TO_CONNECT = 10
LOCAL = re.compile(r"local(?::([1-9][0-9]{0,3}))?")
ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://\S+")


@contextlib.contextmanager
def dask_executor(where: str | None) -> Iterator[Executor | None]:
    """Give an executor of Dask; None where none is asked for.

    Parameters
    ----------
    where : str or None
        The address of a scheduler, ``tcp://scheduler:8786``, or ``local:4`` for so many processes of this machine.

    Raises
    ------
    ConfigError
        It is neither.
    MissingPartError
        dask.distributed is not installed.
    ChunkscopeError
        Nobody answers there.
    """
    if where is None:
        yield None
        return
    local = LOCAL.fullmatch(where)
    if local is None and not ADDRESS.fullmatch(where):
        raise ConfigError(f"--dask {where}: write the address of a scheduler, such as tcp://scheduler:8786, or local:4")
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise MissingPartError("--dask needs dask.distributed: pip install 'chunkscope[dask]'") from None
    from chunkscope.grid.processes import starting_processes

    with contextlib.ExitStack() as open_ones:
        try:
            cluster: object = where
            if local is not None:
                with starting_processes():
                    cluster = open_ones.enter_context(
                        LocalCluster(
                            n_workers=int(local[1] or 2),
                            threads_per_worker=1,
                            dashboard_address="127.0.0.1:0",
                            silence_logs=logging.CRITICAL,
                        )
                    )
            client = open_ones.enter_context(Client(cluster, timeout=SECONDS_TO_CONNECT))
        except OSError as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ChunkscopeError(f"--dask {where}: no scheduler answers: {reason}") from None
        yield client.get_executor()
