import { Conflict, type Tx } from '../../../platform/db/database.ts';
import { readDate } from '../../../shared/formats.ts';
import { pick, type Sparse } from '../../../shared/read.ts';
import { defaultFolder } from '../../venues/groups/schema.ts';
import { ensureGroups, findGroups, findGroupsByName, type GroupName } from '../../venues/groups/store.ts';
import { lookupKinds } from '../../venues/lookups/schema.ts';
import { ensureNamed, existing, findByName } from '../../venues/lookups/store.ts';
import { findUnits } from '../../venues/units/store.ts';
import type { Named } from '../contacts/store.ts';
import { npsCategory } from '../feedback/schema.ts';
import { findUdfs } from '../udfs/store.ts';
import { checkActivity, hasActivity, type Refuse } from './check-activity.ts';
import { type ContactCommand, rulesFor } from './command.ts';

/** A group that a contact is in; without an id as long as it is still to be made. One object a group. */
export interface GroupRef extends GroupName {
  id: number | null;
}

export interface SourceRef {
  id: number | null;
  name: string | null;
}

/** No text that was read holds the character between them. */
const groupKey = ({ unit_id, folder_name, name }: GroupName) =>
  `${unit_id}\0${folder_name.toLowerCase()}\0${name.toLowerCase()}`;

/** Everything that a batch refers to by id or by name, looked up together: units, groups, sources, udfs, categories. */
export class References {
  /** Every account has one, from its first moment to its last. */
  readonly root: Named;
  readonly #units: Map<number, Named>;
  readonly #groups: Map<number, GroupRef>;
  readonly #groupsByName: Map<string, GroupRef>;
  readonly #sources: Set<number>;
  readonly #sourcesByName: Map<string, SourceRef>;
  readonly #udfs: Map<number, 'text' | 'date'>;
  readonly #categories: Set<number>;
  readonly #bookingSources: Set<number>;
  /** What commands that were accepted named, and what is therefore to be made if it is missing. */
  readonly #namedGroups = new Set<GroupRef>();
  readonly #namedSources = new Set<SourceRef>();

  private constructor(loaded: Awaited<ReturnType<typeof lookUp>>) {
    this.#units = new Map(loaded.units.map((unit) => [unit.id, unit]));
    this.root = loaded.units.find((unit) => unit.is_root) as Named;
    this.#groups = new Map(loaded.groups.map((group) => [group.id, { ...group, folder_name: '' }]));
    this.#groupsByName = new Map();
    loaded.groupNames.forEach((wanted, index) => {
      const found = loaded.namedGroups[index];
      const ref = found?.id
        ? this.group({ id: found.id, name: found.name ?? wanted.name, unit_id: wanted.unit_id })
        : { ...wanted, id: null };
      this.#groupsByName.set(groupKey(wanted), ref);
    });
    this.#sources = new Set(loaded.sources);
    this.#sourcesByName = new Map(
      loaded.sourceNames.map((name, index) => [name.toLowerCase(), { id: loaded.namedSources[index] ?? null, name }]),
    );
    this.#udfs = new Map(loaded.udfs.map(({ id, type }) => [id, type]));
    this.#categories = new Set(loaded.categories);
    this.#bookingSources = new Set(loaded.bookingSources);
  }

  static async load(tx: Tx, accountId: number, commands: ContactCommand[]): Promise<References> {
    return new References(await lookUp(tx, accountId, commands));
  }

  /** The one object of a group that exists. */
  group({ id, name, unit_id }: { id: number; name: string; unit_id: number }): GroupRef {
    const ref = this.#groups.get(id) ?? { id, name, unit_id, folder_name: '' };
    this.#groups.set(id, ref);
    return ref;
  }

  /** The command without what refers to nothing; its errors say so. The one given stays as it is, to be tried again. */
  checked(command: ContactCommand, timeZone: string): ContactCommand {
    const errors = command.errors.copy();
    const input = { ...command.input };
    /** What is missing or was written badly has been said. */
    const refuse: Refuse = (path, message) => (errors.fields[path] ? undefined : errors.add(path, message));
    const unitExists = (id: number, path: string): boolean => {
      if (this.#units.has(id)) return true;
      refuse(path, 'The unit id is not a unit of this account.');
      return false;
    };
    if (input.source_id !== undefined && !this.#sources.has(input.source_id)) {
      refuse('source_id', 'The source id is not a source of this account.');
      delete input.source_id;
    }
    // Most commands have few of these lists: what was not sent is not made.
    if (input.units)
      input.units = pick(input.units, (unit, index) => {
        const exists = unitExists(unit.id, `units.${index}.id`);
        const groups = pick(unit.groups, (group, place) => {
          const path = `units.${index}.groups.${place}`;
          if (group.id !== undefined) {
            if (!exists || this.#groups.get(group.id)?.unit_id === unit.id) return group;
            return refuse(`${path}.id`, 'The group id is not a group of this unit.');
          }
          if (group.name !== undefined) return group;
          return errors.fields[`${path}.id`]
            ? undefined
            : refuse(`${path}.name`, 'The name field is required when there is no id.');
        });
        return exists ? { ...unit, groups } : undefined;
      });
    if (input.udfs)
      input.udfs = pick(input.udfs, ({ id, data }, index) => {
        const type = this.#udfs.get(id);
        if (type === undefined) {
          return refuse(`udfs.${index}.id`, 'The id is not a user-defined field of this account.');
        }
        // Blank is no news here too.
        if (data === undefined) return undefined;
        const value = type === 'date' ? readDate(data) : data;
        if (value === undefined) return refuse(`udfs.${index}.data`, 'The data must be a date: yyyy-mm-dd.');
        return { id, data: value };
      });
    if (input.feedback)
      input.feedback = pick(input.feedback, ({ unit_id, comments, ratings, ...feedback }, index) => ({
        ...feedback,
        ...(unit_id !== undefined && unitExists(unit_id, `feedback.${index}.unit_id`) ? { unit_id } : {}),
        comments: pick(comments),
        ratings: pick(ratings, (rating, place) => {
          const path = `feedback.${index}.ratings.${place}`;
          if (!this.#categories.has(rating.category_id)) {
            return refuse(`${path}.category_id`, 'The category id is not a feedback category of this account.');
          }
          if (rating.category_id !== npsCategory || isNps(rating.rating_text)) return rating;
          return refuse(`${path}.rating_text`, 'The rating text must be a number from 0 to 10 for NPS.');
        }),
      }));
    if (input.notes) input.notes = pick(input.notes);
    if (hasActivity(input)) {
      const bookingSourceExists = (id: number) => this.#bookingSources.has(id);
      Object.assign(input, checkActivity(input, { unitExists, bookingSourceExists, timeZone, refuse }));
    }
    return { ...command, input, errors, rules: rulesFor(command, input, errors) };
  }

  unit(id: number): Named {
    return this.#units.get(id) as Named;
  }

  /** Of a command that was accepted. */
  groupsOf(unit: { id: number; groups?: { id?: number; name?: string; folder_name?: string }[] }): GroupRef[] {
    return (unit.groups ?? []).map((group) => {
      if (group.id !== undefined) return this.#groups.get(group.id) as GroupRef;
      const name = groupName(unit.id, group);
      const ref = this.#groupsByName.get(groupKey(name)) as GroupRef;
      // It will be called what the first who has it made calls it.
      if (ref.id === null && !this.#namedGroups.has(ref)) Object.assign(ref, name);
      this.#namedGroups.add(ref);
      return ref;
    });
  }

  sourceOf({ source_id, source_name }: { source_id?: number; source_name?: string }): SourceRef | undefined {
    if (source_id !== undefined) return { id: source_id, name: null };
    if (source_name === undefined) return undefined;
    const ref = this.#sourcesByName.get(source_name.toLowerCase()) as SourceRef;
    if (!this.#namedSources.has(ref)) ref.name = source_name;
    this.#namedSources.add(ref);
    return ref;
  }

  /** Makes the sources and groups that were named and don't exist; afterwards every reference has its id. */
  async makeMissing(tx: Tx, accountId: number): Promise<void> {
    const sources = [...this.#namedSources].filter((source) => source.id === null);
    if (sources.length > 0) {
      const names = sources.map((source) => source.name as string);
      await ensureNamed(tx, lookupKinds.sources, accountId, names);
      const ids = await findByName(tx, lookupKinds.sources, accountId, names);
      sources.forEach((source, index) => {
        source.id = ids[index] ?? null;
      });
      if (ids.includes(null)) throw new Conflict();
    }
    const groups = [...this.#namedGroups].filter((group) => group.id === null);
    if (groups.length > 0) {
      await ensureGroups(tx, accountId, groups);
      const found = await findGroupsByName(tx, accountId, groups);
      groups.forEach((group, index) => {
        Object.assign(group, found[index]);
      });
      // Somebody deleted one as soon as it was made.
      if (found.some(({ id }) => id === null)) throw new Conflict();
    }
  }
}

function isNps(text: string): boolean {
  return /^\d{1,2}(\.\d{1,4})?$/.test(text) && Number(text) <= 10;
}

function groupName(unitId: number, group: { name?: string; folder_name?: string }): GroupName {
  return { unit_id: unitId, folder_name: group.folder_name ?? defaultFolder, name: group.name ?? '' };
}

/** One statement for each kind of thing that any of the commands refers to. */
async function lookUp(tx: Tx, accountId: number, commands: ContactCommand[]) {
  const units = new Set<number>();
  const groups = new Set<number>();
  const groupNames = new Map<string, GroupName>();
  const sources = new Set<number>();
  const sourceNames = new Map<string, string>();
  const udfs = new Set<number>();
  const categories = new Set<number>();
  const bookingSources = new Set<number>();
  /** One of a list that lacks what it needs may lack its id. */
  const add = (ids: Set<number>, id: number | undefined) => id !== undefined && ids.add(id);
  for (const { input } of commands) {
    add(sources, input.source_id);
    if (input.source_name !== undefined) sourceNames.set(input.source_name.toLowerCase(), input.source_name);
    for (const unit of (input.units ?? []) as Sparse<NonNullable<typeof input.units>[number]>) {
      add(units, unit?.id);
      for (const group of unit?.groups ?? []) {
        if (group?.id !== undefined) groups.add(group.id);
        else if (group?.name !== undefined && unit?.id !== undefined) {
          const name = groupName(unit.id, group);
          groupNames.set(groupKey(name), name);
        }
      }
    }
    for (const udf of input.udfs ?? []) add(udfs, udf?.id);
    for (const feedback of input.feedback ?? []) {
      for (const rating of feedback?.ratings ?? []) add(categories, rating?.category_id);
    }
    const { feedback, purchases, bookings, wifi, stays } = input;
    for (const list of [feedback, purchases, bookings, wifi, stays] as Sparse<{ unit_id?: number }>[]) {
      for (const one of list ?? []) add(units, one?.unit_id);
    }
    for (const stay of stays ?? []) add(bookingSources, stay?.booking_enquiry_source_id);
  }
  const wantedGroups = [...groupNames.values()];
  const wantedSources = [...sourceNames.values()];
  /** Asks only where there is something to ask for. */
  const ask = <T>(wanted: { size: number }, find: () => Promise<T[]>): Promise<T[]> =>
    wanted.size > 0 ? find() : Promise.resolve([]);
  const found = await tx.inOrder({
    units: () => findUnits(tx, accountId, [...units]),
    groups: () => ask(groups, () => findGroups(tx, accountId, [...groups])),
    namedGroups: () => ask(groupNames, () => findGroupsByName(tx, accountId, wantedGroups)),
    sources: () => ask(sources, () => existing(tx, lookupKinds.sources, accountId, [...sources])),
    namedSources: () => ask(sourceNames, () => findByName(tx, lookupKinds.sources, accountId, wantedSources)),
    udfs: () => ask(udfs, () => findUdfs(tx, accountId, [...udfs])),
    categories: () => ask(categories, () => existing(tx, lookupKinds.feedbackCategories, accountId, [...categories])),
    bookingSources: () =>
      ask(bookingSources, () => existing(tx, lookupKinds.bookingSources, accountId, [...bookingSources])),
  });
  return { ...found, groupNames: wantedGroups, sourceNames: wantedSources };
}
