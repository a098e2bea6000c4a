# This is one image for every role. Why the engine is in all of them: docs/adr/0012-one-image.md
#
#   docker build -t millrace .
#   docker run -p 5080:5080 -v millrace:/data millrace
#   docker run -v millrace:/data millrace audit:verify     # in a running one: docker exec … millrace
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /millrace
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY bin bin
COPY apps apps
COPY libs libs
RUN node bin/build.mjs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
# `npm start` sets the same: the engine's calls run on libuv's pool, its allocator gives memory back.
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=32 \
    JE_MALLOC_CONF=dirty_decay_ms:250,muzzy_decay_ms:0 \
    MILLRACE_HTTP_ADDR=0.0.0.0:5080 \
    MILLRACE_STATUS_ADDR=127.0.0.1:9464 \
    MILLRACE_DATA_DIR=/data
RUN install -d -o node -g node -m 0700 /data
WORKDIR /millrace
COPY --from=build /millrace/package.json ./
COPY --from=build /millrace/node_modules node_modules
COPY --from=build /millrace/dist dist
COPY --from=build /millrace/bin bin
RUN ln -s /millrace/bin/millrace.mjs /usr/local/bin/millrace
USER node
VOLUME /data
EXPOSE 5080 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 \
    CMD ["node", "bin/healthcheck.mjs"]
ENTRYPOINT ["millrace"]
CMD ["serve"]
