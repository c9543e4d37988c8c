import type { Random } from '../../../src/shared/random.ts';
import type { Operation, Shape } from './document.ts';
import { type Code, type Delivery, type Fixture, password, type Visitor } from './fixture.ts';

/** Valid values for the fields of one request. */
export class ValidValues {
  readonly #chance: Random;
  readonly #fixture: Fixture;
  readonly #operation: Operation;
  readonly #visitor: Visitor | undefined;
  readonly #code: Code | undefined;
  readonly #delivery: Delivery | undefined;

  constructor(chance: Random, fixture: Fixture, operation: Operation, visitor: Visitor | undefined) {
    this.#chance = chance;
    this.#fixture = fixture;
    this.#operation = operation;
    this.#visitor = visitor;
    const wanted = operation.path.endsWith('/unassign');
    const codes = fixture.codes.filter(({ assigned }) => assigned === wanted);
    this.#code = codes.length > 0 ? chance.pick(codes) : undefined;
    this.#delivery = fixture.deliveries.length > 0 ? chance.pick(fixture.deliveries) : undefined;
  }

  inPath(name: string, before: string): number {
    const { path, method } = this.#operation;
    const fixture = this.#fixture;
    // Our own account may be changed (its time zone, for example), but not deleted.
    if (name === 'account_id')
      return path === '/admin/v1/accounts/{account_id}' && method === 'DELETE'
        ? fixture.pick(this.#chance, 'spare_account_id')
        : fixture.account.id;
    if (name === 'unique_code_group_id' && path.endsWith('/assign')) return this.#code?.unique_code_group_id ?? 0;
    if (path.includes('{delivery_id}') && name === 'webhook_id') return this.#delivery?.webhook_id ?? 0;
    if (name === 'delivery_id') return this.#delivery?.id ?? 0;
    return fixture.pick(this.#chance, name === 'id' ? before : name);
  }

  /** The example, with ids and references that exist. */
  settle(example: unknown, name = ''): unknown {
    const known = this.#known(name, example);
    if (known !== undefined) return known;
    if (Array.isArray(example)) return example.map((one) => this.settle(one, `${name}[]`));
    if (typeof example !== 'object' || example === null) return example;
    return Object.fromEntries(Object.entries(example).map(([key, value]) => [key, this.settle(value, key)]));
  }

  /** A value of this shape, with all required fields and some optional ones. */
  sample(shape: Shape, name: string, depth = 0): unknown {
    const chance = this.#chance;
    if (shape.enum) return chance.pick(shape.enum);
    const known = this.#known(name, shape.examples?.[0]);
    if (known !== undefined) return known;
    if (shape.type === 'object') {
      const fields = Object.entries(shape.properties ?? {}).filter(
        ([key]) => shape.required?.includes(key) || (!skipped.has(`${name}.${key}`) && chance.percent(depth ? 50 : 30)),
      );
      return Object.fromEntries(
        fields.map(([key, field]) => [key, this.sample(field, key === 'id' ? `${name}.id` : key, depth + 1)]),
      );
    }
    if (shape.type === 'array')
      return Array.from({ length: chance.between(1, 2) }, () => this.sample(shape.items ?? {}, `${name}[]`, depth + 1));
    if (shape.type === 'boolean') return chance.once(2);
    return shape.examples?.[0] ?? (shape.type === 'string' ? 'text' : 1);
  }

  #known(name: string, example: unknown): unknown {
    const [chance, fixture, { path }] = [this.#chance, this.#fixture, this.#operation];
    switch (name) {
      case 'account_id':
        return fixture.account.id;
      case 'account_ids':
        return [fixture.account.id];
      case 'contact_ids':
        return [fixture.pick(chance, 'contact_id')];
      case 'unit_id':
      case 'contact_id':
      case 'folder_id':
      case 'group_id':
      case 'user_id':
        return fixture.pick(chance, name);
      case 'units[].id':
        return fixture.pick(chance, 'unit_id');
      case 'udfs[].id':
        return fixture.pick(chance, 'udfs');
      case 'source_id':
        return path.startsWith('/v1/contact') ? fixture.pick(chance, 'sources') : 3;
      case 'category_id':
        return fixture.pick(chance, 'feedback_categories');
      case 'booking_enquiry_source_id':
        return chance.pick([1, 9, 10]);
      case 'unique_code_group_id':
      case 'unique_code':
        return path.startsWith('/v1/purchases') ? undefined : this.#code?.[name];
      case 'name':
        return path === '/v1/contact' ? chance.pick(['Newsletter', 'VIP']) : fixture.fresh('Name');
      case 'email':
        if (this.#visitor) return this.#visitor.email;
        if (path === '/v1/contacts' && fixture.emails.length > 0) return chance.pick(fixture.emails);
        return path.includes('users')
          ? `${fixture.fresh('u').replace(' ', '')}@gmail.com`
          : `guest${chance.below(300)}@gmail.com`;
      case 'mobile_number':
        return `0770${String(chance.below(300)).padStart(7, '0')}`;
      case 'password':
      case 'current_password':
        return password;
      case 'domain':
        return `${fixture.fresh('d').replace(' ', '')}.co.uk`;
      case 'booking_reference':
        return fixture.bookings.length > 0 && chance.once(2)
          ? chance.pick(fixture.bookings)
          : path === '/v1/bookings'
            ? fixture.bookings[0]
            : `B-${chance.below(500)}`;
      case 'transaction_reference':
      case 'stay_reference':
        return `R-${chance.below(500)}`;
      case 'definition':
        return chance.pick([
          { field: 'city', op: 'is', value: 'Bristol' },
          {
            any: [
              { field: 'unit', op: 'in', value: [fixture.pick(chance, 'unit_id')] },
              { field: 'dob', op: 'known' },
            ],
          },
          {
            not: {
              field: 'visits',
              op: 'at_least',
              value: 1,
              in_last_days: 30,
              unit_ids: [fixture.pick(chance, 'unit_id')],
            },
          },
        ]);
      case 'expires_at':
        return '2999-01-01 00:00:00';
      case 'count':
        return chance.between(1, 20);
      case 'from':
      case 'start_date':
        return '2026-02-01';
      case 'to':
      case 'end_date':
        return '2026-03-31';
      case 'page':
        return chance.between(1, 3);
      default:
        return example === undefined || typeof example === 'object' ? undefined : example;
    }
  }
}

/** Fields that are valid only together with others. They are not generated. */
const skipped = new Set(['.codes', '.group_id', '.before', 'groups[].id', '.format', '.waiting_for']);
