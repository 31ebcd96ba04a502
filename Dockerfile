# One image for every role: api (default), worker, and the operator's command line.
# Debian, not Alpine: Temporal's native part is built for glibc only.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json ./web/
RUN npm ci --ignore-scripts --omit=dev \
 # Temporal ships its native part for every platform; keep this one's.
 && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 -type d \
      ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json ./web/
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY web ./web
RUN npm run build

FROM node:24-bookworm-slim
# docker build --build-arg VERSION=… --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=unreleased REVISION=unknown
LABEL org.opencontainers.image.title="sales-data-webhooks" \
      org.opencontainers.image.description="Signed webhook delivery and API keys for a multi-tenant sales data service" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# glibc gives threads up to 8 heaps for each core; Temporal's native part has many threads, and two heaps are enough.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY scripts/healthcheck.mjs scripts/with-settings.mjs ./scripts/
COPY scripts/lib/file-settings.mjs ./scripts/lib/
USER node
EXPOSE 3000 3001
# It finds out by itself whether this container is an api or a worker.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "scripts/healthcheck.mjs"]
CMD ["node", "dist/server.js"]
