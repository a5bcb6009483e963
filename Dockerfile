# The server's image: `make image`, which first writes build/requirements.txt. See docs/hosting.md.
FROM python:3.11-slim AS packages
COPY build/requirements.txt /tmp/requirements.txt
RUN python -m venv /opt/tablee \
 && /opt/tablee/bin/pip install --no-cache-dir --no-deps --only-binary :all: --require-hashes -r /tmp/requirements.txt

FROM python:3.11-slim
COPY --from=packages /opt/tablee /opt/tablee
COPY LICENSE NOTICE /srv/tablee/
COPY src /srv/tablee/src
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin tablee \
 && install -d -o tablee -g tablee -m 700 /var/cache/tablee /var/lib/tablee \
 && /opt/tablee/bin/python -m compileall -q /srv/tablee/src
ENV PATH=/opt/tablee/bin:$PATH \
    PYTHONPATH=/srv/tablee/src \
    PYTHONUNBUFFERED=1 \
    TABLEE_CACHE=/var/cache/tablee \
    TABLEE_DATA=/var/lib/tablee \
    TABLEE_STATUS=127.0.0.1:9000
WORKDIR /var/lib/tablee
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:9000/healthz', timeout=7)"]
ENTRYPOINT ["python", "-m", "tablee"]
CMD ["serve", "--host", "0.0.0.0"]
