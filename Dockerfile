# The compiler and the tests' tools stay in the first stage.
FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY dashboard dashboard
COPY scripts scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm ci
# Not `npm prune`: .npmrc asks for the build tools, and the command line overrides it.
# The dashboard is built, so its workspace is left out; so is the compiler, which a package names as an optional peer.
RUN npm ci --omit=dev --include=prod --workspaces=false --ignore-scripts \
  && rm -rf dist/dev node_modules/typescript node_modules/@typescript \
  && npm rebuild

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY migrations migrations
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
