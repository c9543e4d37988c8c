/**
 * A custom endpoint of Directus, for work that one request to /items cannot do. Both jobs use its ItemsService in one
 * transaction. Directus loads this file directly, so it has no imports.
 */
interface Items {
  readByQuery(query: object): Promise<Record<string, unknown>[]>;
  readOne(id: unknown, query: object): Promise<Record<string, unknown>>;
  createOne(item: object): Promise<unknown>;
  updateOne(id: unknown, item: object): Promise<unknown>;
}

interface Context {
  services: { ItemsService: new (collection: string, options: object) => Items };
  /** Knex. */
  database: { transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T> } & Transaction;
}

type Transaction = (table: string) => {
  where(condition: object): ReturnType<Transaction>;
  whereNull(column: string): ReturnType<Transaction>;
  update(values: object, returning: string[]): Promise<Record<string, unknown>[]>;
};

interface Guest {
  email: string;
  mobile_number: string;
  first_name: string;
  last_name: string;
  source_id: number;
  allow_email: boolean;
  unit_id: number;
  group_id: number;
}

interface Request {
  body: unknown;
  schema: object;
  accountability: { admin: boolean } | null;
}

interface Response {
  status(code: number): Response;
  json(body: object): void;
}

type Handler = (request: Request, response: Response, next: (error: unknown) => void) => Promise<void>;

const contactFields = [
  ...['id', 'email', 'mobile_number', 'first_name', 'last_name', 'source_id', 'allow_email'],
  ...['created_at', 'updated_at'],
];

export default {
  id: 'guests',
  handler: (router: { post(path: string, handler: Handler): void }, { services, database }: Context) => {
    const { ItemsService } = services;

    router.post('/contact', async ({ body, schema, accountability }, response, next) => {
      if (!accountability?.admin) return void response.status(403).json({ error: 'An admin token is needed.' });
      try {
        const data = await database.transaction(async (knex) => {
          // The caller's rights are already checked. With accountability, Directus would check every item again.
          const items = (collection: string) => new ItemsService(collection, { knex, schema });
          const contacts = items('contacts');
          const { unit_id, group_id, ...sent } = body as Guest;
          const contact = { ...sent, email: sent.email.toLowerCase() };
          const { email, mobile_number, source_id, allow_email } = contact;
          const [known] = await items('identities').readByQuery({
            filter: { kind: { _eq: 'email' }, value: { _eq: email } },
            fields: ['contact_id'],
            limit: 1,
          });
          const consent = { channel: 'email', to_given: allow_email, source_id };
          let id: unknown;
          if (!known) {
            id = await contacts.createOne({
              ...contact,
              identities: [
                { kind: 'email', value: email },
                { kind: 'mobile', value: mobile_number },
              ],
              units: [{ unit_id }],
              groups: [{ group_id }],
              consents: allow_email ? [{ ...consent, from_given: false }] : [],
            });
          } else {
            id = known.contact_id;
            const before = await contacts.readOne(id, {
              fields: ['allow_email', 'identities.kind', 'identities.value', 'units.unit_id', 'groups.group_id'],
            });
            const has = (field: string, wanted: Record<string, unknown>) =>
              (before[field] as Record<string, unknown>[]).some((one) =>
                Object.entries(wanted).every(([key, value]) => one[key] === value),
              );
            const adding = (field: string, wanted: Record<string, unknown>) => ({
              create: has(field, wanted) ? [] : [wanted],
            });
            await contacts.updateOne(id, {
              ...contact,
              updated_at: new Date(),
              identities: adding('identities', { kind: 'mobile', value: mobile_number }),
              units: adding('units', { unit_id }),
              groups: adding('groups', { group_id }),
              consents: {
                create: before.allow_email === allow_email ? [] : [{ ...consent, from_given: before.allow_email }],
              },
            });
          }
          return contacts.readOne(id, { fields: contactFields });
        });
        response.json({ data });
      } catch (error) {
        next(error);
      }
    });

    // Its services read items first and write them by key. Only one conditional UPDATE redeems a code once.
    router.post('/redeem', async ({ body, accountability }, response, next) => {
      if (!accountability?.admin) return void response.status(403).json({ error: 'An admin token is needed.' });
      try {
        const { unique_code, group_id, unit_id } = body as { unique_code: string; group_id: number; unit_id: number };
        const [data] = await database('unique_codes')
          .where({ unique_code: unique_code.toUpperCase(), group_id })
          .whereNull('redeemed_at')
          .update({ redeemed_at: new Date(), redeemed_unit_id: unit_id }, [
            ...['id', 'unique_code', 'group_id', 'redeemed_at', 'redeemed_unit_id'],
          ]);
        if (data) response.json({ data });
        else response.status(409).json({ error: 'There is no such code, or it is redeemed already.' });
      } catch (error) {
        next(error);
      }
    });
  },
};
