"""Settings files: read where they are plain, refused in one sentence elsewhere."""

import pytest

from erm.errors import InputError
from erm.yaml_file import read_yaml


def test_plain_settings_are_read(tmp_path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("arch:\n  lambda_: 0.5\n  mlp_t: true\npaths: [a, 'b: c']\nseed: 3\n")
    assert read_yaml(file) == {
        "arch": {"lambda_": 0.5, "mlp_t": True},
        "paths": ["a", "b: c"],
        "seed": 3,
    }


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{now}: &{now} [{', '.join(['*' + before] * 9)}]\n"
    for before, now in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOMB, "aliases are not read"),
        ("a: &a {b: 1}\n<<: *a\n", "aliases are not read"),
        ("a: !!python/object/apply:os.system [ls]\n", "could not determine a constructor"),
        ("[" * 3000, "nested too deep"),
        ("a: " + "9" * 5000, "5000 digits"),
        ("a: " + "1:" * 5000 + "1", "10001 digits"),
        ("a: [1\nb: 2", "line 2 is no YAML"),
        ("a: 2026-99-99", "no YAML that can be read"),
        ("? [1]\n: 2", "no YAML"),
        ("\x00", "no YAML"),
    ],
)
def test_everything_else_is_refused_in_one_sentence(tmp_path, text: str, sentence: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=sentence) as caught:
        read_yaml(file)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match=r"absent\.yaml cannot be read"):
        read_yaml(tmp_path / "absent.yaml")
