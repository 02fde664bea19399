"""Signing in and out, and changing the password."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.urls import reverse_lazy

from perfweb.accounts.attempts import attempt_count, attempts_forget
from perfweb.accounts.models import User
from perfweb.http.client_address import client_address


class SignInForm(AuthenticationForm):
    """The form for name and password, with our own messages if they are refused."""

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": "There is no account with this name and password. Both are case-sensitive.",
        "inactive": "This account has been closed.",
    }

    def focus_password(self) -> None:
        """Let the cursor start in the password's field instead of the name's."""
        self.fields["username"].widget.attrs.pop("autofocus", None)
        self.fields["password"].widget.attrs["autofocus"] = True


class SignIn(LoginView):
    """Signs a user in by name and password; after too many attempts sign-in is blocked for a while."""

    template_name = "session/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Count the attempt before the password is checked."""
        wait = attempt_count(*self._who())
        if not wait:
            return super().post(request, *args, **kwargs)
        context = self.get_context_data(form=SignInForm(request), wait_minutes=-(-wait // 60))
        return self.render_to_response(context, status=429, headers={"Retry-After": str(wait)})

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign the user in. Django gives the session a new key."""
        attempts_forget(*self._who())
        return super().form_valid(form)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Show the form again. Whoever typed a name most likely mistyped the password."""
        if isinstance(form, SignInForm) and self.request.POST.get("username"):
            form.focus_password()
        return super().form_invalid(form)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add how to sign in to the demo, if there is one, and whether a form was sent without a session."""
        demo = User.objects.filter(username="demo", memberships__project__slug="demo").exists()
        return super().get_context_data(demo=demo, unsent="unsent" in self.request.GET, **kwargs)

    def _who(self) -> tuple[str, str]:
        return self.request.POST.get("username", ""), client_address(self.request)


class Password(PasswordChangeView):
    """Sets a new password, which ends the user's other sessions."""

    template_name = "session/password.html"
    success_url = reverse_lazy("projects")

    def form_valid(self, form: Any) -> HttpResponse:
        """Change the password, and confirm it."""
        messages.success(self.request, "The password has been changed.")
        return super().form_valid(form)
