"""What writes campaigns: receiving an upload, reading it, storing what it holds."""

from ingest.services.campaigns import campaign_store
from ingest.services.growing import campaigns_settle
from ingest.services.uploads import upload_ingest, upload_receive

__all__ = ["campaign_store", "campaigns_settle", "upload_ingest", "upload_receive"]
