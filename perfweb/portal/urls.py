"""The addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path, register_converter

from perfweb.portal.files.exports import FileKind, ModelsKind, TableKind, ValuesKind
from perfweb.portal.views.application.badge import badge, badge_change, badge_public
from perfweb.portal.views.application.compare import compare
from perfweb.portal.views.application.expectations import expectation_end
from perfweb.portal.views.application.forecasts import forecasts
from perfweb.portal.views.application.history import history
from perfweb.portal.views.application.joining import kernels_join
from perfweb.portal.views.application.names import Address, application_address, application_named
from perfweb.portal.views.application.overview import application
from perfweb.portal.views.application.reports import (
    report,
    report_new,
    report_remove,
    report_share,
    report_since,
    report_unshare,
    reports,
)
from perfweb.portal.views.application.settings import application_settings, target_change
from perfweb.portal.views.campaign.deleting import campaign_remove
from perfweb.portal.views.campaign.downloads import campaign_models, campaign_values, upload_file
from perfweb.portal.views.campaign.kernel import kernel, kernel_data, kernel_surface
from perfweb.portal.views.campaign.modelers import campaign_modelers, campaign_modelers_change
from perfweb.portal.views.campaign.overview import campaign, campaign_export, campaign_model, campaign_tree
from perfweb.portal.views.campaign.run_parameters import run_parameters
from perfweb.portal.views.changes.change import change
from perfweb.portal.views.changes.inbox import application_changes, changes, changes_triage, changes_undo
from perfweb.portal.views.changes.silences import silence_remove, silences
from perfweb.portal.views.demo import demo_copy
from perfweb.portal.views.help import (
    help_accuracy,
    help_all,
    help_chapter,
    help_contents,
    help_mathematics,
    help_short,
    rest,
)
from perfweb.portal.views.home import home
from perfweb.portal.views.invitation import invitation
from perfweb.portal.views.notices import Changes, feed_new, notices, webhook_end
from perfweb.portal.views.plans.first import first_plan
from perfweb.portal.views.plans.plan import plan, plan_filter, plan_give_up, plan_script
from perfweb.portal.views.plans.planner import planner
from perfweb.portal.views.plans.profile import plan_profile
from perfweb.portal.views.project import (
    invitation_end,
    invitation_new,
    member_remove,
    project_address,
    project_page,
    projects,
)
from perfweb.portal.views.search import search
from perfweb.portal.views.session import Password, SignIn
from perfweb.portal.views.shared import shared_report
from perfweb.portal.views.tokens import token_end, tokens
from perfweb.portal.views.uploads.jobs import client, from_job
from perfweb.portal.views.uploads.preview import preview
from perfweb.portal.views.uploads.progress import upload_detail, uploads
from perfweb.portal.views.uploads.upload import upload

register_converter(FileKind, "kind")
register_converter(ModelsKind, "models")
register_converter(ValuesKind, "values")
register_converter(TableKind, "table")
register_converter(Address, "address")

urlpatterns = [
    path("", home, name="home"),
    path("search/", search, name="search"),
    path("changes/", changes, name="changes"),
    path("changes/triage/", changes_triage, name="changes-triage"),
    path("changes/undo/", changes_undo, name="changes-undo"),
    path("changes/feed/", Changes(), name="feed"),
    path("changes/feed/renew/", feed_new, name="feed-renew"),
    path("changes/feed/<str:token>/", Changes(), name="feed-by-token"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("password/", Password.as_view(), name="password"),
    path("invitations/<str:invitation>/", invitation, name="invitation"),
    path("projects/", projects, name="projects"),
    path("project-address/", project_address, name="project-address"),
    path("projects/<slug:project>/", project_page, name="project"),
    path("projects/<slug:project>/members/<str:username>/remove/", member_remove, name="member-remove"),
    path("projects/<slug:project>/demo/", demo_copy, name="demo-copy"),
    path("projects/<slug:project>/invitations/", invitation_new, name="invitation-new"),
    path("projects/<slug:project>/invitations/<int:pk>/revoke/", invitation_end, name="invitation-revoke"),
    path("projects/<slug:project>/tokens/", tokens, name="tokens"),
    path("projects/<slug:project>/tokens/<int:pk>/revoke/", token_end, name="token-revoke"),
    path("projects/<slug:project>/uploads/", uploads, name="uploads"),
    path("projects/<slug:project>/notices/", notices, name="notices"),
    path("projects/<slug:project>/notices/<int:pk>/remove/", webhook_end, name="webhook-remove"),
    path("plan/", first_plan, name="first-plan"),
    path("upload/", upload, name="upload"),
    path("upload/address/", application_address, name="application-address"),
    path("upload/from-a-job/", from_job, name="from-job"),
    path("client/perfweb.py", client, name="client"),
    path("uploads/<int:pk>/", upload_detail, name="upload-detail"),
    path("uploads/<int:pk>/preview/", preview, name="upload-preview"),
    path("uploads/<int:pk>/file/", upload_file, name="upload-file"),
    path("help/", help_contents, name="help"),
    path("help/all/", help_all, name="help-all"),
    path("help/in-short/", help_short, name="help-short"),
    path("help/rest/", rest, name="rest"),
    path("help/mathematics/", help_mathematics, name="help-mathematics"),
    path("help/accuracy/", help_accuracy, name="help-accuracy"),
    path("help/<slug:chapter>/", help_chapter, name="help-chapter"),
    path("a/<slug:project>/<address:application>/", application, name="application"),
    path("a/<slug:project>/<address:application>/history/", history, name="history"),
    path("a/<slug:project>/<address:application>/forecasts/", forecasts, name="forecasts"),
    path("a/<slug:project>/<address:application>/compare/", compare, name="compare"),
    path("a/<slug:project>/<address:application>/changes/", application_changes, name="application-changes"),
    path("a/<slug:project>/<address:application>/changes/<int:pk>/", change, name="change"),
    path("a/<slug:project>/<address:application>/changes/silences/", silences, name="silences"),
    path(
        "a/<slug:project>/<address:application>/changes/silences/<int:pk>/end/",
        silence_remove,
        name="silence-end",
    ),
    path("a/<slug:project>/<address:application>/reports/", reports, name="reports"),
    path("a/<slug:project>/<address:application>/reports/new/", report_new, name="report-new"),
    path("a/<slug:project>/<address:application>/reports/<int:pk>/", report, name="report"),
    path("a/<slug:project>/<address:application>/reports/<int:pk>/since/", report_since, name="report-since"),
    path(
        "a/<slug:project>/<address:application>/reports/<int:pk>/delete/", report_remove, name="report-delete"
    ),
    path("a/<slug:project>/<address:application>/reports/<int:pk>/links/", report_share, name="report-share"),
    path(
        "a/<slug:project>/<address:application>/reports/<int:pk>/links/<int:link>/revoke/",
        report_unshare,
        name="report-unshare",
    ),
    path("a/<slug:project>/<address:application>/kernels/join/", kernels_join, name="kernels-join"),
    path("a/<slug:project>/<address:application>/planner/", planner, name="planner"),
    path("a/<slug:project>/<address:application>/planner/profile/", plan_profile, name="plan-profile"),
    path("a/<slug:project>/<address:application>/planner/<int:pk>/", plan, name="plan"),
    path("a/<slug:project>/<address:application>/planner/<int:pk>/drop/", plan_give_up, name="plan-drop"),
    path(
        "a/<slug:project>/<address:application>/planner/<int:pk>/script.<slug:kind>",
        plan_script,
        name="plan-script",
    ),
    path(
        "a/<slug:project>/<address:application>/planner/filter.<slug:kind>", plan_filter, name="plan-filter"
    ),
    path(
        "a/<slug:project>/<address:application>/settings/", application_settings, name="application-settings"
    ),
    path("a/<slug:project>/<address:application>/targets/<int:pk>/", target_change, name="target-change"),
    path(
        "a/<slug:project>/<address:application>/expectations/<int:pk>/remove/",
        expectation_end,
        name="expectation-end",
    ),
    path("a/<slug:project>/<address:application>/badge.svg", badge, name="badge"),
    path("a/<slug:project>/<address:application>/badge/", badge_change, name="badge-change"),
    path("badge/<str:secret>.svg", badge_public, name="badge-public"),
    path("a/<slug:project>/<path:asked>/", application_named, name="application-named"),
    path("shared/<str:token>/", shared_report, name="shared-report"),
    path("campaigns/<int:campaign_id>/", campaign, name="campaign"),
    path("campaigns/<int:campaign_id>/model-again/", campaign_model, name="campaign-model"),
    path("campaigns/<int:campaign_id>/modelers/", campaign_modelers, name="campaign-modelers"),
    path(
        "campaigns/<int:campaign_id>/modelers/change/",
        campaign_modelers_change,
        name="campaign-modelers-change",
    ),
    path("campaigns/<int:campaign_id>/parameters/", run_parameters, name="campaign-parameters"),
    path("campaigns/<int:campaign_id>/delete/", campaign_remove, name="campaign-delete"),
    path("campaigns/<int:campaign_id>/values.<values:kind>", campaign_values, name="campaign-values"),
    path("campaigns/<int:campaign_id>/models.<models:kind>", campaign_models, name="campaign-models"),
    path("campaigns/<int:campaign_id>/tree/", campaign_tree, name="campaign-tree"),
    path("campaigns/<int:campaign_id>/kernels.<table:kind>", campaign_export, name="campaign-export"),
    path("campaigns/<int:campaign_id>/kernels/<int:kernel_id>/", kernel, name="kernel"),
    path(
        "campaigns/<int:campaign_id>/kernels/<int:kernel_id>/surface.json",
        kernel_surface,
        name="kernel-surface",
    ),
    path(
        "campaigns/<int:campaign_id>/kernels/<int:kernel_id>/data.<kind:kind>",
        kernel_data,
        name="kernel-data",
    ),
]
