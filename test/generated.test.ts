import { describe, expect, it } from 'vitest';
import { operations } from '../src/app.ts';
import { openApiDocument } from '../src/http/openapi.ts';
import { version } from '../src/version.ts';
import { createDatabase, superuser } from './support/database.ts';
import { dumpSchema } from './support/schema-dump.ts';

/** What is made from the code and committed beside it. `npm run generate` makes it anew. */
describe('generated files', () => {
  it('openapi.json is what the service serves', async () => {
    await expect(`${JSON.stringify(openApiDocument(operations, version), null, 2)}\n`).toMatchFileSnapshot(
      '../openapi.json',
    );
  });

  it('docs/schema.sql is what the migrations make', async () => {
    await expect(await dumpSchema(await superuser(await createDatabase()))).toMatchFileSnapshot('../docs/schema.sql');
  });
});
