# The runtime as an image: built from the sources here and the public npm registry, run without root.
#   docker build -t sluice .
#   docker run -p 127.0.0.1:8080:8080 -v sluice-data:/data -e SERVICE_DEPLOY_TOKEN=… sluice
# See docs/operations/container.md.

# The packages that the runtime needs, in the versions of the lock file. This Node includes SQLite, so no optional package is needed.
FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json packages/cli/
RUN npm ci --workspace sluice --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error && rm node_modules/sluice

# The packages that the build needs are installed again only when a manifest or the lock file changes.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/connector-kit/package.json packages/connector-kit/
COPY packages/connectors/package.json packages/connectors/
COPY packages/designer/package.json packages/designer/
COPY packages/engine/package.json packages/engine/
COPY packages/flow-tests/package.json packages/flow-tests/
COPY packages/mapping/package.json packages/mapping/
COPY packages/model/package.json packages/model/
COPY packages/server/package.json packages/server/
COPY packages/standard/package.json packages/standard/
COPY packages/testkit/package.json packages/testkit/
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY LICENSE tsconfig.json tsconfig.base.json ./
COPY scripts scripts
COPY packages packages
RUN npm run build && npm pack --workspace sluice && mkdir package && tar -xzf sluice-*.tgz -C package --strip-components=1

FROM node:24.21.0-slim
ENV NODE_ENV=production \
    SERVICE_HOST=0.0.0.0 \
    SERVICE_PORT=8080 \
    SERVICE_DATA_DIR=/data
# Packages that an image based on this one installs here are found by the runtime: see deploy/cluster/Dockerfile.
WORKDIR /app
RUN mkdir /data && chown node:node /data && chmod 0700 /data
COPY --from=build /app/package ./sluice
COPY --from=dependencies /app/node_modules ./sluice/node_modules
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT}/_api/health?probe=live`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/sluice/bin/sluice.cjs"]
CMD ["run"]
