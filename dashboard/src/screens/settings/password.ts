/** 32 characters that are hard to confuse, so 5 bits each. 20 of them have 100 bits. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Groups the 20 characters ("k7m2q-…"), because groups are easier to read out. */
export function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const text = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
  return (text.match(/.{5}/g) ?? []).join('-');
}
