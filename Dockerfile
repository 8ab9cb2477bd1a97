# The runtime as an image: built from the sources here and the public npm registry, run without root.
#   docker build -t sluice .
#   docker run -p 127.0.0.1:8080:8080 -v sluice-data:/data -e SERVICE_DEPLOY_TOKEN=… sluice
# See docs/operations/container.md.

FROM node:24.21.0-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
RUN npm run build
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error

FROM node:24.21.0-slim
ENV NODE_ENV=production \
    SERVICE_HOST=0.0.0.0 \
    SERVICE_PORT=8080 \
    SERVICE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
RUN mkdir /data && chown node:node /data && chmod 0700 /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT}/_api/health?probe=live`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/packages/cli/bin/sluice.cjs"]
CMD ["run"]
