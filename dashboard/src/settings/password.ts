/** 32 signs that nobody takes for one another, so five bits each: 100 bits in all. */
const signs = 'abcdefghijkmnpqrstuvwxyz23456789';

/** "k7m2q-…": twenty signs in fours and fives are read out more easily than one long word. */
export function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const text = Array.from(bytes, (byte) => signs[byte % signs.length]).join('');
  return (text.match(/.{5}/g) ?? []).join('-');
}
