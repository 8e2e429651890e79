"""The pictures of a sweep as plain data: which there are, what they show, and each as a specification of Vega-Lite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import harm
from chunkscope.grid.lines import Line, lines_of
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.language import Language, in_language, say
from chunkscope.measures.cuts import CUT_CLASSES
from chunkscope.reports.columns import way_label
from chunkscope.reports.formatting import decimal
from chunkscope.reports.recall_table import Row, rows_of
from chunkscope.reports.sweep_text import cuts
from chunkscope.reports.visible import visible

Spec: TypeAlias = dict[str, Any]
Point: TypeAlias = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
COLOURS = (
    *("#3b7dd8", "#c9543a", "#2e8b57", "#8e5bd0", "#b07818"),
    *("#0e8a9c", "#c2458a", "#76808c", "#9a6b3f", "#5f8a1f"),
)
"""Of ways of cutting: each is seen on white and on black."""
OF_CUTS = ("#7d1d3f", "#b3363e", "#cf6034", "#d98e32", "#c2a83e", "#8b9099", "#6d9fce", "#3f8fa0", "#2e8b57")
"""Of the places where chunks end, from the worst to the best."""
HARM = "#d9534f"
MOST_MARKS = 1_500
"""With more cells than that, a picture has its lines alone, and no points to point at."""
MOST_PANELS = 12
MOST_NUMBERED = 24
"""Columns of a heat map in which numbers have room."""
MOST_TICKS = 9
DIGITS = 6
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
"""Fonts of one width, so that what is laid out here has room there."""

CUT_WORDS = {
    "character": say("inside a character"),
    "row": say("inside a table row"),
    "code": say("inside code"),
    "number": say("inside a number"),
    "word": say("inside a word"),
    "words": say("between words"),
    "sentence": say("before a sentence"),
    "block": say("before a block"),
    "heading": say("before a heading"),
}


@dataclass(frozen=True)
class Figure:
    """One picture.

    Attributes
    ----------
    name : str
        Such as ``cut-char``: what it shows, and for which unit.
    title, caption : str
        In the language of the reader; those of one kind, a unit each, have the same.
    spec : dict
        Vega-Lite. Marks that stand for a cell have ``cell-`` and its place in the result as their description, and
        lines ``line-`` and their place among `lines_of` the result.
    """

    name: str
    title: str
    caption: str
    spec: Spec

    @property
    def kind(self) -> str:
        """What it shows, whatever the unit."""
        return self.name.partition("-")[0]


def figures_of(result: SweepResult, lang: Language = "en") -> list[Figure]:
    """Give the pictures that a result has something for.

    Parameters
    ----------
    result : SweepResult
    lang : {"en", "ja"}

    Examples
    --------
    >>> from chunkscope import Document, sweep
    >>> result = sweep([Document("a.md", "一つ。二つ。")], chunkers="sentence", sizes=[2, 4], overlaps=[0])
    >>> [figure.name for figure in figures_of(result)]
    ['cut-char', 'heat-char', 'ends-char']
    """
    drawn = _Drawing(result, lang)
    parts = (drawn.answered, drawn.cut, drawn.luck, drawn.heat, drawn.ends, drawn.rows)
    return [figure for part in parts for figure in part()]


class _Drawing:
    """What all pictures of a result need: its lines, and what they are called."""

    def __init__(self, result: SweepResult, lang: Language) -> None:
        self.result, self.lang = result, lang
        self.lines = list(enumerate(lines_of(result)))
        self.ways = list(dict.fromkeys(self._way(line) for _, line in self.lines))
        self.units = list(dict.fromkeys(line.unit for _, line in self.lines if line.overlap is not None))
        self.units = self.units or [line.unit for _, line in self.lines][:1]

    def told(self, text: str) -> str:
        """Put a sentence into the language, and show what is hidden in it."""
        return visible(in_language(text, self.lang))

    def _way(self, line: Line) -> str:
        return self.told(way_label(line.cells[0]))

    def in_unit(self, unit: str) -> list[tuple[int, Line]]:
        """Give the lines whose sizes count in a unit; those without a size stand with the first."""
        return [
            (number, line)
            for number, line in self.lines
            if (line.unit == unit if line.overlap is not None else unit == self.units[0])
        ]

    def sizes_in(self, unit: str) -> str:
        """Give the title of an axis of sizes."""
        return self.told(say("size, in {unit}", unit=unit_noun(unit)))

    def points(self, lines: Sequence[tuple[int, Line]], value: Callable[[Cell], float | None]) -> list[Point]:
        """Give a point for each cell that has a value."""
        found = []
        for number, line in lines:
            way, overlap = self._way(line), line.overlap or ""
            for place, cell in zip(line.places, line.cells, strict=True):
                y = value(cell)
                if y is not None:
                    found.append(
                        {
                            "size": cell.size,
                            "value": round(y, DIGITS),
                            "way": way,
                            "overlap": self._overlap(overlap),
                            "line": f"line-{number}",
                            "cell": f"cell-{place}",
                        }
                    )
        return found

    def _overlap(self, overlap: str) -> str:
        return self.told(say("overlap {overlap}", overlap=overlap)) if overlap else ""

    def curves(self, unit: str, value: Callable[[Cell], float | None], title: str, **axis: Any) -> Spec | None:
        """Draw a line for each way and overlap; what has no size is a level."""
        lines = self.in_unit(unit)
        points = self.points(lines, value)
        sized = [point for point in points if point["size"] is not None]
        if not sized:
            return None
        levels = [point for point in points if point["size"] is None]
        ways = [way for way in self.ways if any(point["way"] == way for point in points)]
        colour = self._colour(ways)
        overlaps = list(dict.fromkeys(point["overlap"] for point in sized))
        y = {"field": "value", "type": "quantitative", "title": title, "scale": {"zero": True, "nice": True}}
        y["axis"] = {"tickMinStep": 1, "tickCount": 6, **axis}
        x = self._sizes(unit, [point["size"] for point in sized])
        layers: list[Spec] = [
            {
                "data": {"values": sized},
                "mark": {"type": "line", "strokeWidth": 2, "strokeJoin": "round"},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": colour,
                    "detail": {"field": "line"},
                    "description": {"field": "line"},
                    "strokeDash": {
                        "field": "overlap",
                        "sort": overlaps,
                        "title": None,
                        "scale": {"domain": overlaps, "range": [[1, 0], [5, 3], [2, 2], [8, 3, 2, 3]]},
                        "legend": _legend(overlaps) if len(overlaps) > 1 else None,
                    },
                },
            }
        ]
        if levels:
            layers.append(
                {
                    "data": {"values": levels},
                    "mark": {"type": "rule", "strokeWidth": 2, "strokeDash": [1, 3]},
                    "encoding": {"y": y, "color": colour, "description": {"field": "cell"}},
                }
            )
        if len(sized) <= MOST_MARKS:
            layers += _marks(sized, x, y, colour)
        return _whole({"width": 620, "height": 260, "layer": layers})

    def _colour(self, ways: Sequence[str]) -> Spec:
        places = [self.ways.index(way) for way in ways]
        colours = [COLOURS[place % len(COLOURS)] for place in places]
        return {
            "field": "way",
            "type": "nominal",
            "title": None,
            "scale": {"domain": list(ways), "range": colours},
            "legend": _legend(ways),
        }

    def _sizes(self, unit: str, sizes: Sequence[int]) -> Spec:
        found = sorted(set(sizes))
        scale: Spec = {"nice": False, "zero": False, "padding": 8}
        if found[-1] > 4 * found[0]:
            scale["type"] = "log"
        axis = {"values": _ticks(found), "labelOverlap": True, "format": ",d", "grid": False}
        return {"field": "size", "type": "quantitative", "title": self.sizes_in(unit), "scale": scale, "axis": axis}

    def _named(self, name: str, unit: str) -> str:
        return f"{name}-{unit}"

    def cut(self) -> Iterator[Figure]:
        """Draw what is cut, over the size."""
        asked = self.result.questions is not None
        for unit in self.units:
            title = say("questions harmed") if asked else say("things cut in two")
            spec = self.curves(unit, harm if asked else cuts, self.told(title))
            if spec is not None:
                caption = say(
                    "Each line is one way of cutting at one overlap. Lower is better: at 0 every answer is whole in "
                    "some chunk, and rows that are needed have their header."
                )
                if not asked:
                    caption = say(
                        "Each line is one way of cutting at one overlap. Lower is better: at 0 every sentence, code "
                        "block, heading with its first block and table row is whole in some chunk."
                    )
                heading = say("What is cut, by size")
                yield Figure(self._named("cut", unit), self.told(heading), self.told(caption), spec)

    def luck(self) -> Iterator[Figure]:
        """Draw what windows cut, and what they would cut on average wherever the first cut falls."""
        names = {"measured": self.told(say("as cut here")), "expected": self.told(say("on average"))}
        for unit in self.units:
            lines = [
                (number, line)
                for number, line in self.in_unit(unit)
                if len(line.cells) > 1 and line.cells[0].expected_split_questions is not None
            ][:MOST_PANELS]
            measured = self.points(lines, lambda cell: cell.split_questions)
            expected = self.points(lines, lambda cell: cell.expected_split_questions)
            if not measured:
                continue
            values = [
                {**point, "series": names[series], "panel": f"{point['way']}, {point['overlap']}"}
                for series, points in (("measured", measured), ("expected", expected))
                for point in points
            ]
            caption = say(
                "Where the first cut falls is chance, and the jagged line has that chance in it. The smooth line is "
                "what such windows cut on average, over all places of the first cut. Trust the smooth line: a size "
                "that does well on the jagged one alone was lucky."
            )
            spec = self._luck(unit, values, list(names.values()))
            heading = say("Luck: fixed windows")
            yield Figure(self._named("luck", unit), self.told(heading), self.told(caption), spec)

    def _luck(self, unit: str, values: list[Point], names: list[str]) -> Spec:
        x = self._sizes(unit, [point["size"] for point in values])
        y = {"field": "value", "type": "quantitative", "title": self.told(say("questions with a cut answer"))}
        colour = {
            "field": "series",
            "title": None,
            "scale": {"domain": names, "range": [COLOURS[1], COLOURS[0]]},
            "legend": _legend(names),
        }
        layers: list[Spec] = [
            {
                "mark": {"type": "line", "strokeJoin": "round"},
                "encoding": {
                    "x": x,
                    "y": y,
                    "color": colour,
                    "strokeWidth": {
                        "field": "series",
                        "scale": {"domain": names, "range": [1.5, 3]},
                        "legend": None,
                    },
                },
            }
        ]
        if len(values) <= MOST_MARKS:
            layers.append(_targets(x, y))
        panels = len({point["panel"] for point in values})
        width = 280 if panels > 1 else 620
        return _whole(
            {
                "data": {"values": values},
                "facet": {"field": "panel", "title": None, "sort": list(dict.fromkeys(one["panel"] for one in values))},
                "columns": 2,
                "spec": {"width": width, "height": 190, "layer": layers},
            }
        )

    def heat(self) -> Iterator[Figure]:
        """Draw every cell as a field: sizes beside each other, ways and overlaps below each other."""
        asked = self.result.questions is not None
        for unit in self.units:
            lines = self.in_unit(unit)
            if sum(len(line.cells) for _, line in lines) > MOST_MARKS:
                continue
            points = self.points(lines, harm if asked else cuts)
            whole = self.told(say("no size"))
            for point in points:
                point["size"] = whole if point["size"] is None else f"{point['size']:,}"
                point["row"] = f"{point['way']}, {point['overlap']}" if point["overlap"] else point["way"]
                point["text"] = _short(point["value"])
            sized = sorted({cell.size for _, line in lines for cell in line.cells if cell.size is not None})
            columns = [*(f"{size:,}" for size in sized), whole]
            columns = [column for column in columns if any(point["size"] == column for point in points)]
            caption = say(
                "Every setting is a field; the darker it is, the more it cuts. Choose one to look at it below."
            )
            heading = say("All settings: size and overlap")
            spec = self._heat(unit, points, columns)
            yield Figure(self._named("heat", unit), self.told(heading), self.told(caption), spec)

    def _heat(self, unit: str, points: list[Point], columns: list[str]) -> Spec:
        rows = list(dict.fromkeys(point["row"] for point in points))
        most = max((point["value"] for point in points), default=0) or 1
        x = {
            "field": "size",
            "type": "ordinal",
            "sort": columns,
            "title": self.sizes_in(unit),
            "axis": {"labelAngle": 0, "labelOverlap": True, "ticks": False, "domain": False},
        }
        y = {
            "field": "row",
            "type": "ordinal",
            "sort": rows,
            "title": None,
            "axis": {"ticks": False, "domain": False, "labelLimit": 240},
        }
        shade = {
            "field": "value",
            "type": "quantitative",
            "scale": {"type": "sqrt", "domain": [0, most], "range": [0.04, 0.72]},
            "legend": None,
        }
        layers: list[Spec] = [
            {
                "mark": {"type": "rect", "fill": HARM, "stroke": "none", "cornerRadius": 2},
                "encoding": {"x": x, "y": y, "fillOpacity": shade, "description": {"field": "cell"}},
            }
        ]
        if len(columns) <= MOST_NUMBERED:
            text = {"type": "text", "fontSize": 10, "color": "currentColor"}
            layers.append({"mark": text, "encoding": {"x": x, "y": y, "text": {"field": "text"}}})
        width = max(8, min(30, 600 // max(len(columns), 1)))
        return _whole({"data": {"values": points}, "width": {"step": width}, "height": {"step": 22}, "layer": layers})

    def ends(self) -> Iterator[Figure]:
        """Draw where the cuts of each way fall, in its first overlap."""
        for unit in self.units:
            first: dict[str, tuple[int, Line]] = {}
            for number, line in self.in_unit(unit):
                if line.overlap is not None and any(sum(cell.cuts.values()) for cell in line.cells):
                    first.setdefault(self._way(line), (number, line))
            lines = list(first.values())[:MOST_PANELS]
            if not lines or sum(len(line.cells) for _, line in lines) * 3 > MOST_MARKS:
                continue
            values = [point for _, line in lines for point in self._ends_of(line)]
            overlaps = {line.overlap for _, line in lines}
            caption = say(
                "Shares of the places where chunks end, from the worst (inside something, below) to the best (before a "
                "heading, above), at overlap {overlap}.",
                overlap=" / ".join(map(str, overlaps)),
            )
            spec = self._ends(unit, values)
            heading = say("Where the cuts fall")
            yield Figure(self._named("ends", unit), self.told(heading), self.told(caption), spec)

    def _ends_of(self, line: Line) -> Iterator[Point]:
        for place, cell in zip(line.places, line.cells, strict=True):
            total = sum(cell.cuts.values())
            for order, name in enumerate(CUT_CLASSES):
                if cell.cuts.get(name):
                    yield {
                        "size": f"{cell.size:,}",
                        "value": cell.cuts[name] / total,
                        "class": self.told(CUT_WORDS[name]),
                        "order": order,
                        "panel": self._way(line),
                        "cell": f"cell-{place}",
                    }

    def _ends(self, unit: str, values: list[Point]) -> Spec:
        classes = [self.told(CUT_WORDS[name]) for name in CUT_CLASSES]
        used = [name for name in classes if any(point["class"] == name for point in values)]
        colour = {
            "field": "class",
            "title": None,
            "scale": {"domain": used, "range": [OF_CUTS[classes.index(name)] for name in used]},
            "legend": {**_legend(used), "symbolType": "square"},
        }
        sizes = list(dict.fromkeys(sorted((point["size"] for point in values), key=lambda s: int(s.replace(",", "")))))
        axis = {"labelAngle": 0, "labelOverlap": True, "ticks": False, "values": _ticks(sizes, 5)}
        x = {"field": "size", "type": "ordinal", "sort": sizes, "title": self.sizes_in(unit), "axis": axis}
        shares = {"format": "%", "tickCount": 3}
        y = {"field": "value", "type": "quantitative", "title": None, "scale": {"domain": [0, 1]}, "axis": shares}
        panels = list(dict.fromkeys(point["panel"] for point in values))
        return _whole(
            {
                "data": {"values": values},
                "facet": {"field": "panel", "title": None, "sort": panels},
                "columns": 3,
                "spec": {
                    "width": 190,
                    "height": 110,
                    "mark": {"type": "bar"},
                    "encoding": {
                        "x": x,
                        "y": y,
                        "color": colour,
                        "order": {"field": "order"},
                        "description": {"field": "cell"},
                    },
                },
            }
        )

    def rows(self) -> Iterator[Figure]:
        """Draw the share of table rows that some chunk holds with their header."""

        def share(cell: Cell) -> float | None:
            return cell.table_rows_with_header / cell.table_rows if cell.table_rows else None

        for unit in self.units:
            spec = self.curves(unit, share, self.told(say("rows with their header")), format="%", tickMinStep=0)
            if spec is not None:
                caption = say("The share of all table rows that some chunk holds together with their table's header.")
                heading = say("Table rows with their header")
                yield Figure(self._named("rows", unit), self.told(heading), self.told(caption), spec)

    def answered(self) -> Iterator[Figure]:
        """Draw the share of questions that are answered, with its interval, a panel for each way and retriever."""
        if self.result.retrieval is None:
            return
        places = {id(cell): place for place, cell in enumerate(self.result.cells)}
        found: dict[int, list[Row]] = {}
        for row in rows_of(self.result):
            found.setdefault(places[id(row.cell)], []).append(row)
        several = len(self.result.retrieval["retrievers"]) > 1
        for unit in self.units:
            values = [
                point
                for _, line in self.in_unit(unit)
                if line.overlap is not None
                for place in line.places
                for row in found[place]
                if (point := self._interval(line, place, row, several)) is not None
            ]
            if not values:
                continue
            caption = say(
                "The share of the questions that the first chunks answer. The band is the range in which it lies at "
                "95 %, were other questions of the kind asked: where bands overlap widely, a difference may be chance."
            )
            heading = say("Questions answered, by size")
            yield Figure(
                self._named("answered", unit), self.told(heading), self.told(caption), self._answered(unit, values)
            )

    def _interval(self, line: Line, place: int, row: Row, several: bool) -> Point | None:
        low, high = row.found["intervals"]["answered"][row.key] or (None, None)
        if low is None or not row.total:
            return None
        way = self._way(line)
        panel = self.told(say("{way} with {retriever}", way=way, retriever=row.retriever)) if several else way
        return {
            "size": row.cell.size,
            "value": row.answered / row.total,
            "low": low,
            "high": high,
            "panel": panel,
            "overlap": self._overlap(line.overlap or ""),
            "cell": f"cell-{place}",
        }

    def _answered(self, unit: str, values: list[Point]) -> Spec:
        panels = list(dict.fromkeys(point["panel"] for point in values))[:MOST_PANELS]
        values = [point for point in values if point["panel"] in panels]
        overlaps = list(dict.fromkeys(point["overlap"] for point in values))
        x = self._sizes(unit, [point["size"] for point in values])
        x["axis"] = {**x["axis"], "values": x["axis"]["values"][::2]}
        axis = {"format": "%", "tickCount": 3}
        y = {"field": "value", "type": "quantitative", "title": None, "scale": {"domain": [0, 1]}, "axis": axis}
        scale = {"domain": overlaps, "range": [COLOURS[place % len(COLOURS)] for place in range(len(overlaps))]}
        legend = _legend(overlaps) if len(overlaps) > 1 else None
        colour = {"field": "overlap", "title": None, "scale": scale, "legend": legend}
        layers: list[Spec] = [
            {
                "mark": {"type": "area", "opacity": 0.16},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    "color": {**colour, "legend": None},
                },
            },
            {"mark": {"type": "line", "strokeJoin": "round"}, "encoding": {"x": x, "y": y, "color": colour}},
        ]
        if len(values) <= MOST_MARKS:
            layers.append(_targets(x, y))
        return _whole(
            {
                "data": {"values": values},
                "facet": {"field": "panel", "title": None, "sort": panels},
                "columns": 3,
                "spec": {"width": 190, "height": 130, "layer": layers},
            }
        )


def _marks(values: Sequence[Point], x: Spec, y: Spec, colour: Spec) -> list[Spec]:
    """Give a small point for each cell, and around it a larger one that nobody sees, to point at."""
    seen = {"type": "circle", "size": 26, "opacity": 1}
    silent = {**colour, "legend": None}
    return [
        {"data": {"values": values}, "mark": seen, "encoding": {"x": x, "y": y, "color": silent}},
        {"data": {"values": values}, **_targets(x, y)},
    ]


def _targets(x: Spec, y: Spec) -> Spec:
    mark = {"type": "circle", "size": 190, "opacity": 0}
    return {"mark": mark, "encoding": {"x": x, "y": y, "description": {"field": "cell"}}}


def _short(value: float) -> str:
    """Write a number so that it has room in a field.

    Examples
    --------
    >>> _short(0), _short(2.34), _short(228.8), _short(3041), _short(24_040)
    ('0', '2.3', '229', '3.0k', '24k')
    """
    if value >= 1000:
        return f"{value / 1000:.0f}k" if value >= 9_950 else f"{value / 1000:.1f}k"
    return f"{value:.0f}" if value >= 100 or value == round(value) else decimal(value)


def _ticks(values: Sequence[Any], most: int = MOST_TICKS) -> list[Any]:
    """Choose values that are named on an axis: the first, the last, and some between.

    Examples
    --------
    >>> _ticks([1, 2, 3, 4, 5, 6, 7], 3)
    [1, 4, 7]
    """
    if len(values) <= most:
        return list(values)
    return [values[round(place * (len(values) - 1) / (most - 1))] for place in range(most)]


def _legend(names: Sequence[str]) -> Spec:
    columns = 4 if max(map(len, names), default=0) < 20 else 3
    return {"orient": "bottom", "columns": columns, "columnPadding": 18, "labelLimit": 240, "symbolStrokeWidth": 2}


def _whole(spec: Mapping[str, Any]) -> Spec:
    """Complete a specification: no background, and the colour of the text around it."""
    axis = {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 11,
        "gridColor": "currentColor",
        "gridOpacity": 0.12,
        "domainColor": "currentColor",
        "domainOpacity": 0.5,
        "tickColor": "currentColor",
        "tickOpacity": 0.5,
        "labelFont": FONT,
        "titleFont": FONT,
    }
    return {
        "$schema": SCHEMA,
        "background": None,
        **spec,
        "config": {
            "view": {"stroke": None},
            "axis": axis,
            "legend": {"labelColor": "currentColor", "labelFontSize": 12, "labelFont": FONT, "symbolType": "stroke"},
            "header": {"labelColor": "currentColor", "labelFontSize": 12, "labelFont": FONT},
        },
    }
