"""How well do converters keep headings, tables and sentences? A dozen made files with known contents, in two languages.

Each converter reads each file that it can; what comes out is read by chunkscope. Counted are headings with their text,
tables whose header and rows are those of the file, cell by cell, and sentences that stand in the Markdown as they were
written. PDF files have their tables with rules, with few rules, and with none.

    pip install 'chunkscope[test]' 'markitdown[docx,pdf,pptx,xlsx]' pdf-oxide       (and pandoc by itself)
    python benchmarks/converters.py              # writes benchmarks/results/converters.json and prints the table
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from made_files import (  # noqa: E402
    ENGLISH,
    ENGLISH_TABLE,
    JAPANESE,
    JAPANESE_TABLE,
    Known,
    Part,
    write_docx,
    write_html,
    write_pdf,
    write_pptx,
    write_xlsx,
)

from chunkscope.convert.worker import convert_file  # noqa: E402
from chunkscope.corpus.document import Document  # noqa: E402
from chunkscope.structure.analysis import DocumentAnalysis  # noqa: E402

RESULT = ROOT / "benchmarks" / "results" / "converters.json"


def long_table() -> Known:
    rows = [("Code", "Product", "Price"), *((f"P-{n:03}", f"Product {n}", f"{n * 7:,}") for n in range(100))]
    return Known((Part(1, "Prices", (), tuple(rows)),))


def make_files(folder: Path) -> dict[str, Known]:
    """Write the files; give what is in each."""
    files: dict[str, Known] = {}

    def make(name: str, write: Callable[..., None], known: Known, **settings: str) -> None:
        write(folder / name, known, **settings)
        files[name] = known

    for language, known in (("en", ENGLISH), ("ja", JAPANESE)):
        for kind, write in (("docx", write_docx), ("pptx", write_pptx), ("html", write_html)):
            make(f"{language}.{kind}", write, known)
        for rules in ("all", "few", "none"):
            make(f"{language}-{rules}-rules.pdf", write_pdf, known, rules=rules)
    make("long-table.pdf", write_pdf, long_table())
    sheets = {"Rules": ENGLISH_TABLE, "旅費": [("上限の一覧",), *JAPANESE_TABLE]}
    write_xlsx(folder / "book.xlsx", sheets)
    files["book.xlsx"] = Known((Part(2, "Rules", (), ENGLISH_TABLE), Part(2, "旅費", (), JAPANESE_TABLE)))
    return files


def kreuzberg(path: str) -> str:
    import kreuzberg

    config = kreuzberg.ExtractionConfig(output_format="markdown", use_cache=False)
    return str(kreuzberg.extract_file_sync(path, config=config).content)


def markitdown(path: str) -> str:
    from markitdown import MarkItDown

    return str(MarkItDown().convert(path).text_content)


def pdf_oxide(path: str) -> str:
    if not path.endswith(".pdf"):
        raise NotImplementedError
    from pdf_oxide import PdfDocument

    document = PdfDocument(path)
    return "\n\n".join(document.to_markdown(page, detect_headings=True) for page in range(document.page_count()))


def pandoc(path: str) -> str:
    if path.endswith((".pdf", ".pptx", ".xlsx")):
        raise NotImplementedError
    return subprocess.run(
        ["pandoc", "--wrap=none", "-t", "gfm", path], check=True, capture_output=True, encoding="utf-8"
    ).stdout


def chunkscope(path: str) -> str:
    return convert_file(path).text


CONVERTERS: dict[str, Callable[[str], str]] = {
    "chunkscope convert": chunkscope,
    "kreuzberg": kreuzberg,
    "markitdown": markitdown,
    "pandoc": pandoc,
    "pdf-oxide": pdf_oxide,
}


def flat(text: str) -> str:
    return "".join(text.split())


def tables_of(text: str, found: dict) -> list[list[list[str]]]:
    lines = [
        [text[start:end].split("\n", 1)[0] for start, end in (*one["header"], *one["rows"])] for one in found["tables"]
    ]
    return [[[cell.strip() for cell in line.strip().strip("|").split("|")] for line in rows] for rows in lines]


def judge(text: str, known: Known) -> dict[str, tuple[int, int]]:
    """Count what is found of what is there."""
    found = DocumentAnalysis(Document("a.md", text)).to_dict()
    titles = {flat(one["title"]) for one in found["headings"]}
    tables = tables_of(text, found)
    sentences = {sentence for part in known.parts for sentence in part.sentences}
    wanted = [[list(row) for row in part.table] for part in known.parts if part.table]
    return {
        "headings": (sum(flat(part.heading) in titles for part in known.parts), len(known.parts)),
        "tables": (sum(table in tables for table in wanted), len(wanted)),
        "sentences": (sum(sentence in text for sentence in sentences), len(sentences)),
    }


def measure(files: dict[str, Known], folder: Path) -> dict[str, dict[str, dict]]:
    results: dict[str, dict[str, dict]] = {}
    for name, convert in CONVERTERS.items():
        for file, known in files.items():
            begun = time.perf_counter()
            try:
                text = convert(str(folder / file))
            except NotImplementedError:
                continue
            seconds = time.perf_counter() - begun
            results.setdefault(name, {})[file] = {**judge(text, known), "seconds": round(seconds, 3)}
    return results


def table(results: dict[str, dict[str, dict]]) -> str:
    """Write the table of docs/convert.md: what is kept of what is there, by format."""
    kinds = {"Word, HTML": ("docx", "html"), "PowerPoint, Excel": ("pptx", "xlsx"), "PDF": ("pdf",)}
    lines = [f"| | {' | '.join(kinds)} | seconds |", "|---|---|---|---|---|"]
    for name, files in results.items():
        cells = []
        for suffixes in kinds.values():
            rows = [row for file, row in files.items() if file.endswith(suffixes)]
            sums = {
                key: [sum(row[key][n] for row in rows) for n in (0, 1)] for key in ("headings", "tables", "sentences")
            }
            cells.append(", ".join(f"{key} {n}/{of}" for key, (n, of) in sums.items() if of) or "does not read them")
        seconds = sorted(row["seconds"] for row in files.values())[len(files) // 2]
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds:.3f} |")
    return "\n".join(lines)


def main() -> None:
    for name in list(CONVERTERS):
        module = name.split()[0].replace("-", "_")
        if not (util.find_spec(module) or shutil.which(name)):
            print(f"{name} is not installed and left out")
            del CONVERTERS[name]
    with tempfile.TemporaryDirectory() as place:
        files = make_files(Path(place))
        measure({name: files[name] for name in list(files)[:1]}, Path(place))  # what loads at first use
        results = measure(files, Path(place))
    versions = {
        name: metadata.version(name)
        for name in ("kreuzberg", "pdfplumber", "markitdown", "pdf-oxide")
        if util.find_spec(name.replace("-", "_"))
    }
    if "pandoc" in CONVERTERS:
        versions["pandoc"] = subprocess.run(
            ["pandoc", "--version"], check=True, capture_output=True, text=True
        ).stdout.split()[1]
    record = {
        "format": 1,
        "command": "python benchmarks/converters.py",
        "python": platform.python_version(),
        "versions": versions,
        "results": results,
    }
    RESULT.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
