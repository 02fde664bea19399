"""The settings of notifications about a project's changes: e-mail, webhooks, a feed."""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.contrib.syndication.views import Feed
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.views.decorators.http import require_http_methods, require_POST

from modeling.models import OPEN_ALERTS, Alert
from modeling.selectors.alerts.inbox import alerts_in, silenced
from perfweb.accounts.models import Project, Role, User
from perfweb.accounts.permissions import project_get
from perfweb.accounts.reader import reader
from perfweb.accounts.selectors import projects_visible
from perfweb.notices.models import Delivery, Subscription, Webhook
from perfweb.notices.services.mails import change_line, words
from perfweb.notices.services.subscriptions import feed_renew, feed_token, feed_user, subscription_set
from perfweb.notices.services.webhooks import webhook_create, webhook_remove
from perfweb.portal.asked.navigation import role_in
from perfweb.portal.forms.notices import SubscriptionForm, WebhookForm

LATEST = 20
"""Limit on the deliveries that the page shows."""

ENTRIES = 50
"""Limit on the changes in a feed; feed readers keep older ones themselves."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: HttpRequest, project: str) -> HttpResponse:
    """Show the user's own e-mail settings; for maintainers also the project's webhooks."""
    pressed = request.POST.get("save", "")
    found = project_get(request.user, project, Role.MAINTAINER if pressed == "webhook" else Role.VIEWER)
    own = Subscription.objects.filter(project=found, user=reader(request)).first()
    form = SubscriptionForm(request.POST if pressed == "mail" else None, initial=_initial(own, request))
    hook = WebhookForm(request.POST if pressed == "webhook" else None)
    if form.is_valid():
        subscription_set(project=found, user=reader(request), **form.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("notices", found.slug)
    if hook.is_valid() and _hooked(request, found, hook):
        return redirect("notices", found.slug)
    manages = role_in(request, found.pk) >= Role.MAINTAINER
    token = feed_token(reader(request))
    context = {
        "project": found,
        "form": form,
        "hook_form": hook,
        "manages": manages,
        "webhooks": Webhook.objects.filter(project=found).select_related("user") if manages else [],
        "deliveries": _deliveries(found, own, manages=manages),
        "feed": request.build_absolute_uri(reverse("feed-by-token", args=[token])),
        "sends_mail": bool(settings.EMAIL_HOST),
    }
    return render(
        request, "projects/notices.html", context, status=422 if form.errors or hook.errors else 200
    )


@login_required
@require_POST
def webhook_end(request: HttpRequest, project: str, pk: int) -> HttpResponse:
    """Remove a webhook."""
    found = project_get(request.user, project, Role.MAINTAINER)
    webhook = get_object_or_404(Webhook.objects.select_related("project"), pk=pk, project=found)
    webhook_remove(webhook=webhook, actor=reader(request))
    messages.success(request, f"{webhook.url} no longer gets notices.")
    return redirect("notices", found.slug)


@login_required
@require_POST
def feed_new(request: HttpRequest) -> HttpResponse:
    """Give the reader's feed a new address."""
    feed_renew(reader(request))
    messages.success(request, "Your feed has a new address; the old one no longer works.")
    return redirect("projects")


class Changes(Feed):  # type: ignore[type-arg]  # generic in the stubs only
    """Answers with the open changes of the reader's projects, as an Atom feed.

    The reader is identified by the session, or by a token in the address.
    """

    feed_type = Atom1Feed
    title = "perfweb: changes"
    subtitle = "Open changes: kernels that became worse, or follow another law"
    description_template = None

    def __call__(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Redirect visitors without a token to the sign-in page."""
        if "token" not in kwargs and not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        answer = super().__call__(request, *args, **kwargs)
        answer.headers["Cache-Control"] = "private, no-store"
        return answer

    def get_object(self, request: HttpRequest, token: str | None = None) -> User:
        """Return the user of the feed; raise Http404 if its address belongs to nobody or was replaced."""
        user = reader(request) if token is None else feed_user(token)
        if user is None:
            raise Http404("No such feed, or its address is no longer valid.")
        return user

    def link(self, obj: User) -> str:
        """Return the address of the inbox."""
        return reverse("changes")

    def items(self, obj: User) -> Sequence[Alert]:
        """Return the latest open alerts of the user's projects."""
        rows = alerts_in(projects_visible(obj)).filter(
            silenced(yes=False), state__in=OPEN_ALERTS, improvement=False
        )
        related = ("application__project", "version", "kernel", "metric", "machine")
        return list(rows.select_related(*related).order_by("-raised_at", "-pk")[:ENTRIES])

    def item_title(self, item: Alert) -> str:
        """Return what happened, and where."""
        return f"{item.application.name} {item.version.label}: {item.kernel.name} {words(item)}"

    def item_description(self, item: Alert) -> str:
        """Return the change with its size and state, as HTML: names in C++ contain < and >."""
        return escape(f"{change_line(item)} ({item.get_state_display()})")

    def item_link(self, item: Alert) -> str:
        """Return the address of the change's page."""
        return reverse("change", args=[item.application.project.slug, item.application.slug, item.pk])

    def item_pubdate(self, item: Alert) -> datetime:
        """Return the time at which the change was opened."""
        return item.raised_at

    def item_updateddate(self, item: Alert) -> datetime:
        """Return the time at which the change's state was last set."""
        return item.changed_at


def _initial(own: Subscription | None, request: HttpRequest) -> dict[str, object]:
    if own is None:
        return {"address": reader(request).email}
    return {"pace": own.pace, "address": own.address, "improvements": own.improvements}


def _hooked(request: HttpRequest, project: Project, form: WebhookForm) -> bool:
    """Add a webhook, and return whether that succeeded; errors are shown at the field."""
    try:
        webhook_create(project=project, actor=reader(request), **form.cleaned_data)
    except ValidationError as refused:
        form.add_error(None, refused)
        return False
    messages.success(request, "The webhook gets the next changes. Check their signature with its secret.")
    return True


def _deliveries(project: Project, own: Subscription | None, *, manages: bool) -> list[Delivery]:
    """Return the reader's latest deliveries. Maintainers also see the deliveries of webhooks."""
    rows = Delivery.objects.filter(notice__application__project=project)
    mine = rows.filter(subscription=own) if own else rows.none()
    shown = mine | rows.filter(webhook__isnull=False) if manages else mine
    related = ("notice__application", "webhook", "subscription")
    return list(shown.select_related(*related).order_by("-pk")[:LATEST])
