# One image for every role: api (default), worker, and the operator's command line.
# Debian, not Alpine: Temporal's native part is built for glibc only.
# By its digest a build is the same tomorrow; docs/operating/run.md says how to find it.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json ./web/
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY web ./web
RUN npm run build && node scripts/image-tree.mjs /image

FROM ${NODE_IMAGE}
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
COPY --from=build /image/node_modules ./node_modules
COPY --from=build /image/package.json ./
COPY --from=build /image/dist ./dist
COPY --from=build /image/scripts ./scripts
USER node
EXPOSE 3000 3001
# It finds out by itself whether this container is an api or a worker.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "scripts/healthcheck.mjs"]
CMD ["node", "dist/server.js"]
