"""The pages of subscriptions, webhooks and feeds."""

from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse

from modeling.models import Alert
from perfweb.accounts.models import Membership, Role
from perfweb.notices.models import Subscription, Webhook
from perfweb.notices.services.subscriptions import feed_renew, feed_token
from tests.factories import make_alert, make_application, make_campaign, make_member, make_project
from tests.portal.stories import text

pytestmark = pytest.mark.django_db

URL = "/projects/storm/notices/"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def owner(client):
    user = make_member(make_project("storm"), Role.OWNER)
    client.force_login(user)
    return user


def save(client, what, **data):
    return client.post(URL, {"save": what, **data}, follow=True)


def test_it_works(client, owner, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        page = client.get(URL)
    assert "E-mail to you" in text(page)
    assert "This portal sends no e-mail until" in text(page)


def test_a_member_can_subscribe_and_unsubscribe(client, owner):
    save(client, "mail", pace="daily", address="a@example.org", improvements="on")
    row = Subscription.objects.get()
    assert (row.user, row.pace, row.address, row.improvements) == (owner, "daily", "a@example.org", True)
    save(client, "mail", pace="at_once", address="b@example.org")
    row.refresh_from_db()
    assert (row.pace, row.address, row.improvements) == ("at_once", "b@example.org", False)
    save(client, "mail", pace="")
    assert not Subscription.objects.exists()


@pytest.mark.parametrize("address", ["", "nonsense", "a@b.org\nBcc: c@d.org"])
def test_mails_need_an_address(client, owner, address):
    answer = client.post(URL, {"save": "mail", "pace": "daily", "address": address})
    assert answer.status_code == 422
    assert "address" in answer.context["form"].errors
    assert not Subscription.objects.exists()


def test_a_maintainer_can_add_and_remove_a_webhook(client, owner):
    page = save(client, "webhook", url="https://chat.example.org/1")
    webhook = Webhook.objects.get()
    assert webhook.secret in page.content.decode()
    client.post(f"{URL}{webhook.pk}/remove/")
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("url", ["ftp://x.org/", "javascript:alert(1)", ""])
def test_a_webhook_needs_an_http_address(client, owner, url):
    assert client.post(URL, {"save": "webhook", "url": url}).status_code == 422
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("host", ["127.0.0.1:9999", "localhost", "10.0.0.7", "[::1]", "169.254.169.254"])
def test_a_webhook_into_the_own_network_is_refused_at_once(client, owner, settings, host):
    settings.WEBHOOKS_PRIVATE = False
    answer = client.post(URL, {"save": "webhook", "url": f"http://{host}/hook"})
    assert answer.status_code == 422
    assert "own network" in answer.content.decode()
    assert not Webhook.objects.exists()
    settings.WEBHOOKS_PRIVATE = True
    save(client, "webhook", url=f"http://{host}/hook")
    assert Webhook.objects.exists()


def test_a_viewer_does_not_see_secrets(owner):
    project = owner.memberships.get().project
    Webhook.objects.create(project=project, url="https://chat.example.org/", secret="hidden-secret")
    client = Client()
    client.force_login(make_member(project))
    assert "hidden-secret" not in client.get(URL).content.decode()


@pytest.fixture
def alert(owner):
    return make_alert(make_campaign(make_application(owner.memberships.get().project), "1.1"), "main->halo")


def titles(answer):
    return [
        entry.findtext(f"{ATOM}title")
        for entry in ElementTree.fromstring(answer.content).iter(f"{ATOM}entry")
    ]


def test_a_feed_lists_the_open_changes(client, owner, alert):
    make_alert(make_campaign(make_application(slug="secret"), "1.0"), "main->hidden")
    make_alert(make_campaign(alert.application, "1.2"), "main->fast", improvement=True)
    answer = client.get("/changes/feed/")
    assert answer["Content-Type"].startswith("application/atom+xml")
    assert titles(answer) == ["Hydro 1.1: halo is worse"]
    Alert.objects.update(state=Alert.State.NOISE)
    assert titles(client.get("/changes/feed/")) == []


def test_a_feed_shows_names_with_angle_brackets_and_the_state(client, owner):
    change = make_alert(
        make_campaign(make_application(owner.memberships.get().project), "1.1"),
        "main->sort<int>",
        state="fixed",
    )
    feed = ElementTree.fromstring(client.get("/changes/feed/").content)
    summary = feed.find(f"{ATOM}entry/{ATOM}summary")
    assert summary.get("type") == "html"
    assert f"main-&gt;sort&lt;int&gt;: {change.metric.name}" in summary.text
    assert "(fixed, to be verified)" in summary.text


def test_a_feed_can_be_read_with_its_key_until_the_key_is_replaced(owner, alert):
    address = reverse("feed-by-token", args=[feed_token(owner)])
    reader = Client()
    assert titles(reader.get(address)) == ["Hydro 1.1: halo is worse"]
    assert reader.get(f"{address[:-2]}x/").status_code == 404
    assert reader.get("/changes/feed/1.1.x/").status_code == 404
    feed_renew(owner)
    assert reader.get(address).status_code == 404
    renewed = reverse("feed-by-token", args=[feed_token(owner)])
    assert titles(reader.get(renewed)) == ["Hydro 1.1: halo is worse"]
    Membership.objects.all().delete()
    assert titles(reader.get(renewed)) == []
    owner.is_active = False
    owner.save()
    assert reader.get(renewed).status_code == 404
