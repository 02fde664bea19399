"""Writes campaigns: receives an upload, reads it, stores its content, and deletes it."""

from ingest.services.campaigns import application_ensure, campaign_store
from ingest.services.deleting import campaign_delete, version_delete
from ingest.services.dependencies import dependencies_remove, dependencies_store, dependencies_write
from ingest.services.growing import campaigns_settle
from ingest.services.previews import preview_discard, preview_reread, preview_store, previews_forget
from ingest.services.rereading import campaign_numbers, campaign_reread, parameters_choose
from ingest.services.uploads import upload_ingest, upload_receive

__all__ = [
    "application_ensure",
    "campaign_delete",
    "campaign_numbers",
    "campaign_reread",
    "campaign_store",
    "campaigns_settle",
    "dependencies_remove",
    "dependencies_store",
    "dependencies_write",
    "parameters_choose",
    "preview_discard",
    "preview_reread",
    "preview_store",
    "previews_forget",
    "upload_ingest",
    "upload_receive",
    "version_delete",
]
