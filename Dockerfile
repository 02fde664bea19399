FROM python:3.13-slim AS portal

ENV PYTHONUNBUFFERED=1 PERFWEB_DATA=/data OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
WORKDIR /app

COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock

COPY manage.py ./
COPY perfweb perfweb
COPY ingest ingest
COPY modeling modeling
COPY templates templates
COPY static static

RUN useradd --system --uid 10001 perfweb && install -d -o perfweb -m 0700 /data
USER perfweb
VOLUME /data
EXPOSE 8000

CMD ["gunicorn", "perfweb.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", \
     "--threads", "8", "--preload", "--timeout", "120", "--access-logfile", "-", \
     "--logger-class", "perfweb.logs.access_log.AccessLog"]

# What trains the adaptive modeler's networks, 390 MB more: only the service `adapter` needs it.
FROM portal AS adapter
USER root
COPY requirements-adaptive.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements-adaptive.lock
USER perfweb

FROM portal
