import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client

from perfweb.accounts import attempts
from perfweb.accounts.models import Role
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_window(monkeypatch):
    """Count all attempts of a test in one window: with the real length, a window may end during the test."""
    monkeypatch.setattr(attempts, "WINDOW", 10**9)


@pytest.fixture
def user():
    return make_user("ada", password=make_password("engine no. 1"))


def sign_in(client: Client, password: str = "engine no. 1", name: str = "ada", **more: str):
    return client.post("/sign-in/", {"username": name, "password": password, **more})


def test_it_works(user, client):
    answer = sign_in(client)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(user.pk)


def test_the_session_gets_a_new_key_at_sign_in(user, client):
    client.get("/sign-in/")
    session = client.session
    session["seen"] = True
    session.save()
    before = session.session_key
    sign_in(client)
    assert client.session.session_key != before


def test_after_signing_in_the_requested_page_is_shown(user, client):
    answer = client.get("/search/?q=fft")
    assert answer["Location"] == "/sign-in/?next=/search/%3Fq%3Dfft"
    assert b'name="next" value="/search/?q=fft"' in client.get(answer["Location"]).content
    assert sign_in(client, next="/search/?q=fft")["Location"] == "/search/?q=fft"


def test_the_redirect_stays_on_this_host(user, client):
    assert sign_in(client, next="https://evil.example/")["Location"] == "/"


def test_a_wrong_password_gets_a_general_error(user, client):
    wrong, unknown = sign_in(client, "engine"), sign_in(client, name="bob")
    assert wrong.status_code == unknown.status_code == 200
    for answer in (wrong, unknown):
        assert b"There is no account with this name and password" in answer.content
    assert "_auth_user_id" not in client.session


def test_repeated_attempts_are_blocked(user, client, monkeypatch):
    monkeypatch.setattr(attempts, "PER_NAME", 3)
    for _ in range(3):
        assert sign_in(client, "guess").status_code == 200
    answer = sign_in(client)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= attempts.WINDOW
    assert b"Too many attempts" in answer.content
    assert sign_in(client, name="bob").status_code == 200
    assert sign_in(Client(REMOTE_ADDR="10.0.0.7")).status_code == 302


def test_attempts_for_many_names_from_one_address_are_blocked(client, monkeypatch):
    monkeypatch.setattr(attempts, "PER_ADDRESS", 3)
    answers = [sign_in(client, name=f"name{number}").status_code for number in range(4)]
    assert answers == [200, 200, 200, 429]


@pytest.mark.parametrize(
    ("named", "headers", "allowed"),
    [
        (True, ["9.9.9.9, 10.0.0.1", "10.0.0.2"], [200, 200]),  # two clients of one proxy
        (True, ["1.1.1.1, 10.0.0.1", "2.2.2.2, 10.0.0.1"], [200, 429]),  # a client that invents addresses
        (True, ["", "nobody"], [200, 429]),
        (False, ["10.0.0.1", "10.0.0.2"], [200, 429]),
    ],
)
def test_behind_a_proxy_each_client_has_its_own_limit(settings, monkeypatch, named, headers, allowed):
    settings.PROXY_NAMES_CLIENT = named
    monkeypatch.setattr(attempts, "PER_ADDRESS", 1)
    answers = [sign_in(Client(headers={"X-Forwarded-For": header})).status_code for header in headers]
    assert answers == allowed


def test_a_successful_sign_in_resets_the_count_of_failures(user, monkeypatch):
    monkeypatch.setattr(attempts, "PER_NAME", 3)
    for _ in range(3):
        sign_in(Client(), "guess")
        sign_in(Client(), "guess")
        assert sign_in(Client()).status_code == 302


def test_without_the_demo_it_is_not_offered(client):
    make_user("demo")
    assert b"demo project" not in client.get("/sign-in/").content
    make_project("demo").memberships.create(user=make_member(make_project(), name="other"), role=Role.OWNER)
    assert b"demo project" not in client.get("/sign-in/").content


def test_the_demo_account_is_shown_if_there_is_one(client):
    make_member(make_project("demo"), name="demo")
    assert b"demo project" in client.get("/sign-in/").content


def test_signing_out_needs_a_post(user, client):
    sign_in(client)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert client.get("/").status_code == 302


def test_a_new_password_ends_other_sessions(user, client):
    other = Client()
    sign_in(client)
    sign_in(other)
    new = {
        "old_password": "engine no. 1",
        "new_password1": "difference no. 2",
        "new_password2": "difference no. 2",
    }
    assert client.post("/password/", new).status_code == 302
    assert client.get("/").status_code == 200
    assert other.get("/").status_code == 302


def test_pages_of_a_session_are_not_cached(user, client):
    assert "Cache-Control" not in client.get("/help/").headers
    client.force_login(user)
    for address in ("/", "/help/", "/projects/"):
        assert client.get(address)["Cache-Control"] == "private, no-store"
