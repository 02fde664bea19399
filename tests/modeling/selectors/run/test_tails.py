"""The shortest ends of call paths that tell kernels apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.selectors.run.tails import shortest_tails


@pytest.mark.parametrize(
    ("paths", "tails"),
    [
        (["main->halo", "main->sweep"], ["halo", "sweep"]),
        (["main->setup->halo", "main->solve->halo"], ["setup->halo", "solve->halo"]),
        (["a->x->y->halo", "b->x->y->halo"], ["a->…->halo", "b->…->halo"]),
        (["a->x->z->halo", "a->y->z->halo", "a->x->w->halo", "b->x->w->halo"],
         ["x->…->halo", "y->…->halo", "a->…->halo", "b->…->halo"]),
        (["main", "main->main"], ["main", "main->main"]),
        (["halo", "main->halo"], ["halo", "main->halo"]),
        ([], []),
    ],
)  # fmt: skip
def test_it_names_kernels_by_as_few_functions_as_tell_them_apart(paths, tails):
    assert shortest_tails(paths) == tails


@given(st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("->".join), max_size=20))
def test_no_two_kernels_have_the_same_name(paths):
    named = shortest_tails(sorted(paths))
    assert len(set(named)) == len(paths)
    for path, name in zip(sorted(paths), named, strict=True):
        first, _, last = name.partition("->…->")
        assert path.endswith(last or first)
        assert first in path
        others = [other for other in paths if other != path and f"->{other}".endswith(f"->{name}")]
        assert not others or name == path
