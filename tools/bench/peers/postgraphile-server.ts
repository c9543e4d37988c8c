import { createSecretKey, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * A PostGraphile process with its documented production setup: the library on Node's HTTP server. It runs in the folder
 * where PostGraphile is installed.
 */
const require = createRequire(join(process.cwd(), 'package.json'));
const { Pool } = require('pg');
const { postgraphile } = require('postgraphile') as {
  postgraphile(pool: unknown, schema: string, options: Record<string, unknown>): RequestListener;
};

const {
  PEER_DATABASE: connectionString,
  PEER_PORT: port,
  PEER_SECRET: secret = '',
  PEER_ANONYMOUS: pgDefaultRole,
} = process.env;
const pool = new Pool({ connectionString, max: 16 });
pool.on('error', () => {});
// A secret as text is first tried as a public key for every request, which takes a third of the time.
const key = createSecretKey(Buffer.from(secret));
const answer = postgraphile(pool, 'public', {
  jwtPublicKey: (_: unknown, done: (error: null, key: KeyObject) => void) => done(null, key),
  jwtVerifyOptions: { algorithms: ['HS256'] },
  pgDefaultRole,
  graphiql: false,
  watchPg: false,
  subscriptions: false,
  enableQueryBatching: false,
  disableQueryLog: true,
  disableDefaultMutations: true,
  dynamicJson: true,
  legacyRelations: 'omit',
  setofFunctionsContainNulls: false,
  retryOnInitFail: false,
});
createServer(answer).listen(Number(port), '127.0.0.1');
