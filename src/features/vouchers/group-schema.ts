import Type, { type Static } from 'typebox';
import { Day, Id, Instant, Name } from '../../shared/fields.ts';

const groupFields = {
  unit_id: Id('The unit of the group, usually the root unit.'),
  name: Name('The name of the group. It is unique on the unit; case does not matter.', 'Summer vouchers'),
};
export const NewCodeGroup = Type.Object(groupFields, { title: 'UniqueCodeGroupCreate' });
/** The same for partners. The body also contains the account. */
export const PartnerCodeGroup = Type.Object(groupFields, { title: 'UniqueCodeGroupWrite' });
export type NewCodeGroup = Static<typeof NewCodeGroup>;

export const CodeGroupId = Type.Object({ id: Id('The id of the unique code group.') }, { title: 'UniqueCodeGroupId' });

export const CodeGroup = Type.Object(
  { id: Id('The id of the unique code group.'), ...groupFields, created_at: Instant('The time of creation.') },
  { title: 'UniqueCodeGroup' },
);
export type CodeGroup = Static<typeof CodeGroup>;

export const RenamedCodeGroup = Type.Pick(NewCodeGroup, ['name'], { title: 'UniqueCodeGroupUpdate' });
export const ByUnit = Type.Object({ unit_id: Type.Optional(Id('Only groups of this unit.')) });
export type ByUnit = Static<typeof ByUnit>;

export const ForStatistics = Type.Object({
  start_date: Type.Optional(Day('The first day. By default the range has 90 days. The maximum is 366 days.')),
  end_date: Type.Optional(Day('The last day, included. The default is today.')),
});
export type ForStatistics = Static<typeof ForStatistics>;

const amount = (description: string) => Type.Integer({ description, minimum: 0, examples: [12] });

const totals = {
  made: amount('The number of codes in the group.'),
  assigned: amount('The number of assigned codes.'),
  redeemed: amount('The number of redeemed codes.'),
};

/** A group with the counts of its codes. */
export const CountedCodeGroup = Type.Object(
  {
    ...CodeGroup.properties,
    unit_name: Type.String({ description: 'The name of the unit.', examples: ['The Anchor'] }),
    ...totals,
  },
  { title: 'UniqueCodeGroupCounts' },
);
export type CountedCodeGroup = Static<typeof CountedCodeGroup>;

export const Statistics = Type.Object(
  {
    ...totals,
    by_unit: Type.Array(
      Type.Object(
        {
          unit_id: Id('The id of the unit.'),
          unit_name: Type.String({ description: 'The name of the unit.', examples: ['The Anchor'] }),
          redeemed: amount('The number of codes redeemed at the unit.'),
        },
        { title: 'UnitRedemptions' },
      ),
      { description: 'The redemptions by unit, of all time, highest number first.' },
    ),
    by_day: Type.Array(
      Type.Object(
        {
          date: Day('The day, in the account’s time zone.'),
          made: amount('The number of codes created.'),
          assigned: amount('The number of currently assigned codes that were assigned on this day.'),
          redeemed: amount('The number of codes redeemed.'),
          by_unit: Type.Array(
            Type.Object(
              { unit_id: Id('The id of the unit.'), redeemed: amount('The number of codes redeemed at the unit.') },
              { title: 'DayUnitRedemptions' },
            ),
            { description: 'The redemptions of the day by unit.' },
          ),
        },
        { title: 'UniqueCodeDay' },
      ),
      { description: 'The days of the range with events, oldest first.' },
    ),
  },
  { title: 'UniqueCodeStatistics' },
);
export type Statistics = Static<typeof Statistics>;
