import { Conflict, type Tx } from '../../../platform/db/database.ts';
import { present } from '../../../shared/present.ts';
import { checkItems, isComplete } from '../../../shared/read.ts';
import { addId, type Checks } from '../../identity/sections/section.ts';
import { defaultFolder } from '../../venues/groups/schema.ts';
import { ensureGroups, findGroups, findGroupsByName, type GroupName } from '../../venues/groups/store.ts';
import { lookupKinds } from '../../venues/lookups/schema.ts';
import { ensureNamed, existing, findByName } from '../../venues/lookups/store.ts';
import { findUnits } from '../../venues/units/store.ts';
import type { Named } from '../contacts/store.ts';
import type { BatchSections } from './batch-sections.ts';
import { type CheckedCommand, type ContactCommand, rulesFor } from './command.ts';
import type { GroupRef, SourceRef } from './contact-state.ts';
import type { ContactWrite } from './schema.ts';

/** Texts of a request contain no NUL character, so the key is unambiguous. */
const groupKey = ({ unit_id, folder_name, name }: GroupName) =>
  `${unit_id}\0${folder_name.toLowerCase()}\0${name.toLowerCase()}`;

/** The rows that a batch refers to by id or by name: units, groups and sources here, other kinds in the sections. */
export class References {
  readonly #root: Named | undefined;
  readonly #units: Map<number, Named>;
  readonly #groups: Map<number, GroupRef>;
  readonly #groupsByName: Map<string, GroupRef>;
  readonly #sources: Set<number>;
  readonly #sourcesByName: Map<string, SourceRef>;
  readonly #sections: BatchSections;
  /** Named by accepted commands, so created if they do not exist. */
  readonly #namedGroups = new Set<GroupRef>();
  readonly #namedSources = new Set<SourceRef>();

  private constructor(loaded: Awaited<ReturnType<typeof lookUp>>, sections: BatchSections) {
    this.#units = new Map(loaded.units.map((unit) => [unit.id, unit]));
    this.#root = loaded.units.find((unit) => unit.is_root);
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
    this.#sections = sections;
  }

  static async load(
    tx: Tx,
    accountId: number,
    commands: ContactCommand[],
    sections: BatchSections,
  ): Promise<References> {
    return new References(await lookUp(tx, accountId, commands, sections), sections);
  }

  /** The object of an existing group. There is one per group. */
  group({ id, name, unit_id }: { id: number; name: string; unit_id: number }): GroupRef {
    const ref = this.#groups.get(id) ?? { id, name, unit_id, folder_name: '' };
    this.#groups.set(id, ref);
    return ref;
  }

  /** A copy of the command without invalid references, and with an error for each. The command itself may be retried. */
  checked(command: ContactCommand, timeZone: string): CheckedCommand {
    const errors = command.errors.copy();
    // A field that is missing or malformed already has an error.
    const refuse: Checks['refuse'] = (path, message) => (errors.fields[path] ? undefined : errors.add(path, message));
    const unitExists = (id: number, path: string): boolean => {
      if (this.#units.has(id)) return true;
      refuse(path, 'The unit id is not a unit of this account.');
      return false;
    };
    const { source_id, units: sentUnits } = command.input;
    const sourceExists = source_id === undefined || this.#sources.has(source_id);
    if (!sourceExists) refuse('source_id', 'The source id is not a source of this account.');
    const units: Pick<ContactWrite, 'units'> = {};
    if (sentUnits)
      units.units = checkItems(sentUnits, (unit, index) => {
        const exists = unit.id !== undefined && unitExists(unit.id, `units.${index}.id`);
        const groups = checkItems(unit.groups, (group, place) => {
          const path = `units.${index}.groups.${place}`;
          if (group.id !== undefined) {
            if (!exists || this.#groups.get(group.id)?.unit_id === unit.id)
              return isComplete(group) ? group : undefined;
            return refuse(`${path}.id`, 'The group id is not a group of this unit.');
          }
          if (group.name !== undefined) return isComplete(group) ? group : undefined;
          return errors.fields[`${path}.id`]
            ? undefined
            : refuse(`${path}.name`, 'The name field is required when there is no id.');
        });
        return exists && isComplete(unit) ? { ...unit, groups } : undefined;
      });
    const lists = this.#sections.check(command.input, { refuse, unitExists, timeZone });
    const input = Object.assign({ ...command.input }, units, lists);
    if (!sourceExists) delete input.source_id;
    return { ...command, input, errors, rules: rulesFor(command, input, errors) };
  }

  /** Missing only if the account was deleted meanwhile. Then the batch is rejected. */
  get root(): Named {
    return present(this.#root, 'root unit');
  }

  unit(id: number): Named {
    return present(this.#units.get(id), 'unit');
  }

  /** The groups of a unit of an accepted command. */
  groupsOf(unit: { id: number; groups?: { id?: number; name?: string; folder_name?: string }[] }): GroupRef[] {
    return (unit.groups ?? []).map((group) => {
      if (group.id !== undefined) return present(this.#groups.get(group.id), 'group');
      const name = groupName(unit.id, group);
      const ref = present(this.#groupsByName.get(groupKey(name)), 'group');
      // A new group gets the spelling of the first accepted command that names it.
      if (ref.id === null && !this.#namedGroups.has(ref)) Object.assign(ref, name);
      this.#namedGroups.add(ref);
      return ref;
    });
  }

  sourceOf({ source_id, source_name }: { source_id?: number; source_name?: string }): SourceRef | undefined {
    if (source_id !== undefined) return { id: source_id, name: null };
    if (source_name === undefined) return undefined;
    const ref = present(this.#sourcesByName.get(source_name.toLowerCase()), 'source');
    if (!this.#namedSources.has(ref)) ref.name = source_name;
    this.#namedSources.add(ref);
    return ref;
  }

  /** Creates the named sources and groups that do not exist. Then every reference has an id. */
  async createMissing(tx: Tx, accountId: number): Promise<void> {
    const sources = [...this.#namedSources].filter((source) => source.id === null);
    if (sources.length > 0) {
      const names = sources.map((source) => present(source.name, 'source name'));
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
      // Another transaction deleted a group directly after its creation.
      if (found.some(({ id }) => id === null)) throw new Conflict();
    }
  }
}

function groupName(unitId: number, group: { name?: string; folder_name?: string }): GroupName {
  return { unit_id: unitId, folder_name: group.folder_name ?? defaultFolder, name: group.name ?? '' };
}

/** One statement for each kind of reference that the commands have. */
async function lookUp(tx: Tx, accountId: number, commands: ContactCommand[], sections: BatchSections) {
  const units = new Set<number>();
  const groups = new Set<number>();
  const groupNames = new Map<string, GroupName>();
  const sources = new Set<number>();
  const sourceNames = new Map<string, string>();
  for (const { input } of commands) {
    addId(sources, input.source_id);
    if (input.source_name !== undefined) sourceNames.set(input.source_name.toLowerCase(), input.source_name);
    for (const unit of input.units ?? []) {
      addId(units, unit?.id);
      for (const group of unit?.groups ?? []) {
        if (group?.id !== undefined) groups.add(group.id);
        else if (group?.name !== undefined && unit?.id !== undefined) {
          const name = groupName(unit.id, group);
          groupNames.set(groupKey(name), name);
        }
      }
    }
  }
  sections.collectReferences(units);
  const wantedGroups = [...groupNames.values()];
  const wantedSources = [...sourceNames.values()];
  const found = await tx.inOrder({
    units: () => findUnits(tx, accountId, [...units]),
    groups: () => (groups.size > 0 ? findGroups(tx, accountId, [...groups]) : []),
    namedGroups: () => (wantedGroups.length > 0 ? findGroupsByName(tx, accountId, wantedGroups) : []),
    sources: () => (sources.size > 0 ? existing(tx, lookupKinds.sources, accountId, [...sources]) : []),
    namedSources: () => (wantedSources.length > 0 ? findByName(tx, lookupKinds.sources, accountId, wantedSources) : []),
    sections: () => sections.lookUp(tx, accountId),
  });
  return { ...found, groupNames: wantedGroups, sourceNames: wantedSources };
}
