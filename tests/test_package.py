from __future__ import annotations

import pytest

import tbgen


def test_every_public_name_is_there_and_listed_in_order() -> None:
    assert tbgen.__all__ == sorted(tbgen.__all__)
    for name in tbgen.__all__:
        assert getattr(tbgen, name) is not None
    assert set(tbgen.__all__) == set(dir(tbgen))


def test_a_name_that_does_not_exist_is_an_ordinary_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tbgen.nonsense  # noqa: B018
