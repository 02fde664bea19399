"""The addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from perfweb.portal.views.application import application
from perfweb.portal.views.compare import compare
from perfweb.portal.views.help_pages import help_pages
from perfweb.portal.views.history import history
from perfweb.portal.views.home import home
from perfweb.portal.views.project import member_remove, project_page, projects
from perfweb.portal.views.search import search
from perfweb.portal.views.session import Password, SignIn
from perfweb.portal.views.tokens import token_end, tokens
from perfweb.portal.views.upload import upload
from perfweb.portal.views.uploads import upload_detail, uploads

urlpatterns = [
    path("", home, name="home"),
    path("search/", search, name="search"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("password/", Password.as_view(), name="password"),
    path("projects/", projects, name="projects"),
    path("projects/<slug:project>/", project_page, name="project"),
    path("projects/<slug:project>/members/<str:username>/remove/", member_remove, name="member-remove"),
    path("projects/<slug:project>/tokens/", tokens, name="tokens"),
    path("projects/<slug:project>/tokens/<int:pk>/revoke/", token_end, name="token-revoke"),
    path("projects/<slug:project>/uploads/", uploads, name="uploads"),
    path("upload/", upload, name="upload"),
    path("uploads/<int:pk>/", upload_detail, name="upload-detail"),
    path("help/", help_pages, name="help"),
    path("a/<slug:project>/<slug:application>/", application, name="application"),
    path("a/<slug:project>/<slug:application>/history/", history, name="history"),
    path("a/<slug:project>/<slug:application>/compare/", compare, name="compare"),
]
