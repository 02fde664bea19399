"""The settings, read from the environment. Without any variable, they are those of `manage.py up`.

| variable                | meaning                                           | default              |
| ----------------------- | ------------------------------------------------- | -------------------- |
| DATABASE_URL            | PostgreSQL                                        | the data folder's    |
| REDIS_URL               | Redis or Valkey: broker and cache                 | the data folder's    |
| PERFWEB_DATA            | folder of uploads, collected static files         | .perfweb, see below  |
| PERFWEB_SECRET_KEY      | signs sessions                                    | the data folder's    |
| PERFWEB_HOSTS           | host names besides localhost, with commas between |                      |
| PERFWEB_HTTPS           | pages come over https: secure cookies, HSTS       | false                |
| PERFWEB_PROXY_NAMES_CLIENT | a proxy appends its client to X-Forwarded-For  | false                |
| PERFWEB_LOG_LEVEL       | level of the log on standard error                | INFO                 |
| PERFWEB_UPLOAD_BYTES    | the largest file that is taken                    | 512 MiB              |
| PERFWEB_WORKERS         | processes of a Celery worker                      | 2                    |
| PERFWEB_URL             | where people find the portal, for links in mails  | its own address      |
| PERFWEB_SMTP_HOST       | host of the mail server; empty: no e-mail is sent |                      |
| PERFWEB_SMTP_PORT       | port of the mail server                           | 25                   |
| PERFWEB_SMTP_SECURITY   | encryption of mail: none, starttls or tls         | none                 |
| PERFWEB_SMTP_USER       | user name on the mail server; empty: no sign-in   |                      |
| PERFWEB_SMTP_PASSWORD   | password on the mail server                       |                      |
| PERFWEB_MAIL_FROM       | sender of e-mail                                  | perfweb@localhost    |
| PERFWEB_WEBHOOKS_PRIVATE | webhooks may lead into the portal's own network  | false                |

The data folder is in the checkout; where perfweb is installed, in the folder that it is started from.
"""

from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from perfweb.launcher.folder import DataFolder

env = environ.Env()


def _switch(name: str) -> bool:
    """Return the value of a variable that is true or false; false if it is not set."""
    value: str = env.str(name, default="false").lower()
    if value not in ("true", "false"):
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")
    return value == "true"


def _count(name: str, default: int) -> int:
    """Return the value of a variable that is a whole number above 0."""
    value: str = env.str(name, default=str(default))
    if not value.isascii() or not value.isdigit() or int(value) == 0:
        raise ImproperlyConfigured(f"{name} must be a whole number above 0, not {value!r}.")
    return int(value)


def _choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """Return the value of a variable that is one of a few words."""
    value: str = env.str(name, default=default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {value!r}.")
    return value


def _address(name: str, default: str) -> str:
    """Return the value of a variable that is the address of a web server."""
    value: str = env.str(name, default=default)
    if not value.startswith(("http://", "https://")):
        raise ImproperlyConfigured(f"{name} must begin with http:// or https://, not {value!r}.")
    return value.rstrip("/")


PACKAGE = Path(__file__).resolve().parent
INSTALLED = (PACKAGE / "templates").is_dir()
"""Whether perfweb is installed from a wheel; templates and static files are then inside the package."""
PAGES_DIR = PACKAGE if INSTALLED else PACKAGE.parent
HOME_DIR = Path.cwd() if INSTALLED else PACKAGE.parent
DATA_DIR = Path(env.str("PERFWEB_DATA", default=str(HOME_DIR / ".perfweb"))).absolute()

EMBEDDED = DataFolder(DATA_DIR)
NO_SECRET = "no secret was set"  # noqa: S105 -- refused by a check, never used to sign
SECRET_KEY = env.str("PERFWEB_SECRET_KEY", default=EMBEDDED.secret_key() or NO_SECRET)
DEBUG = False
ALLOWED_HOSTS = [*env.list("PERFWEB_HOSTS", default=[]), "localhost", "127.0.0.1", "[::1]"]
HTTPS = _switch("PERFWEB_HTTPS")
PROXY_NAMES_CLIENT = _switch("PERFWEB_PROXY_NAMES_CLIENT")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "django_htmx",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "perfweb",
    "perfweb.accounts",
    "perfweb.portal",
    "ingest",
    "modeling",
    "perfweb.notices",
]

MIDDLEWARE = [
    "perfweb.logs.request_id.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "perfweb.http.request_limits.RequestLimitsMiddleware",
    "perfweb.http.private_pages.PrivatePagesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "perfweb.http.unsent_forms.UnsentFormsMiddleware",
]

ROOT_URLCONF = "perfweb.urls"
WSGI_APPLICATION = "perfweb.wsgi.application"
AUTH_USER_MODEL = "accounts.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",  # guessing takes much memory; checking takes 0.1 s
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PAGES_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
        },
    }
]

# Servers: those of the data folder, unless the environment names others.
DATABASES = {
    "default": env.db_url("DATABASE_URL", default=EMBEDDED.database_url)
    | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
}
# If a worker or its machine dies, PostgreSQL must release the worker's locks. With these options the server
# notices a dead machine within half a minute, and a dead worker also during a long statement.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault(
    "options",
    "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4"
    " -c client_connection_check_interval=2000",
)
# A server that does not answer must not block every page. Without these options, a page that uses an open
# connection to a machine that has died waits for a quarter of an hour.
PATIENT = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4, "tcp_user_timeout": 30_000}
DATABASES["default"]["OPTIONS"] = {"connect_timeout": 5} | PATIENT | DATABASES["default"]["OPTIONS"]
if DATABASES["default"]["ENGINE"] != "django.db.backends.postgresql":
    raise ImproperlyConfigured(
        "DATABASE_URL must begin with postgres://: perfweb relies on PostgreSQL's arrays."
    )
REDIS_URL = env.str("REDIS_URL", default=EMBEDDED.redis_url)
if not REDIS_URL.startswith(("redis://", "rediss://", "unix://")):
    raise ImproperlyConfigured("REDIS_URL must begin with redis://, rediss:// or unix:// (a socket's path).")
BROKER_PATIENCE = {"socket_connect_timeout": 3, "socket_timeout": 3}  # seconds, as above
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": BROKER_PATIENCE,
    }
}

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 1800
CELERY_TASK_SOFT_TIME_LIMIT = 1740
# A worker serves all queues and takes from each in turn, so no message waits for all earlier messages.
# Portions of large campaigns have a separate queue, so that they do not delay small campaigns. The sweepers'
# queue is read before all others. The adaptive modeler takes half a minute or more. A separate worker serves
# its queue, so that no other models wait for it.
QUEUES = ("ingest", "modeling", "portions", "notices", "upkeep", "adaptive")
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in QUEUES]
CELERY_TASK_DEFAULT_QUEUE = "ingest"
CELERY_TASK_ROUTES = {
    "ingest.tasks.uploads_sweep": {"queue": "upkeep"},
    "ingest.tasks.campaigns_settle": {"queue": "upkeep"},
    "modeling.tasks.runs_sweep": {"queue": "upkeep"},
    "perfweb.notices.tasks.notices_sweep": {"queue": "upkeep"},
    "modeling.tasks.portion_execute": {"queue": "portions"},
    "modeling.tasks.portion_adapt": {"queue": "adaptive"},
    "modeling.tasks.run_judge": {"queue": "portions"},
    "ingest.*": {"queue": "ingest"},
    "modeling.*": {"queue": "modeling"},
    "perfweb.notices.*": {"queue": "notices"},
}
# Lost messages are sent again by the sweepers.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = _count("PERFWEB_WORKERS", 2)
# KiB; a process that uses more is replaced, see `worker_process`
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 700_000
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "queue_order_strategy": "perfweb.workers.queue_order:UpkeepFirst",
    **BROKER_PATIENCE,
}
CELERY_BEAT_SCHEDULE = {
    "uploads": {"task": "ingest.tasks.uploads_sweep", "schedule": 5.0, "options": {"expires": 10}},
    "campaigns": {"task": "ingest.tasks.campaigns_settle", "schedule": 2.0, "options": {"expires": 4}},
    "runs": {"task": "modeling.tasks.runs_sweep", "schedule": 5.0, "options": {"expires": 10}},
    "notices": {"task": "perfweb.notices.tasks.notices_sweep", "schedule": 5.0, "options": {"expires": 10}},
}

# Notices
PORTAL_URL = _address("PERFWEB_URL", "http://localhost:8000")
EMAIL_HOST = env.str("PERFWEB_SMTP_HOST", default="")
EMAIL_PORT = _count("PERFWEB_SMTP_PORT", 25)
EMAIL_HOST_USER = env.str("PERFWEB_SMTP_USER", default="")
EMAIL_HOST_PASSWORD = env.str("PERFWEB_SMTP_PASSWORD", default="")
SMTP_SECURITY = _choice("PERFWEB_SMTP_SECURITY", "none", ("none", "starttls", "tls"))
EMAIL_USE_TLS, EMAIL_USE_SSL = SMTP_SECURITY == "starttls", SMTP_SECURITY == "tls"
EMAIL_TIMEOUT = 10  # seconds; a mail server that does not answer must not block a worker
DEFAULT_FROM_EMAIL = env.str("PERFWEB_MAIL_FROM", default="perfweb@localhost")
WEBHOOKS_PRIVATE = _switch("PERFWEB_WEBHOOKS_PRIVATE")

# Files
MEDIA_ROOT = DATA_DIR / "files"
NETWORK_ROOT = DATA_DIR / "networks"  # networks adapted to campaigns; missing ones are computed again
FILE_UPLOAD_TEMP_DIR = None
FILE_UPLOAD_PERMISSIONS = 0o600  # only the owner may read them, because the machine may be shared
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700
UPLOAD_BYTES = _count("PERFWEB_UPLOAD_BYTES", 512 * 1024 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"

STATICFILES_DIRS = [PAGES_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "perfweb.http.static_files.PackageFinder",
]
PACKAGE_FILES = {  # the few files of installed packages that pages load
    "plotly": ("package_data", ["plotly.min.js"]),
    "django_htmx": ("static/django_htmx", ["htmx-2.min.js"]),
}
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# The content security policy: a browser loads only what comes from the portal itself.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "manifest-src": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = 14 * 24 * 3600
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if not host.startswith("[")]

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "perfweb.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "perfweb.api.problems.exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "perfweb",
    "DESCRIPTION": "Performance experiments: upload campaigns, read models, history and comparisons.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "perfweb.api.schema_hooks.complete",
    ],
    "ENUM_NAME_OVERRIDES": {
        "UploadState": "ingest.models.Upload.State",
        "WorkState": "modeling.models.State",
        "VerdictEnum": "modeling.verdicts.VERDICTS",
        "ModelerEnum": "modeling.engine.MODELERS",
    },
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "OAS_VERSION": "3.1.0",  # its schemas are JSON Schema, so that tests can validate answers
}

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False
USE_THOUSAND_SEPARATOR = False

LOG_LEVEL = _choice("PERFWEB_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "perfweb.logs.request_id.RequestIdFilter"}},
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} {request_id} {message}", "style": "{"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request_id"]},
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
}
