import csv

from erm.report import plot
from erm.report.document import Document, Figure, Section
from erm.report.table import Table, number, text

HOSTILE = '<script>alert("x")</script> & `erm <b>` | pipe'


def document():
    rows = [{"name": HOSTILE, "value": 1.5, "notes": ("first",)}, {"name": "b", "value": None}]
    columns = [text("name", "name"), number("value <%>", "value")]
    table = Table("numbers", HOSTILE, columns, rows, remarks=(HOSTILE,), texts={"first": HOSTILE})
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
        assert [row["value"] for row in csv.DictReader(file)] == ["1.5", ""]
    for suffix in ("csv", "svg", "png"):
        assert (tmp_path / f"figures/line.{suffix}").stat().st_size
    markdown = (tmp_path / "report.md").read_text()
    assert "| name | value <%> |" in markdown and "[1] <script>" in markdown
    assert "pipe \\|" not in markdown and "\\| pipe" in markdown
    assert "![" in markdown and "](figures/line.png)" in markdown


def test_the_same_document_is_the_same_bytes(tmp_path):
    first, second = (document().write(tmp_path / name) for name in "ab")
    assert first.read_bytes() == second.read_bytes()
