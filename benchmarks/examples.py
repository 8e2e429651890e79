"""A pytest plugin: ``--examples N`` gives each property test as many examples, ``--properties`` runs them alone."""

from __future__ import annotations

from typing import Any


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--examples", type=int, help="how many examples each property test looks at")
    parser.addoption("--properties", action="store_true", help="run property tests alone")


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    import hypothesis  # not before pytest has looked at its plugins

    properties = [item for item in items if getattr(getattr(item, "obj", None), "is_hypothesis_test", False)]
    for item in properties:
        test = getattr(item.obj, "__func__", item.obj)
        asked = getattr(test, "_hypothesis_internal_use_settings", hypothesis.settings())
        test._hypothesis_internal_use_settings = hypothesis.settings(
            asked,
            max_examples=config.getoption("--examples") or asked.max_examples,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
    if config.getoption("--properties"):
        items[:] = properties
