from modeling.selectors.kept import Kept


def test_an_object_is_made_once():
    kept, made = Kept(2), []
    assert [kept.get("a", lambda: made.append("a") or len(made)) for _ in range(3)] == [1, 1, 1]


def test_the_least_recently_used_objects_are_dropped():
    kept = Kept(2)
    for key in "abac":
        kept.get(key, lambda key=key: key)
    assert [kept.get(key, lambda: "made again") for key in "acb"] == ["a", "c", "made again"]


def test_large_objects_leave_less_room_for_others():
    kept = Kept(10, 5, len)
    for key in ("aa", "bb", "cc", "dddddddd"):
        kept.get(key, lambda key=key: key)
    assert kept.get("dddddddd", lambda: "made again") == "dddddddd"
    assert kept.get("cc", lambda: "made again") == "made again"


def test_cleared_objects_are_made_again():
    kept = Kept(2)
    kept.get("a", lambda: "old")
    kept.clear()
    assert "a" not in kept
    assert kept.get("a", lambda: "new") == "new"
