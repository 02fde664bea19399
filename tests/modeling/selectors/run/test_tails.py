"""Short names of kernels: the shortest ends of call paths that are still unique."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.selectors.run.tails import brief, shortest_tails


@pytest.mark.parametrize(
    ("paths", "tails"),
    [
        (["main->halo", "main->sweep"], ["halo", "sweep"]),
        (["main->setup->halo", "main->solve->halo"], ["setup › halo", "solve › halo"]),
        (["a->x->y->halo", "b->x->y->halo"], ["a › … › halo", "b › … › halo"]),
        (["a->x->z->halo", "a->y->z->halo", "a->x->w->halo", "b->x->w->halo"],
         ["x › … › halo", "y › … › halo", "a › … › halo", "b › … › halo"]),
        (["main", "main->main"], ["main", "main › main"]),
        (["halo", "main->halo"], ["halo", "main › halo"]),
        ([], []),
    ],
)  # fmt: skip
def test_names_consist_of_as_few_functions_as_possible(paths, tails):
    assert shortest_tails(paths) == tails


@given(st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map("->".join), max_size=20))
def test_no_two_kernels_have_the_same_name(paths):
    named = shortest_tails(sorted(paths))
    assert len(set(named)) == len(paths)
    for path, name in zip(sorted(paths), named, strict=True):
        first, _, last = name.replace(" › ", "->").partition("->…->")
        assert path.endswith(last or first)
        assert first in path


@pytest.mark.parametrize(
    ("function", "short"),
    [
        ("void CommSend<double, std::vector<Domain>>(Domain&, int, Index_t)", "CommSend<…>(…)"),
        ("int main(int, char**)", "main(…)"),
        ("Kokkos::parallel_for<Range<int>>::run(std::size_t) const", "Kokkos::parallel_for<…>::run(…)"),
        ("main()", "main()"),
        ("halo", "halo"),
        ("Create synapses (w/ Alltoall)", "Create synapses (w/ Alltoall)"),
        ("operator<<(a, b)", "operator<<(a, b)"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f(int)"),
        ("a > b(c)", "a > b(c)"),
        ("f(int", "f(int"),
        ("<a href='x'>y</a>", "<a href='x'>y</a>"),
        ("", ""),
    ],
)
def test_types_and_arguments_are_removed(function, short):
    assert brief(function) == short


def test_instances_of_a_template_keep_only_what_tells_them_apart():
    launch = "void Kokkos::launch<{}Functor<double, 3>>(const DriverType&)"
    assert shortest_tails([f"a->{launch.format('halo')}", f"b->{launch.format('sweep')}"]) == [
        "Kokkos::launch<haloFunctor<double, 3>>(…)",
        "Kokkos::launch<sweepFunctor<double, 3>>(…)",
    ]


def test_overloads_keep_their_arguments():
    assert shortest_tails(["f(int)", "f(double)", "g(int)"]) == ["f(int)", "f(double)", "g(…)"]
