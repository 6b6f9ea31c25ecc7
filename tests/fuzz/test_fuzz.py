"""A short run of the fuzzer with a fixed seed; benchmarks/fuzz.py runs for longer."""

from itertools import islice

from fuzzing import SEEDS, fuzz, readers

INPUTS = 3000


def test_mutated_files_are_answered_with_a_value_or_a_sentence(tmp_path):
    failures = [one for one in islice(fuzz(tmp_path, seed=19), INPUTS) if one is not None]
    shown = "\n".join(f"{one.seed}, input {one.number}: {one.error}" for one in failures[:5])
    assert not failures, f"{len(failures)} of {INPUTS} inputs\n{shown}"


def test_every_seed_is_read_as_it_stands(tmp_path):
    known = readers(tmp_path)
    for path in sorted(SEEDS.iterdir()):
        name = path.name if path.name in known else path.suffix
        assert known.get(name, known[""])(path) is not False
