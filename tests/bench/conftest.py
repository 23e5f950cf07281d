"""The timings are collected only when they are asked for: `pytest tests/bench --benchmark-only`."""


def pytest_ignore_collect(collection_path, config):
    if collection_path.name == "test_history.py":
        return not config.getoption("benchmark_only", default=False)
    return None
