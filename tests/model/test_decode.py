import math

import torch

from erm.model.decode import decode, default_decoding, state_log_probs


def test_states_outside_the_domain_are_never_chosen_and_clues_are_certain():
    logits = torch.tensor([[[5.0, 1.0, 0.0], [0.0, 2.0, 1.0]]])
    domain = torch.tensor([[[False, True, True], [False, False, True]]])
    given = torch.tensor([[False, True]])
    decoded = decode(logits, domain, None, given)
    assert decoded.states.tolist() == [[1, 2]]
    expected = -math.log1p(math.exp(-1))
    assert abs(decoded.log_probs[0, 0, 1].item() - expected) < 1e-6
    assert decoded.log_probs[0, 1, 2].item() == 0
    assert decoded.log_probs[0, 0, 0].item() < -1000
    # Only the first cell is free, so it alone is the confidence.
    assert abs(decoded.confidence.item() - expected) < 1e-6


def test_tokens_are_read_at_each_cells_own_answer_tokens():
    logits = torch.tensor([[[0.0, 3.0, 1.0, 9.0], [0.0, 3.0, 1.0, 9.0]]])
    tokens = torch.tensor([[[1, 2], [2, 0]]])
    domain = torch.ones(1, 2, 2, dtype=torch.bool)
    probabilities = state_log_probs(logits, domain, tokens).exp()
    assert torch.allclose(probabilities.sum(-1), torch.ones(1, 2))
    assert torch.allclose(probabilities[0, 0, 0].logit(), torch.tensor(2.0))
    assert torch.allclose(probabilities[0, 1, 0].logit(), torch.tensor(1.0))


def test_stablemax_is_in_proportion_to_s():
    logits = torch.tensor([[[3.0, -1.0, 0.0]]])
    domain = torch.tensor([[[True, True, False]]])
    probabilities = state_log_probs(logits, domain, None, "stablemax").exp()
    # s(3) = 4 and s(-1) = 1/2
    assert torch.allclose(probabilities[0, 0, :2], torch.tensor([8 / 9, 1 / 9]), atol=1e-6)


def test_a_board_without_free_cells_has_confidence_0():
    domain = torch.tensor([[[True, False]]])
    given = torch.tensor([[True]])
    assert decode(torch.zeros(1, 1, 2), domain, None, given).confidence.item() == 0


def test_raw_answers_may_contradict_a_clue_and_clamped_ones_never_do():
    """Two cells, states written as tokens 3 and 4; the first cell's clue is state 0."""
    logits = torch.tensor([[[9.0, 0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 1.0, 3.0]]])
    domain = torch.tensor([[[True, False], [True, True]]])
    tokens = torch.tensor([[[3, 4], [3, 4]]])
    given = torch.tensor([[True, False]])
    raw = decode(logits, domain, tokens, given, decoding="raw")
    clamped = decode(logits, domain, tokens, given, decoding="clamped")
    # Token 0 is likeliest, but it writes no state.
    assert raw.states.tolist() == [[1, 1]]
    assert clamped.states.tolist() == [[0, 1]]
    torch.testing.assert_close(raw.log_probs, clamped.log_probs)
    assert default_decoding(structured=False) == "raw"
    assert default_decoding(structured=True) == "clamped"
