"""What code hands over to a wrong exercise may be said in another way than the reference says it: masks, and functions."""

from __future__ import annotations

import pytest
from conftest import LostBy

BROKEN = ("class EncoderBlock(nn.Module):", "class EncoderBlock(nn.module):")  # a block of which nothing can be made
MASKS = {  # right ways to say the encoder's mask
    "none where nothing is hidden": "        real = None if (src != 0).all() else _not_padding(src)\n",
    "written out": "        real = _not_padding(src).expand(-1, src.shape[1], -1)\n",
}


@pytest.mark.parametrize("way", MASKS)
def test_a_mask_may_be_said_in_another_way(way: str, lost_by: LostBy) -> None:
    """Beside a block of which nothing can be made."""
    edit = ("        real = _not_padding(src)\n", MASKS[way])
    assert lost_by("a7_transformer", BROKEN, edit) == {"EncoderBlock"}


def test_a_wrong_mask_costs_its_exercise_in_any_way(lost_by: LostBy) -> None:
    """One that hides nothing where something is to be hidden, be it none at all."""
    for mask in ("None", "torch.ones_like(_not_padding(src))"):
        edit = ("        real = _not_padding(src)\n", f"        real = {mask}\n")
        assert lost_by("a7_transformer", BROKEN, edit) == {"EncoderBlock", "Transformer"}


RESIDUAL = ("    return x + change\n", "    return x - change\n")
THINK = "return residual(h, lambda _: self.feed_forward(self.norm_2(h)))"


@pytest.mark.parametrize(
    ("model", "lost"),
    [
        ("nn.Sequential(self.norm_2, self.feed_forward)", {"residual"}),
        ("nn.Sequential(self.norm_1, self.feed_forward)", {"residual", "EncoderBlock"}),
    ],
)
def test_a_model_is_a_function(model: str, lost: set[str], lost_by: LostBy) -> None:
    """What is handed over to a wrong `residual` may be a model; it is called as a function is."""
    assert lost_by("a7_transformer", RESIDUAL, (THINK, f"return residual(h, {model})")) == lost


def test_an_argument_that_a_helper_changes_is_the_helpers_fault(lost_by: LostBy) -> None:
    """Who hands on what it was given, to a helper that changes it, changed nothing; who changes it has a fault of its own."""
    helper = ("    dz = dh * (1 - h_t**2)\n", "    dh *= 1 - h_t**2\n    dz = dh\n")
    handed_on = ("    flowing = np.array(dh_last)\n", "    flowing = dh_last\n")
    doubled = ("    flowing = np.array(dh_last)\n", "    dh_last *= 2\n    flowing = dh_last / 2\n")
    assert lost_by("a2_bptt", helper, handed_on) == {"rnn_step_backward"}
    assert "gradient_norms" in lost_by("a2_bptt", helper, doubled)


def test_a_helper_that_is_right_there_excuses_nothing(lost_by: LostBy) -> None:
    """The shares of a text of one step are right, so what is drawn for a number of 0 is the fault of who draws."""
    helper = ("softmax(logits, axis=-1)\n    # END", "softmax(logits, axis=min(1, logits.ndim - 1))\n    # END")
    drawn = ('np.searchsorted(cumulative, u, side="right")', 'np.searchsorted(cumulative, u, side="left")')
    assert lost_by("a1_rnn", helper) == {"output_probs"}
    assert lost_by("a1_rnn", helper, drawn) == {"output_probs", "generate"}
