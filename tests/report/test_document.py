import csv

from erm.report import plot
from erm.report.document import Document, Figure, Section
from erm.report.figures import Bar, Line, bars, lines
from erm.report.outcome import Tally
from erm.report.table import Table

HOSTILE = '<script>alert("x")</script> & `erm <b>` | pipe'
HALF = Tally(correct=1, total=2, exact=0.5, interval=(0.1, 0.9))


def document():
    rows = [{"name": HOSTILE, "value": 1.5, "rate": HALF}, {"name": "b", "value": None}]
    columns = {"name": "name", "value": "value <%>", "rate": "rate", "none": "never there"}
    table = Table("numbers", HOSTILE, columns, rows, [HOSTILE])
    with plot.style():
        drawing, (axes,) = plot.panels(1)
        axes.plot([0, 1], [0, 1])
    figure = Figure("line", HOSTILE, drawing, [{"x": 0, "y": 1}])
    section = Section([table], [figure], HOSTILE, "one", HOSTILE, HOSTILE, [HOSTILE])
    return Document(HOSTILE, [HOSTILE], [section, Section(title="two", name="two")], [HOSTILE])


def test_nothing_that_is_reported_becomes_markup(tmp_path):
    page = document().write(tmp_path).read_text()
    assert "<script" not in page and "alert(&#34;x&#34;)" in page
    # Commands in running text are code, whatever they hold.
    assert "<code>erm &lt;b&gt;</code>" in page
    assert page.count("data:image/svg+xml;base64,") == 1
    assert "http://" not in page.replace("http://www.w3.org", "") and "<link" not in page


def test_numbers_and_pictures_lie_beside_the_page(tmp_path):
    document().write(tmp_path)
    with open(tmp_path / "tables/numbers.csv", newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["value"], first["rate_correct"], first["rate_high"]) == ("1.5", "1", "90.0")
    assert second["value"] == second["rate_exact"] == ""
    for suffix in ("csv", "svg", "png"):
        assert (tmp_path / f"figures/line.{suffix}").stat().st_size
    markdown = (tmp_path / "report.md").read_text()
    assert "| name | value <%> | rate |" in markdown and "never there" not in markdown
    assert "| 50.00% (1/2, 10.0 to 90.0) |" in markdown and "| b | – | – |" in markdown
    assert "pipe \\|" not in markdown and "\\| pipe" in markdown
    assert "![" in markdown and "](figures/line.png)" in markdown


def test_the_same_document_is_the_same_bytes(tmp_path):
    first, second = (document().write(tmp_path / name) for name in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_figures_hold_their_numbers():
    drawn = bars("b", "", {"one": [Bar("x", HALF), Bar("x", None, series="paper")], "two": []})
    assert [row["exact"] for row in drawn.rows] == [50.0, None]
    score, share = Line("E", [1, 2], [3.0, 2.0], "k", percent=False), Line("%", [1], [50.0], "k")
    rows = lines("l", "", {str(place): [score, share] for place in range(5)}, "depth").rows
    assert rows[:3] == [
        {"panel": "0", "line": "E", "depth": 1, "score": 3.0},
        {"panel": "0", "line": "E", "depth": 2, "score": 2.0},
        {"panel": "0", "line": "%", "depth": 1, "percent": 50.0},
    ]
