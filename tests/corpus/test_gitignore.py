"""What git ignores: rules against git itself, where it is installed, and work trees, links and counts."""

from __future__ import annotations

import os
import random
import shutil
import subprocess

import pytest

from chunkscope.corpus.gitignore import IgnoreFile, parse_rules, rules_above, rules_in
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import InputError

GIT = shutil.which("git")
# of a pattern such as a**/b git's own manual says something else than git does
STEPS = [
    *("a", "b", "ab", "*", "*.md", "a*", "?", "**", "***", "*a*b", "*b*", "a.md", "{a,b}", "a b", "!a", "#a"),
    *("[ab]", "[!a]", "[^b]*", "[a-b]b", "[[:alpha:]]", "[]a]", "[a", "[a-", "[b-a]", "[!]]", "[[:foo:]]", "[[:]"),
    *("\\*", "\\a", "a\\", "\\!a", "\\#a", "[\\]a]b", "[a/b]", "a?"),
]
NAMES = ["a", "b", "ab", "a.md", "b.md", "ab.md", "!a", "#a", "*", "a b", "]", "[a", "bb", "{a,b}"]


def write(folder, **files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")


def work_tree(folder, **files):
    """Make what looks like a work tree without asking git."""
    write(folder, **{".git/HEAD": "ref: refs/heads/main\n", **files})


def names(corpus):
    return list(corpus.names)


def verdicts(root):
    """Walk a folder as reading does: each name that is met, and whether it is ignored."""
    found = {}

    def walk(name, above):
        entries = set(os.listdir(root / name))
        rules = rules_in(above, name, str(root / name), entries)
        for entry in sorted(entries - {".git", ".gitignore"}):
            is_folder = (root / name / entry).is_dir()
            found[name + entry] = rules.ignores(name + entry, is_folder)
            if is_folder and not found[name + entry]:
                walk(f"{name}{entry}/", rules)

    walk("", rules_above(root))
    return found


def ask_git(root, paths):
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    command = [GIT, "check-ignore", "--no-index", "-v", "-z", "--stdin", "--non-matching"]
    asked = "".join(f"{path}\0" for path in paths)
    told = subprocess.run(command, cwd=root, input=asked, capture_output=True, text=True, env=environment, check=False)
    fields = told.stdout.split("\0")
    rows = zip(fields[::4], fields[2::4], fields[3::4], strict=False)
    return {path: bool(source) and not pattern.startswith("!") for source, pattern, path in rows}


def random_lines(rng):
    for _ in range(rng.randint(1, 4)):
        path = "/".join(rng.choice(STEPS) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))
        before = rng.choice(["", "", "", "!", "!"]) + rng.choice(["", "", "/"])
        yield before + path + rng.choice(["", "", "/"]) + rng.choice(["", "", "", " ", "\\ ", "\r", "  "])


def plant(folder, rng, depth=0):
    for name in rng.sample(NAMES, 5):
        if depth < 3 and rng.random() < 0.4:
            (folder / name).mkdir()
            plant(folder / name, rng, depth + 1)
        else:
            (folder / name).touch()
    if depth == 0 or rng.random() < 0.3:
        write(folder, **{".gitignore": "\n".join(random_lines(rng)) + rng.choice(["", "\n"])})


@pytest.mark.skipif(GIT is None, reason="git is not installed")
@pytest.mark.parametrize("seed", range(40))
def test_what_is_ignored_is_what_git_ignores(tmp_path, seed):
    rng = random.Random(seed)
    subprocess.run([GIT, "init", "-q"], cwd=tmp_path, check=True, capture_output=True)
    plant(tmp_path, rng)
    write(tmp_path, **{".git/info/exclude": "\n".join(random_lines(rng))})
    found = verdicts(tmp_path)
    assert found
    assert found == ask_git(tmp_path, found)


def ignored(rules, *paths):
    file = IgnoreFile("", tuple(parse_rules(rules)))
    return [path for path in paths if file.decides(path.rstrip("/"), path.endswith("/"))]


@pytest.mark.parametrize(
    ("rules", "yes", "no"),
    [
        ("node_modules/", ["node_modules/", "a/node_modules/"], ["node_modules", "node_modules.md"]),
        ("/build", ["build", "build/"], ["a/build"]),
        ("docs/*.md", ["docs/a.md"], ["docs/a/b.md", "x/docs/a.md"]),
        ("**/old/*.md", ["old/a.md", "x/y/old/a.md"], ["old/x/a.md"]),
        ("docs/**", ["docs/a", "docs/a/b"], ["docs/", "x/docs/a"]),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["z", "a/bz"]),
        ("*.md\n!keep.md", ["a.md", "x/a.md"], ["keep.md", "x/keep.md"]),
        ("!a.md\na.md", ["a.md"], []),
        ("\ufeff# c\n\n  \na.md  \nb\\ \n", ["a.md", "b "], ["b", "# c"]),
        ("資料/\n下書き*", ["資料/", "x/下書き1.md"], ["資料.md"]),
        ("ガ.md", ["ガ.md"], []),
        ("[a", [], ["[a", "a"]),
        ("/", [], ["a", "a/"]),
    ],
)
def test_rules_mean_what_the_manual_of_git_says(rules, yes, no):
    assert ignored(rules, *yes, *no) == yes


def test_patterns_with_many_stars_end():
    rules = IgnoreFile("", tuple(parse_rules("*a" * 40 + "b\n" + "**/a/" * 40 + "b\n" + "[ab]*" * 40 + "c\n")))
    assert rules.decides("/".join(["a" * 200] * 100), False) is None


def test_a_work_tree_is_read_without_what_git_ignores_and_that_is_told(tmp_path):
    work_tree(
        tmp_path,
        **{".gitignore": "node_modules/\n/draft.md\n*.tmp.md\n", "a.md": "a", "draft.md": "d", "x/draft.md": "d"},
        **{"node_modules/p/README.md": "p", "b.tmp.md": "b", "x/node_modules/q.md": "q", "x.png": ""},
    )
    corpus = read_corpus(tmp_path)
    assert names(corpus) == ["a.md", "x/draft.md"]
    assert corpus.git_ignored == ("b.tmp.md", "draft.md", "node_modules/", "x/node_modules/")
    assert corpus.warnings == (
        "2 documents, 2 folders left out, as git ignores them (b.tmp.md, ...); --no-ignore reads them",
    )
    everything = read_corpus(tmp_path, gitignore=False)
    assert len(everything) == 6
    assert (everything.git_ignored, everything.warnings) == ((), ())


def test_rules_above_the_corpus_count_and_those_of_its_folders(tmp_path):
    work_tree(
        tmp_path,
        **{".gitignore": "old.md\n/docs/top.md\n/only-root.md\n", ".git/info/exclude": "mine.md\nb.md\n"},
        **{"docs/.gitignore": "/a.md\n!b.md\n", "docs/sub/.gitignore": "!old.md\n"},
        **{f"docs/{name}": "x" for name in ("a.md", "b.md", "old.md", "top.md", "mine.md", "only-root.md", "sub/a.md")},
        **{"docs/sub/old.md": "x"},
    )
    assert names(read_corpus(tmp_path / "docs")) == ["b.md", "only-root.md", "sub/a.md", "sub/old.md"]
    assert names(read_corpus(tmp_path / "docs" / "sub" / ".." / "sub")) == ["a.md", "old.md"]


def test_a_folder_that_is_named_is_read_even_where_git_ignores_it(tmp_path):
    work_tree(tmp_path, **{".gitignore": "site/\n*.tmp.md", "site/a.md": "a", "site/b.tmp.md": "b"})
    assert names(read_corpus(tmp_path / "site")) == ["a.md"]


def test_where_all_is_ignored_the_option_is_named(tmp_path):
    work_tree(tmp_path, **{".gitignore": "*.md", "a.md": "a"})
    with pytest.raises(InputError, match=r"no document in it .*1 document left out.*--no-ignore reads them"):
        read_corpus(tmp_path)


def test_without_a_work_tree_nothing_is_ignored(tmp_path):
    write(tmp_path, **{".gitignore": "a.md", "a.md": "a", "x/.gitignore": "*", "x/b.md": "b", ".git/config": ""})
    assert names(read_corpus(tmp_path)) == ["a.md", "x/b.md"]


def test_a_repository_inside_has_its_own_rules_alone(tmp_path):
    work_tree(tmp_path, **{".gitignore": "b.md\n", "a.md": "a", "b.md": "b"})
    work_tree(tmp_path / "sub", **{".gitignore": "a.md", ".git/info/exclude": "c.md"})
    write(tmp_path / "sub", **{"a.md": "a", "b.md": "b", "c.md": "c"})
    assert names(read_corpus(tmp_path)) == ["a.md", "sub/b.md"]
    shutil.rmtree(tmp_path / ".git")
    assert names(read_corpus(tmp_path)) == ["a.md", "b.md", "sub/b.md"]


def test_a_further_work_tree_has_the_excludes_of_the_first(tmp_path):
    work_tree(tmp_path / "first", **{".git/info/exclude": "b.md", ".git/worktrees/w/commondir": "../..\n"})
    write(tmp_path / "w", **{".git": f"gitdir: {tmp_path}/first/.git/worktrees/w\n", "a.md": "a", "b.md": "b"})
    assert names(read_corpus(tmp_path / "w")) == ["a.md"]


def test_links_to_ignore_files_are_not_followed_and_those_to_folders_are_no_folders(tmp_path):
    write(tmp_path, **{"outside": "a.md\n"})
    work_tree(tmp_path / "t", **{"a.md": "a", "real/b.md": "b", ".git/info/exclude": "linked/\nfile-link\n"})
    (tmp_path / "t" / ".gitignore").symlink_to(tmp_path / "outside")
    (tmp_path / "t" / "linked").symlink_to("real")
    assert names(read_corpus(tmp_path / "t")) == ["a.md", "real/b.md"]
    write(tmp_path / "t", **{".git/info/exclude": "real/\n"})
    assert names(read_corpus(tmp_path / "t")) == ["a.md", "linked/b.md"]
    assert names(read_corpus((tmp_path / "t" / "linked").resolve())) == ["b.md"]


def test_an_ignore_file_that_is_a_pipe_or_too_long_is_not_read(tmp_path):
    work_tree(tmp_path, **{"a.md": "a", "x/b.md": "b"})
    os.mkfifo(tmp_path / ".gitignore")
    write(tmp_path, **{"x/.gitignore": "*.md\n" * 300_000})
    assert names(read_corpus(tmp_path)) == ["a.md", "x/b.md"]


def test_bytes_that_are_not_utf8_are_no_fault(tmp_path):
    work_tree(tmp_path, **{"a.md": "a", "b.md": "b"})
    (tmp_path / ".gitignore").write_bytes("資料\n".encode("cp932") + b"a.md\n")
    assert names(read_corpus(tmp_path)) == ["b.md"]
