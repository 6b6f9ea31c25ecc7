"""The example of a network of one's own, with few updates."""

import importlib.util
from pathlib import Path

from erm.run_folder import RunFolder

EXAMPLE = Path(__file__).parents[2] / "examples" / "my_reasoner.py"


def test_a_network_of_ones_own_is_trained_and_evaluated(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("example_my_reasoner", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    results = module.main(updates=30, count=4, out=str(tmp_path))
    assert results["checkpoint"]["name"] == "MyNetwork"
    assert results["lane"] == "network alone"
    assert results["selectors"]["oracle"]["total"] == 4
    assert len(RunFolder(tmp_path / "run").read_samples()) == 4
    assert "energy" in capsys.readouterr().out
