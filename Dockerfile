# The service, with S3 and PostgreSQL. Wheels are checked against the lock's hashes; it runs as a user without rights,
# on a read-only root, and keeps all that it keeps (index, segments, cache, lakemuster.toml) in one volume:
#
#   docker build --tag lakemuster .
#   docker run --read-only --publish 8181:8181 --volume lakemuster:/data --env LAKEMUSTER_TOKENS=/data/tokens.toml lakemuster
#
# Without a tokens file it refuses to listen to the network: give it one, or say `lakemuster serve --insecure-public`.
ARG PYTHON=3.13-slim-bookworm

FROM python:${PYTHON} AS build
COPY requirements-server.lock /tmp/requirements.lock
RUN python -m venv /opt/venv \
 && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-compile \
    --require-hashes --only-binary :all: --requirement /tmp/requirements.lock \
 && /opt/venv/bin/pip uninstall --yes pip
# What nothing here imports: the packages' own tests, headers and sources, Arrow Flight and its S3 client, libraries under
# several names, the second backend of zstandard, and botocore's models of services that no storage or catalog asks.
RUN cd /opt/venv/lib/python3*/site-packages \
 && find . -depth -type d \( -name tests -o -name include -o -path ./sqlalchemy/testing -o -path ./pyarrow/src \) \
    -not -path '*.dist-info/*' -exec rm -r '{}' + \
 && find . -type f \( -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi' -o -name '*.pyi' -o -name '*.[ch]' -o -name '*.a' \) \
    -not -path '*.dist-info/*' -delete \
 && rm pyarrow/*flight* \
 && rm pyarrow/libarrow_s3.* pyarrow/_s3fs.* pyarrow/libarrow_*.so pyarrow/libarrow_*.so.*.*.* zstandard/_cffi.* \
 && find botocore/data -mindepth 1 -maxdepth 1 -type d -not -name s3 -not -name sts -not -name sso -not -name sso-oidc \
    -not -name signin -not -name glue -exec rm -r '{}' +
COPY app /opt/lakemuster/app
COPY migrations /opt/lakemuster/migrations
RUN printf '%s\n' '#!/opt/venv/bin/python' 'from lakemuster.cli import app' 'app()' > /opt/venv/bin/lakemuster \
 && chmod 755 /opt/venv/bin/lakemuster \
 && /opt/venv/bin/python -m compileall -q /opt/venv/lib /opt/lakemuster

FROM python:${PYTHON}
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin lakemuster \
 && install --directory --owner lakemuster --group lakemuster --mode 0750 /data
COPY --from=build /opt /opt
ENV PATH=/opt/venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONPATH=/opt/lakemuster/app \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/data \
    LAKEMUSTER_HOST=0.0.0.0 \
    LAKEMUSTER_PORT=8181
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8181
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["python", "-c", "import os, ssl, urllib.request as r\ndef ask(scheme): r.urlopen(f'{scheme}://127.0.0.1:{os.environ[\"LAKEMUSTER_PORT\"]}/healthz', timeout=1, context=ssl._create_unverified_context())\ntry: ask('http')\nexcept OSError: ask('https')"]
ENTRYPOINT ["lakemuster"]
CMD ["serve"]
