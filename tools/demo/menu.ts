import type { Item } from '../../src/features/activity/purchases/schema.ts';
import type { Random } from '../../src/shared/random.ts';
import type { Venue, VenueKind } from './venues.ts';

interface Dish {
  name: string;
  sku: string;
  /** Prices in pence, for exact sums. */
  pence: number;
}

type Course = 'starters' | 'mains' | 'desserts' | 'drinks' | 'soft drinks' | 'wine' | 'coffee';

const dishes = (prefix: string, list: string): Dish[] =>
  list
    .trim()
    .split('\n')
    .map((line, index) => {
      const [name = '', price = ''] = line.split('|').map((part) => part.trim());
      return { name, sku: `${prefix}${String(index + 1).padStart(2, '0')}`, pence: Math.round(Number(price) * 100) };
    });

const softDrinks = dishes(
  'SO',
  `Elderflower pressé | 3.60\nCola | 3.40\nFresh orange juice | 3.80\nGinger beer | 3.70\nAlcohol-free lager | 4.90`,
);
const coffee = dishes('CO', `Flat white | 3.50\nCappuccino | 3.60\nPot of tea | 3.10\nEspresso | 2.70`);
const wine = dishes(
  'WI',
  `Glass of Picpoul | 7.80\nGlass of Malbec | 8.40\nBottle of Sauvignon Blanc | 29.50\nBottle of Rioja | 32.00\nGlass of English sparkling | 10.50`,
);

const menus: Record<VenueKind, Record<Course, Dish[]>> = {
  pub: {
    starters: dishes(
      'PS',
      `Scotch egg, piccalilli | 7.50\nWhitebait, tartare sauce | 8.25\nSoup of the day | 6.95\nHam hock terrine | 8.50`,
    ),
    mains: dishes(
      'PM',
      `Roast sirloin of beef | 21.50\nBeer-battered haddock and chips | 17.50\nSteak and ale pie | 17.95\nMushroom and chestnut pie | 16.50\nCheeseburger and fries | 15.95\nSausage and mash | 15.50\nPlant burger | 14.95\nHalf roast chicken | 18.50`,
    ),
    desserts: dishes('PD', `Sticky toffee pudding | 7.95\nApple crumble, custard | 7.50\nBritish cheeses | 10.50`),
    drinks: dishes(
      'PB',
      `Pint of best bitter | 5.40\nPint of pale ale | 5.90\nPint of lager | 5.80\nPint of cider | 5.60\nGin and tonic | 8.20\nBar snacks | 4.50`,
    ),
    'soft drinks': softDrinks,
    wine,
    coffee,
  },
  restaurant: {
    starters: dishes(
      'RS',
      `Burrata, charred peach | 10.50\nCrispy squid | 9.95\nBeetroot carpaccio | 8.95\nSmall plates to share | 14.00\nCharred prawns | 11.50`,
    ),
    mains: dishes(
      'RM',
      `Ribeye, 28 days aged | 31.00\nSea bass, samphire | 24.50\nWild mushroom pappardelle | 18.50\nLamb shoulder for two | 46.00\nAubergine, miso and sesame | 17.50\nDuck leg confit | 23.50\nLobster linguine | 29.00`,
    ),
    desserts: dishes('RD', `Dark chocolate tart | 8.95\nPannacotta, rhubarb | 8.50\nAffogato | 6.95`),
    drinks: dishes('RB', `Negroni | 11.50\nPaloma | 11.00\nBottled lager | 5.60\nOlives and bread | 6.50`),
    'soft drinks': softDrinks,
    wine,
    coffee,
  },
  hotel: {
    starters: dishes('HS', `Smoked salmon, rye | 11.50\nSoup of the day | 7.50\nTwice-baked soufflé | 10.95`),
    mains: dishes(
      'HM',
      `Afternoon tea | 29.50\nClub sandwich | 14.50\nSteak frites | 26.00\nPan-fried cod | 22.50\nButternut risotto | 17.50\nFull English | 15.50`,
    ),
    desserts: dishes('HD', `Lemon posset | 8.50\nEton mess | 8.25\nIce creams | 6.50`),
    drinks: dishes(
      'HB',
      `Espresso martini | 12.00\nOld fashioned | 12.50\nPint of lager | 6.20\nRoom service charge | 5.00`,
    ),
    'soft drinks': softDrinks,
    wine,
    coffee,
  },
};

/** The percentage of guests who order each kind, at a table and at the bar. */
const appetites: Record<'meal' | 'bar', [Course, number][]> = {
  meal: [
    ['starters', 38],
    ['mains', 96],
    ['desserts', 34],
    ['drinks', 62],
    ['soft drinks', 35],
    ['wine', 32],
    ['coffee', 24],
  ],
  bar: [
    ['mains', 14],
    ['drinks', 130],
    ['soft drinks', 30],
    ['wine', 18],
    ['coffee', 12],
  ],
};

/** A random order for a party. */
export function basket(chance: Random, { kind }: Venue, people: number, occasion: 'meal' | 'bar'): Item[] {
  const chosen = new Map<Dish, { course: Course; quantity: number }>();
  for (const [course, share] of appetites[occasion]) {
    for (let person = 0; person < people; person++) {
      for (let left = share; chance.percent(left); left -= 100) {
        const dish = chance.pick(menus[kind][course]);
        const before = chosen.get(dish)?.quantity ?? 0;
        chosen.set(dish, { course, quantity: before + 1 });
      }
    }
  }
  if (chosen.size === 0) chosen.set(chance.pick(menus[kind].drinks), { course: 'drinks', quantity: people });
  const lines = [...chosen].map(([dish, { course, quantity }]) => line(dish, quantity, course));
  // Service charge for six and more guests, and an occasional refund.
  if (people >= 6)
    lines.push(line({ name: 'Service charge 10 %', sku: 'SVC', pence: Math.round(total(lines) * 10) }, 1, 'service'));
  const [first] = chosen;
  if (first && chance.percent(1.5)) lines.push(line(first[0], -1, first[1].course));
  return lines;
}

export const total = (items: Item[]) => items.reduce((sum, { value }) => sum + Number(value), 0);

function line({ name, sku, pence }: Dish, quantity: number, tag: string): Item {
  return { description: name, sku, quantity, value: (pence * quantity) / 100, tags: [tag] };
}
