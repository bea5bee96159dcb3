"""Rulebook and text files as they stand on a disk, good and bad."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.edges import books
from daemon.rules.mistakes import BookError, Source
from daemon.shipped import config_path


def mistakes(name, **options):
    with pytest.raises(BookError) as error:
        books.read_books(str(name), **options)
    return error.value.mistakes


def test_the_rulebook_of_the_house_text_comes_with_the_program():
    assert "robert-classic" in books.rulebook_names()
    book, texts = books.read_books("robert-classic")
    assert book.name == "robert-classic"
    assert set(texts.languages) == set(books.language_keys())


def test_only_the_languages_asked_for_are_read():
    assert set(books.read_books("robert-classic", ["it"])[1].languages) == {"it"}


def test_a_house_file_extends_what_comes_with_the_program(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text('extends = "robert-classic"\n[cut-skipped]\nenabled = false\n')
    book, _ = books.read_books(str(house))
    assert book.name == "house"
    shipped = books.read_rulebook("robert-classic").rulings
    on = [id_ for id_, ruling in shipped.items() if ruling.enabled]
    assert [id_ for id_ in on if not book.rulings[id_].enabled] == ["cut-skipped"]


def test_a_house_file_extends_the_file_beside_it_first(tmp_path):
    (tmp_path / "first.toml").write_text('extends = "second"\n[cut-skipped]\nseverity = "low"\n')
    (tmp_path / "second.toml").write_text(
        'extends = "robert-classic.toml"\n[cut-skipped]\nseverity = "high"\ncite = "ours"\n'
    )
    ruling = books.read_rulebook(str(tmp_path / "first.toml")).rulings["cut-skipped"]
    assert (ruling.severity, ruling.cite) == ("low", "ours")


def test_an_unknown_rulebook_is_told_with_those_there_are():
    (mistake,) = mistakes("robert-clasic")
    assert mistake.file == "'robert-clasic'"
    assert "robert-classic" in mistake.text


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "a/b", ".hidden", "x" * 300])
def test_a_name_that_is_no_name_finds_nothing(name):
    (mistake,) = mistakes(name)
    assert "no such rulebook" in mistake.text


def test_extending_nothing_is_told_beside_the_files_other_mistakes(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text('extends = "nothing"\n[cut-skipped]\nseverity = "loud"\n')
    assert [(found.file, found.path) for found in mistakes(house)] == [
        (str(house), "extends"),
        (str(house), "cut-skipped.severity"),
    ]


def test_a_broken_file_among_those_extended_is_told_beside_the_mistakes_of_the_others(tmp_path):
    (tmp_path / "broken.toml").write_text("[")
    house = tmp_path / "house.toml"
    house.write_text('extends = "broken"\n[cut-skipped]\nseverity = "loud"\n')
    assert [(found.file, found.path) for found in mistakes(house)] == [
        (str(tmp_path / "broken.toml"), ""),
        (str(house), "cut-skipped.severity"),
    ]


@pytest.mark.parametrize("circle", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_extending_in_a_circle_is_a_mistake(tmp_path, circle):
    for name, following in zip(circle, [*circle[1:], circle[0]], strict=True):
        (tmp_path / f"{name}.toml").write_text(f'extends = "{following}"\n')
    (mistake,) = mistakes(tmp_path / "a.toml")
    assert mistake.key == "extends"
    assert mistake.file == str(tmp_path / f"{circle[-1]}.toml")
    assert "circle" in mistake.text


def test_a_chain_without_end_is_cut(tmp_path):
    for n in range(20):
        (tmp_path / f"n{n}.toml").write_text(f'extends = "n{n + 1}"\n')
    (mistake,) = mistakes(tmp_path / "n0.toml")
    assert mistake.text == "more than 8 rulebooks extend one another"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"name = ", "is not TOML: "),
        (b'a = "\xff"', "is not UTF-8: byte 5"),
        (b"a = " + b"9" * 5000, "is not TOML: "),
        (b"a = " + b"[" * 100_000, "is nested too deeply"),
        (b"#" * (books.FILE_BYTES_MAX + 1), "is larger than "),
        (b"[parameters]\nmisdeal_s = 0x" + b"f" * 100_000, "must be a number from "),
        (b"[parameters]\nfirst_cards_misdeal = 0x" + b"f" * 100_000, "must be 0 or 1 or 2"),
        (b"parameters." + b"a." * 5_000 + b"a = 1", "'a' is not a parameter"),
    ],
)
def test_a_file_that_is_no_rulebook_is_told_as_one(tmp_path, content, why):
    file = tmp_path / "house.toml"
    file.write_bytes(content)
    found = mistakes(file)
    assert found[0].file == str(file)
    assert found[0].text.startswith(why)


def test_a_file_that_cannot_be_read_is_told_as_one(tmp_path):
    (mistake,) = mistakes(tmp_path / "not-there.toml")
    assert mistake.text == "cannot be read: No such file or directory"
    (mistake,) = mistakes(f"{tmp_path}/x/../.toml")
    assert mistake.text.startswith("cannot be read: ")


def test_mistakes_of_rules_house_and_languages_come_together(tmp_path):
    house = tmp_path / "house.toml"
    house.write_text('extends = "robert-classic"\n[turn-premtaure]\n')
    found = mistakes(
        house, languages=["en", "kl"], house=Source("table.toml", {"burn_pile": "bin"})
    )
    assert [mistake.file for mistake in found] == [str(house), "table.toml", "'kl'"]


def test_a_shipped_file_is_named_as_people_know_it():
    mistakes_before = []
    path = config_path() / "rulebooks" / "not-there.toml"
    assert books._parsed(path, mistakes_before) is None
    assert mistakes_before[0].file == "config/rulebooks/not-there.toml"


@given(st.binary(max_size=300))
@settings(max_examples=50)
def test_no_bytes_whatever_raise_anything_but_the_list_of_mistakes(tmp_path_factory, content):
    file = tmp_path_factory.getbasetemp() / "garbage.toml"
    file.write_bytes(content)
    with pytest.raises(BookError):
        books.read_books(str(file))
