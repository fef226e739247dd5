# Ply's image: Debian slim with the programs that read recordings, Node, the packages, the program, and the embedding
# model. It runs as a user without rights, needs no writable file system besides /data and /tmp, and opens no connection
# while it is built but to Debian, npm and PyPI.

# Both bases may be named anew for a mirror. What runs in the end is Debian's slim image with the Node that
# package-lock.json names; Node's own image only brings npm.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

# The packages, without those of development. No package needs its install script.
FROM ${NODE_IMAGE} AS packages
WORKDIR /ply
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-fund --no-audit \
 && mv node_modules/node-linux-*/bin/node /usr/local/bin/ply-node \
 && rm -rf node_modules/node-linux-* node_modules/.package-lock.json \
 && find node_modules/onnxruntime-node/bin -mindepth 2 -maxdepth 2 ! -name linux -exec rm -r {} + \
 && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -name "$(/usr/local/bin/ply-node -p process.arch)" -exec rm -r {} +

# The embedding model, made by the project's own set-up: digest checked, converted to int8 ONNX.
FROM packages AS model
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-pip \
 && rm -rf /var/lib/apt/lists/*
COPY scripts/setup scripts/setup
COPY adapters/embeddings adapters/embeddings
COPY models models
RUN /usr/local/bin/ply-node --disable-warning=ExperimentalWarning scripts/setup/model.ts

FROM ${DEBIAN_IMAGE} AS program
# Debian's security updates come with each build: versions are not pinned.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates ffmpeg pocketsphinx pocketsphinx-en-us tesseract-ocr tesseract-ocr-eng tini \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 ply \
 && useradd --uid 10001 --gid ply --home-dir /data --no-create-home --shell /usr/sbin/nologin ply \
 && install -d -o ply -g ply -m 0700 /data
COPY --from=packages /usr/local/bin/ply-node /usr/local/bin/node
WORKDIR /ply
COPY --from=packages /ply/node_modules node_modules
COPY --from=model /ply/.cache/models .cache/models
COPY . .
# Node keeps the compiled form of the program here, by user; this start fills it, and proves that the image starts and stops.
RUN install -d -o ply -g ply .cache/compiled
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/ply/.cache/compiled \
    MALLOC_MMAP_THRESHOLD_=131072 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    NODE_OPTIONS="--disable-warning=ExperimentalWarning --v8-pool-size=1" \
    PLY_HOST=0.0.0.0 \
    PLY_DATA_DIR=/data
USER 10001:10001
RUN PLY_DATA_DIR=/tmp/first PLY_BOOTSTRAP_ADMIN_KEY=only-for-this-build-admin PLY_BOOTSTRAP_STANDARD_KEY=only-for-this-build-standard \
    node scripts/setup/try-start.mjs \
 && rm -r /tmp/first

VOLUME ["/data"]
EXPOSE 3000 3030
# Whether the process answers at all; whether its stores do is told by /health/ready.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "scripts/setup/health-check.mjs", "live"]
# Orphans of the programs that read recordings have to be reaped.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "main.ts"]
