# Serves the tables that are mounted as /tables; tests/test_dockerfile.py runs its command without Docker.
FROM python:3.12-slim
COPY . /src
RUN pip install --no-cache-dir /src[serve] && rm -r /src
ENV TBGEN_CACHE=/var/cache/tbgen
RUN install -d -m 700 -o nobody /var/cache/tbgen
USER nobody
VOLUME /tables
EXPOSE 8000
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8000/health', timeout=5)"]
ENTRYPOINT ["tbgen", "serve", "--data", "/tables", "--host", "0.0.0.0"]
CMD ["--name", "localhost"]
