import signal

import pytest

from program import Server


def pytest_configure():
    """A terminated run, too, goes through the fixtures that stop the servers."""
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("terminated", returncode=143))


@pytest.fixture(scope="session")
def start_server(tmp_path_factory):
    """Starts `hlg serve` for a model and flags, once per session and pair; stops all at the end."""
    running = {}

    def start(model, *flags):
        if (model, flags) not in running:
            log = tmp_path_factory.mktemp("serve") / "log.txt"
            running[model, flags] = Server(model, flags, log)
        return running[model, flags]

    yield start
    for server in running.values():
        server.stop()


@pytest.fixture(scope="session")
def smollm2(start_server):
    return start_server("smollm2")


@pytest.fixture(scope="session")
def gemma(start_server):
    return start_server("gemma3-270m")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the end of the server's log to the report of a test that failed."""
    outcome = yield
    report = outcome.get_result()
    if not report.failed:
        return
    for server in getattr(item, "funcargs", {}).values():
        if isinstance(server, Server):
            report.sections.append(("end of the server's log", server.log_tail()))
