"""The addresses of the pages."""

from django.urls import path

from perfweb.portal.views.application import application
from perfweb.portal.views.help_pages import help_pages
from perfweb.portal.views.history import history
from perfweb.portal.views.home import home
from perfweb.portal.views.search import search

urlpatterns = [
    path("", home, name="home"),
    path("search/", search, name="search"),
    path("help/", help_pages, name="help"),
    path("a/<slug:project>/<slug:application>/", application, name="application"),
    path("a/<slug:project>/<slug:application>/history/", history, name="history"),
]
