"""Distributions over legal moves: masks are respected, and packed lists say the same as masks."""

import pytest

torch = pytest.importorskip("torch")

from tablee.learning.choices import (  # noqa: E402
    MaskedChoices,
    MaskedDistribution,
    PackedChoices,
    PackedDistribution,
    concatenate,
)

POSITIONS, MOVES = 50, 9


@pytest.fixture
def mask():
    mask = torch.rand((POSITIONS, MOVES), generator=torch.Generator().manual_seed(1)) < 0.4
    mask[:, 3] = True
    return mask


@pytest.fixture
def ratings():
    return 2 * torch.randn((POSITIONS, MOVES), generator=torch.Generator().manual_seed(2))


def packed(mask):
    counts = mask.sum(dim=1)
    return PackedChoices(mask.nonzero()[:, 1], counts, counts.cumsum(0) - counts)


def both(ratings, mask):
    return MaskedDistribution(ratings, MaskedChoices(mask)), PackedDistribution(ratings[mask], packed(mask))


def test_only_legal_moves_are_drawn(ratings, mask):
    generator = torch.Generator().manual_seed(3)
    for distribution in both(ratings, mask):
        for _ in range(200):
            assert mask[torch.arange(POSITIONS), distribution.sample(generator)].all()
        assert mask[torch.arange(POSITIONS), distribution.most_likely()].all()


def test_moves_are_drawn_as_often_as_they_are_likely(mask):
    ratings = torch.randn((1, MOVES), generator=torch.Generator().manual_seed(4)).expand(20_000, -1)
    same_mask = mask[:1].expand(20_000, -1)
    for distribution in both(ratings, same_mask):
        drawn = distribution.sample(torch.Generator().manual_seed(5))
        shares = torch.bincount(drawn, minlength=MOVES) / len(drawn)
        expected = MaskedDistribution(ratings[:1], MaskedChoices(mask[:1])).log_probabilities.exp()[0]
        assert torch.allclose(shares, expected, atol=0.02)


def test_packed_lists_say_the_same_as_masks(ratings, mask):
    one, other = both(ratings, mask)
    moves = one.sample(torch.Generator().manual_seed(6))
    assert torch.allclose(one.log_probability(moves), other.log_probability(moves), atol=1e-5)
    assert torch.allclose(one.entropy(), other.entropy(), atol=1e-5)
    assert torch.equal(one.most_likely(), other.most_likely())


def test_selected_positions_keep_their_moves(mask):
    rows = torch.tensor([7, 0, 7, 49, 12])
    selected = packed(mask).select(rows)
    assert selected.counts.tolist() == mask[rows].sum(dim=1).tolist()
    assert torch.equal(selected.moves, mask[rows].nonzero()[:, 1])


def test_parts_put_together_are_the_whole(mask):
    for choices in (MaskedChoices(mask), packed(mask)):
        whole = concatenate([choices.part(0, 20), choices.part(20, POSITIONS)])
        assert all(torch.equal(one, other) for one, other in zip(whole, choices, strict=True))
