/** Feedback texts by rating: a topic and a sentence. `{dish}` is a dish of the order. */
export const comments: Record<'pleased' | 'so-so' | 'cross', [topic: string, note: string][]> = {
  pleased: [
    ['service', 'Sam looked after us all evening and remembered my dad’s pint from last time. Lovely touch.'],
    ['food', 'The {dish} was the best I’ve had in months. We scraped the plate.'],
    ['atmosphere', 'Fire lit, dog under the table, rain outside. Couldn’t have asked for more on a Sunday.'],
    ['service', 'We turned up twenty minutes late with a pushchair and nobody batted an eyelid. Thank you!'],
    ['food', 'Finally somewhere that takes coeliac seriously. The chef came out to talk me through the menu.'],
    ['value', 'Three courses for the four of us and still change for the taxi. We’ll be back before Christmas.'],
    ['atmosphere', 'Great playlist, not too loud, and the candles make it feel like a proper night out.'],
    ['food', 'Had the {dish} and then stole half of my wife’s. No regrets.'],
    ['drink', 'Proper well-kept bitter, and they let you try before you choose. More places should.'],
    ['service', 'It was Mum’s 70th. They had a card on the table signed by the whole team. She cried.'],
    ['food', 'Came for a quick bite before the theatre, in and out in fifty minutes, everything hot.'],
    ['cleanliness', 'Spotless, including the loos, on a Saturday night. Somebody there cares.'],
    ['atmosphere', 'Quiz night was a riot. We came fourth and we’re claiming it as a win.'],
    ['service', 'Asked for a quiet table for a job chat and got the corner by the window. Perfect.'],
    ['food', 'I’m vegan and didn’t feel like an afterthought for once. The {dish} is a keeper.'],
    ['value', 'The set lunch is a steal. Please don’t ever take it off.'],
    ['drink', 'Whoever makes your negronis deserves a rise.'],
    ['service', 'Left my scarf behind, had a call before I’d even noticed. Thank you, Maya.'],
  ],
  'so-so': [
    ['service', 'Nice enough people, but we waited a good twenty minutes for the bill.'],
    ['food', 'The {dish} was fine, a bit smaller than I remember it.'],
    ['atmosphere', 'Good food, but the table next to the door is freezing every time it opens.'],
    ['value', 'Enjoyed it, though nearly six pounds for a pint is getting steep.'],
    ['food', 'Starters were excellent, mains came out lukewarm. Dessert made up for it.'],
    ['drink', 'They had run out of both the wines we wanted. The third choice was all right.'],
    ['service', 'The booking had got lost, but they found us a table in the end.'],
    ['atmosphere', 'A bit loud for us on a Friday. Probably our age!'],
    ['food', 'Chips were great, {dish} less so. Would try something else next time.'],
    ['cleanliness', 'Lovely room, but the high chair could have done with a wipe.'],
    ['value', 'Not bad for what it is. The vegetarian choice hasn’t changed since spring.'],
  ],
  cross: [
    ['service', 'Forty minutes before anybody took our drinks order, and no apology. We nearly left.'],
    ['food', 'Sent the {dish} back, it was cold in the middle. The replacement came when everyone else had finished.'],
    ['service', 'Told us we had to be out in ninety minutes after we sat down. Say so when I book, please.'],
    ['food', 'I said nut allergy twice and it still arrived with pesto on it. Not good enough.'],
    ['atmosphere', 'Couldn’t hear each other over the hen party in the next room. Ruined our anniversary a bit.'],
    ['value', 'Charged for a bottle we never had. Got it back, but only after a row.'],
    ['cleanliness', 'Sticky tables and no soap in the gents. It used to be so much better.'],
    ['service', 'The wifi page made me sign up three times and then told me I was already registered.'],
  ],
};

/** Extra sentences for stays. */
export const roomComments: Record<keyof typeof comments, string[]> = {
  pleased: [
    'Bed like a cloud, blackout curtains that actually work, and a proper kettle. Slept nine hours.',
    'The night porter carried our bags up three floors without being asked.',
    'Breakfast by the window with the river going past. We’ve already booked for June.',
    'They’d put out a bowl and a biscuit for the dog. Small thing, made our weekend.',
  ],
  'so-so': [
    'Comfortable, but you can hear the lift from room 12.',
    'Nice hotel. The shower takes an age to run hot.',
    'Good location, parking was a faff and nobody had warned us.',
  ],
  cross: [
    'The room wasn’t ready until half past five and there was nowhere to sit.',
    'Heating stuck on all night, windows that don’t open. I looked like a lobster at breakfast.',
  ],
};

export const ratingWords: Record<keyof typeof comments, string[]> = {
  pleased: ['Excellent', 'Very good', 'Loved it', '5'],
  'so-so': ['OK', 'Fine', 'Average', '3'],
  cross: ['Poor', 'Disappointing', '1', '2'],
};

/** Notes of staff. */
export const notes = [
  'Prefers the window table.',
  'Nut allergy: told the kitchen, carries an EpiPen.',
  'Always asks for Tom behind the bar.',
  'Wedding anniversary in June, likes a card on the table.',
  'Brings two spaniels. Water bowl, and a table by the garden door.',
  'Uses a wheelchair: table 4 or 5, not the mezzanine.',
  'Complained about the wait in August; next round was on us.',
  'Organises the football club’s Christmas do, wants a quote in September.',
  'Works next door, in most Thursdays with the team.',
  'Regular on the quiz team “Quizzy Rascal”.',
  'Coeliac. Happy with the gluten-free fish and chips.',
  'Left a very kind review. Thanked by Priya.',
  'Asked about private hire for a 40th, about 35 people, October.',
  'Doesn’t drink: offer the alcohol-free list.',
  'Hard of hearing, please seat away from the speakers.',
  'Lost property: grey scarf, collected.',
  'Likes the Malbec, and the corner by the fire.',
  'Halal only. Checked the menu with Chef, all good.',
  'Booker for her whole office. Send the Christmas menu early.',
  'Returned the wrong coat last visit, all sorted.',
];

export const hotelNotes = [
  'Room at the back, light sleeper.',
  'Feather allergy: foam pillows, please.',
  'Late check-out agreed whenever we can.',
  'Travels for work, invoices to the company.',
  'Cot needed, and a room near the lift.',
];

export const diets = ['Vegetarian', 'Vegan', 'Gluten-free', 'Nut allergy', 'Halal', 'Shellfish allergy', 'Dairy-free'];
export const dogs = ['Biscuit', 'Mabel', 'Rufus', 'Pickle', 'Nell', 'Otto', 'Peggy', 'Bramble', 'Monty', 'Dolly'];
