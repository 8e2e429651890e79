"""Documents that URLs name: the same as in a folder, without a secret in what is said, and with no network unasked."""

from __future__ import annotations

import base64
import contextlib
import datetime
import http.server
import json
import os
import pickle
import ssl
import subprocess
import sys
import threading
import zipfile

import pytest
from command_line import fails, run, run_json

from chunkscope.corpus import places, remote
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import InputError, MissingPartError

fsspec = pytest.importorskip("fsspec")

DOCS = {f"{'a' if n % 2 else 'b/c'}/{n}.md": f"# 第{n}条\n\n申請は{n}日前までに行う。承認は課長が行う。\n" * (n + 1) for n in range(6)}  # fmt: skip
ROWS = [{"name": name, "text": text, "kind": "規程"} for name, text in sorted(DOCS.items())]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()


@pytest.fixture(autouse=True)
def small_windows(monkeypatch):
    monkeypatch.setattr(remote, "WINDOW", 200)
    for kept in (remote._window, remote._copied, remote._file_system):
        kept.cache_clear()


@pytest.fixture
def folder(tmp_path):
    for name, text in DOCS.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (tmp_path / "docs" / "a" / "x.bin").write_bytes(b"\x00")
    (tmp_path / "docs" / ".hidden.md").write_bytes(b"x")
    (tmp_path / "rows.jsonl").write_bytes(LINES)
    with contextlib.suppress(ModuleNotFoundError):
        import polars

        polars.DataFrame(ROWS).write_parquet(tmp_path / "rows.parquet", row_group_size=2)
    return tmp_path


@pytest.fixture
def memory(folder):
    fs = fsspec.filesystem("memory")
    fs.put(f"{folder}/", "/box", recursive=True)
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder).as_posix())
    fs.put(str(folder / "all.zip"), "/all.zip")
    yield fs
    fs.rm("/", recursive=True)


def same(url, folder):
    """Hold what a URL names against the same files."""
    for name in ("docs", "rows.jsonl", "rows.parquet"):
        if not (folder / name).exists():
            continue
        found, expected = read_corpus(url.format(name)), read_corpus(folder / name)
        assert list(found) == list(expected)
        assert (found.names, found.files, found.ignored) == (expected.names, expected.files, expected.ignored)
        for document in found:
            sent = pickle.dumps(document)
            assert "承認".encode() not in sent
            assert pickle.loads(sent).text == DOCS[document.name]


def test_objects_in_memory_and_in_archives_are_what_files_are(memory, folder):
    same("memory://box/{}", folder)
    same("zip://{}::memory://all.zip", folder)
    same(f"zip://{{}}::file://{folder}/all.zip", folder)
    same(f"file://{folder}/{{}}", folder)
    [document] = read_corpus("memory://box/docs/a/1.md")
    assert (document.name, document.text) == ("1.md", DOCS["a/1.md"])
    assert read_corpus("memory://box/docs", exclude=["b/"]).names == ("a/1.md", "a/3.md", "a/5.md")


def test_listing_reads_no_text(memory, monkeypatch):
    monkeypatch.setattr(type(memory), "cat_file", lambda *_, **__: pytest.fail("read"))
    names = [name for name, _ in remote.RemoteFolder("memory://box/docs", remote.NameFilter()).files]
    assert names == sorted(DOCS)


def test_a_sweep_of_a_url_is_that_of_the_folder(memory, folder):
    asked = ("-c", "fixed", "--sizes", "10,30", "--format", "json")
    found, expected = (run_json("sweep", path, *asked) for path in ("memory://box/docs", folder / "docs"))
    assert found["cells"] == expected["cells"]
    assert found["corpus"]["path"] == "memory://box/docs"


def test_an_object_that_has_changed_is_an_error(memory):
    read = [list(read_corpus(f"memory://box/{name}")) for name in ("docs", "rows.jsonl")]
    memory.pipe_file("/box/docs/a/1.md", b"changed")
    memory.pipe_file("/box/rows.jsonl", LINES.replace("申請".encode(), b"xxxxxx"))
    for documents in read:
        with pytest.raises(InputError, match="the file has changed since it was first read"):
            _ = [document.text for document in documents]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory://box/none", "memory://box/none: no such file or folder"),
        ("nonsense://box", "nonsense://box: no such kind of URL: "),
        ("zip://docs::memory://box/rows.jsonl", "zip://docs::memory://box/rows.jsonl: not a zip archive that can be read"),
        ("zip://docs::memory://none.zip", "zip://docs::memory://none.zip: no such file or folder"),
        ("https://127.0.0.1:9/me?sig=hidden", "https://127.0.0.1:9/me: the server does not answer"),
        ("http://me:hidden@127.0.0.1:9/docs/?sig=hidden#hidden", "http://127.0.0.1:9/docs/: the server does not answer"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_url_is_told_in_a_line_without_secrets(memory, url, message):
    if url.startswith("http"):
        pytest.importorskip("aiohttp")
    with pytest.raises(InputError) as caught:
        list(read_corpus(url))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    told = fails("sweep", url, "-c", "fixed", "--sizes", "10")
    assert "hidden" not in told + str(caught.value)


def test_what_is_not_installed_is_told_in_a_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(MissingPartError, match=r"^s3://bucket/a: Install s3fs to access S3$"):
        read_corpus("s3://hidden@bucket/a")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    remote._file_system.cache_clear()
    with pytest.raises(
        MissingPartError, match=r"^s3://bucket/a: a URL needs fsspec: pip install 'chunkscope\[remote\]'$"
    ):
        read_corpus("s3://bucket/a?x=y")


@pytest.mark.parametrize("where", [".", "below"])
def test_a_configuration_names_no_url(memory, tmp_path, monkeypatch, where):
    (tmp_path / "below").mkdir()
    (tmp_path / "chunkscope.toml").write_text('corpus = "memory://me:hidden@box/docs?hidden"')
    monkeypatch.chdir(tmp_path / where)
    monkeypatch.setattr(remote, "_file_system", lambda url: pytest.fail("network"))
    told = fails("sweep", "-c", "fixed", "--sizes", "10")
    assert "chunkscope.toml: corpus: memory://box/docs: a URL is named on the command line" in told
    assert "hidden" not in told


def test_a_result_names_no_url_either(memory, tmp_path, monkeypatch):
    kept = tmp_path / "result.json"
    assert (
        run("sweep", "memory://box/docs", "-c", "fixed", "--sizes", "10", "--format", "json", "-o", kept).exit_code == 0
    )
    monkeypatch.setattr(remote, "_file_system", lambda url: pytest.fail("network"))
    assert "is a result of memory://box/docs, which is not here" in fails("report", kept, "-o", tmp_path / "page.html")


def test_init_takes_no_url(memory, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "memory://box/docs: a URL is no corpus for a configuration" in fails("init", "memory://box/docs?hidden")


@contextlib.contextmanager
def serving(folder, *, ranges=True, password=None, certificate=None):
    """Serve a folder on this machine."""
    asked = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *_):
            pass

        def do_GET(self):
            asked.append((self.path, self.headers.get("Range")))
            expected = password and "Basic " + base64.b64encode(password.encode()).decode()
            if expected and self.headers.get("Authorization") != expected:
                return self.send_error(403)
            wanted = self.headers.get("Range")
            path = self.translate_path(self.path)
            if not ranges or not wanted:
                return super().do_GET()
            first, last = wanted.removeprefix("bytes=").split("-")
            with open(path, "rb") as file:
                raw = file.read()
            part = raw[int(first) : int(last or len(raw)) + 1]
            self.send_response(206)
            self.send_header("Content-Length", str(len(part)))
            self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(raw)}")
            self.end_headers()
            self.wfile.write(part)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("ranges", [True, False])
def test_a_web_server_gives_what_the_folder_has(folder, ranges):
    pytest.importorskip("aiohttp")
    with serving(folder, ranges=ranges, password="me:hidden") as (port, asked):
        url = f"http://me:hidden@127.0.0.1:{port}"
        for name in ("docs", "rows.jsonl", "rows.parquet"):
            if (folder / name).exists():
                found = read_corpus(f"{url}/{name}{'/' if name == 'docs' else ''}")
                assert list(found) == list(read_corpus(folder / name))
                assert found.path == f"http://127.0.0.1:{port}/{name}{'/' if name == 'docs' else ''}"
                assert "hidden" not in repr(found) + repr(found.source) + repr(list(found))
        assert all(path.startswith(("/docs/", "/rows")) for path, _ in asked)
        with pytest.raises(InputError, match=r"/none\.md: no such file or folder$"):
            read_corpus(f"{url}/none.md")
        with pytest.raises(InputError, match=r"^http://127\.0\.0\.1:\d+/docs/: permission denied$"):
            read_corpus(f"http://127.0.0.1:{port}/docs/?sig=hidden")


def self_signed(path):
    """Write a key and a certificate of this machine into one file."""
    pytest.importorskip("cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    made = (
        made.serial_number(1).not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
    )
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(*form) + made.sign(key, hashes.SHA256()).public_bytes(form[0]))
    return path


def test_a_server_with_a_certificate_is_read_where_it_is_trusted(folder):
    pytest.importorskip("aiohttp")
    certificate = self_signed(folder / "key.pem")
    with serving(folder, certificate=certificate) as (port, _):
        url = f"https://localhost:{port}/rows.jsonl"
        command = [sys.executable, "-m", "chunkscope", "sweep", f"{url}?sig=hidden", "-c", "fixed", "--sizes", "10"]
        trusting, wary = (
            subprocess.run(command, capture_output=True, encoding="utf-8", env={**os.environ, **more}, check=False)
            for more in ({"SSL_CERT_FILE": str(certificate)}, {})
        )
    assert trusting.returncode == 0, trusting.stderr
    assert f"{url}: 6 documents" in trusting.stderr + trusting.stdout
    assert (wary.returncode, wary.stdout) == (2, "")
    assert wary.stderr == f"chunkscope: {url}: the server's certificate is not trusted\n"
    assert "hidden" not in trusting.stderr + trusting.stdout + wary.stderr


def test_a_bucket_gives_what_the_folder_has(folder, monkeypatch):
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    try:
        _, port = server.get_host_and_port()
        for name, value in {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "hidden", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1"}.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        fs = fsspec.filesystem("s3")
        fs.mkdir("box")
        fs.put(f"{folder}/", "box/all", recursive=True)
        same("s3://box/all/{}", folder)
        with pytest.raises(InputError, match=r"^s3://none/docs: no such file or folder$"):
            read_corpus("s3://none/docs")

        async def refused(*_, **__):
            raise PermissionError("hidden")

        monkeypatch.setattr(type(fs), "_lsdir", refused)
        monkeypatch.setattr(type(fs), "_info", refused)
        with pytest.raises(InputError, match=r"^s3://box/all/docs: permission denied$"):
            read_corpus("s3://box/all/docs")
    finally:
        server.stop()


def test_urls_are_shown_without_secrets():
    for url in (
        "https://me:hidden@host/a?sig=hidden#hidden",
        "https://hidden@host/a",
        "abfs://me:hid/den@host/a?x=hidden",
    ):
        assert places.shown_url(url).partition("://")[2] == "host/a"
    for url in ("https://host:80/a@b.md", "s3://bucket/@scope/a.md"):
        assert places.shown_url(url) == url
    assert places.shown_url("docs/a?b#c@d.md") == "docs/a?b#c@d.md"
