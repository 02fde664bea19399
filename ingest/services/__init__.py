"""What writes campaigns: receiving an upload, reading it, storing what it holds."""

from ingest.services.campaigns import campaign_store
from ingest.services.uploads import upload_ingest, upload_receive

__all__ = ["campaign_store", "upload_ingest", "upload_receive"]
