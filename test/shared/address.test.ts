import { expect, it } from 'vitest';
import { networkOf, plainAddress } from '../../src/shared/address.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['203.0.113.7:4711', null],
  ['unknown', null],
  ['', null],
  [undefined, null],
])('the address %s is stored as %s', (sent, kept) => {
  expect(plainAddress(sent)).toBe(kept);
});

it('each IPv4 address and each /64 of IPv6 is one network', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
  expect(networkOf('2001:db8:1:2:3::4')).toBe('2001:db8:1:2');
  expect(networkOf('2001:db8::4')).toBe('2001:db8:0:0');
  expect(networkOf(null)).toBe('unknown');
});
