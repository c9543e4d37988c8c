import type { NewFeedback } from '../../src/features/guests/feedback/schema.ts';
import type { Visit } from './model.ts';
import type { Schedule } from './schedule.ts';
import { comments, ratingWords, roomComments } from './texts.ts';

const moods = [
  { mood: 'pleased', weight: 66, type: 1, nps: [9, 9, 10, 10, 10, 8, 9] },
  { mood: 'so-so', weight: 22, type: 3, nps: [6, 7, 7, 8, 8] },
  { mood: 'cross', weight: 12, type: 2, nps: [0, 2, 3, 4, 5, 6] },
] as const;

/** Guests send feedback by e-mail one or two days after the visit, or on a tablet at the venue. */
export function addFeedback(schedule: Schedule, { guest, venue, day, start }: Visit, stayed?: 'stayed'): void {
  const { chance } = guest;
  const { calendar, lists } = schedule;
  const { mood, type, nps } = chance.weighted(moods, ({ weight }) => weight);
  const isByTablet = !guest.email || chance.percent(25);
  const sentOn = isByTablet ? day : day + chance.between(1, 3);
  const at = isByTablet ? Math.min(start + 100, 23 * 60 + 15) : chance.between(8 * 60, 15 * 60);
  const [topic, text] = chance.pick(comments[mood]);
  const note = text.replace('{dish}', chance.pick(dishNames[venue.kind]));
  const { atmosphere, value, cleanliness } = lists.categories;
  const rated = [1, 3, ...(chance.percent(40) ? [chance.pick([2, atmosphere, value, cleanliness])] : [])];
  const feedback: NewFeedback = {
    type_id: type,
    source_id: isByTablet ? 3 : chance.pick([4, 4, 4, 1, 2]),
    unit_id: venue.id,
    created_at: calendar.at(sentOn, at),
    ratings: [
      { category_id: 4, rating_text: String(chance.pick(nps)) },
      ...rated.map((category_id) => ({ category_id, rating_text: chance.pick(ratingWords[mood]) })),
    ],
    ...(chance.percent(72)
      ? { comments: [stayed ? { type: 'room', note: chance.pick(roomComments[mood]) } : { type: topic, note }] }
      : {}),
  };
  schedule.add(sentOn, 'anybody', (api) => api.contact('mail', guest, { feedback: [feedback] }));
}

/** Everyday names. */
const dishNames = {
  pub: ['Sunday roast', 'haddock and chips', 'steak and ale pie', 'sticky toffee pudding', 'mushroom pie'],
  restaurant: ['lamb shoulder', 'pappardelle', 'sea bass', 'chocolate tart', 'aubergine'],
  hotel: ['afternoon tea', 'club sandwich', 'risotto', 'full English', 'lemon posset'],
};
