import type { LookupAddress } from 'node:dns';
import { afterAll, describe, expect, it } from 'vitest';
import { isSpecialHost, lookupBy } from '../../../src/platform/outgoing/addresses.ts';
import { createPost } from '../../../src/platform/outgoing/post.ts';
import { rawReceiver, receiver } from '../../support/receiver.ts';
import { nameServer } from './name-server.ts';

const timeoutMs = 700;
/** On the internet. A connection to it never succeeds in the tests. */
const elsewhere = '11.0.0.1';
const forbidden = /^The address of .* is private or reserved, so nothing is sent to it\.$/;

async function safePost(addressesOf: (name: string, nth: number) => string[]) {
  const names = await nameServer(addressesOf);
  const post = createPost({ allowPrivate: false, dnsServers: [names.address], timeoutMs });
  afterAll(() => post.close());
  return { post, names };
}

/** A host as it is written in a URL. */
const hosts = {
  private: [
    ...['127.0.0.1', '127.0.0.1.', '127.1', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1'],
    ...[
      '①②⑦.⓪.⓪.①',
      '127。0。0。1',
      '%31%32%37.0.0.1',
      '0',
      '0.0.0.0',
      '0x0',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.168.1.1',
      '3232235777',
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '100.64.0.1',
      '192.0.0.8',
      '192.0.2.1',
    ],
    ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
    ...[
      '[::]',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::127.0.0.1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::FFFF:A00:1]',
    ],
    ...[
      '[::ffff:169.254.169.254]',
      '[::ffff:0:127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::a9fe:a9fe]',
      '[64:ff9b:1::1]',
    ],
    ...['[2002:7f00:1::]', '[2002:a00:1::1]', '[2001::1]', '[2001:db8::1]', '[3fff::1]', '[100::1]', '[fc00::1]'],
    ...['[fd00:ec2::254]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]', '[5f00::1]'],
  ],
  names: ['localhost', 'LOCALHOST', 'localhost.', 'ⓛocalhost', 'hooks.localhost', 'a.b.localhost.'],
  public: [
    ...['8.8.8.8', '134744072', '172.32.0.1', '172.15.255.255', '100.63.255.255', '128.0.0.1', '126.255.255.255'],
    ...['[2606:4700::1111]', '[::ffff:8.8.8.8]', 'example.com', 'localhost.example.com', 'notlocalhost', '169.253.1.1'],
  ],
};
const hostnameOf = (host: string) => new URL(`http://${host}/`).hostname;

describe('a host', () => {
  it.each([...hosts.private, ...hosts.names])('%s is private or reserved', (host) => {
    expect(isSpecialHost(hostnameOf(host))).toBe(true);
  });

  it.each(hosts.public)('%s is on the internet', (host) => {
    expect(isSpecialHost(hostnameOf(host))).toBe(false);
  });
});

describe('a request to a private address', () => {
  it('is refused before a connection, in every spelling', async () => {
    const to = await rawReceiver((socket) => socket.destroy());
    const { post, names } = await safePost(() => []);
    for (const host of hosts.private) {
      const posted = await post(`http://${host}:${to.port}/`, {}, '{}');
      expect([host, posted.status, posted.error]).toEqual([host, null, expect.stringMatching(forbidden)]);
    }
    expect([to.connections(), names.asked]).toEqual([0, []]);
  });

  it.each([
    ['127.0.0.1'],
    ['10.1.2.3', '192.168.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['169.254.169.254', 'fd00:ec2::254'],
  ])('is refused if a name resolves to %s', async (...addresses) => {
    const to = await rawReceiver((socket) => socket.destroy());
    const { post, names } = await safePost(() => addresses);
    const posted = await post(`http://inside.example:${to.port}/`, {}, '{}');
    expect([posted.status, posted.error]).toEqual([null, expect.stringMatching(forbidden)]);
    expect([to.connections(), names.asked]).toEqual([0, ['inside.example']]);
  });

  it('is refused for localhost, whatever the name server says', async () => {
    const to = await rawReceiver((socket) => socket.destroy());
    const { post } = await safePost(() => ['127.0.0.1']);
    expect((await post(`http://localhost:${to.port}/`, {}, '{}')).error).toMatch(forbidden);
    expect(to.connections()).toBe(0);
  });

  it('is allowed if the operator allows it', async () => {
    const to = await receiver();
    const post = createPost({ allowPrivate: true });
    afterAll(() => post.close());
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]'])
      expect([host, (await post(`http://${host}:${to.port}/`, {}, '{}')).status]).toEqual([host, 200]);
  });

  it('is allowed for a name that the given name server resolves', async () => {
    const to = await receiver();
    const names = await nameServer((name) => (name === 'inside.example' ? ['127.0.0.1'] : []));
    const post = createPost({ allowPrivate: true, dnsServers: [names.address] });
    for (const host of ['inside.example', 'localhost'])
      expect([host, (await post(`http://${host}:${to.port}/`, {}, '{}')).status]).toEqual([host, 200]);
    post.close();
    expect(names.asked).toEqual(['inside.example']);
  });
});

describe('a name', () => {
  it('is resolved once: an address that it has a moment later is not used', async () => {
    const to = await rawReceiver((socket) => socket.destroy());
    const { post, names } = await safePost((_, nth) => (nth <= 1 ? [elsewhere] : ['127.0.0.1']));
    const first = await post(`http://rebinding.example:${to.port}/`, {}, '{}');
    expect(first.status).toBeNull();
    expect(first.error).not.toMatch(forbidden);
    expect(names.asked).toHaveLength(1);
    const second = await post(`http://rebinding.example:${to.port}/`, {}, '{}');
    expect(second.error).toMatch(forbidden);
    expect(names.asked).toHaveLength(2);
    expect(to.connections()).toBe(0);
  });

  it('with public and private addresses is connected to at the public ones only', async () => {
    const to = await rawReceiver((socket) => socket.destroy());
    const mixed = ['127.0.0.1', elsewhere, '::1', '10.0.0.1', '2606:4700::1111', '::ffff:127.0.0.1'];
    const { post, names } = await safePost(() => mixed);
    const posted = await post(`http://mixed.example:${to.port}/`, {}, '{}');
    expect(posted.error).not.toMatch(forbidden);
    expect(to.connections()).toBe(0);
    const lookup = lookupBy([names.address], false);
    const found = await new Promise((done, failed) =>
      lookup('mixed.example', { all: true }, (error, addresses) => (error ? failed(error) : done(addresses))),
    );
    expect((found as LookupAddress[]).map(({ address }) => address).sort()).toEqual([elsewhere, '2606:4700::1111']);
    const one = await new Promise((done, failed) =>
      lookup('mixed.example', {}, (error, address) => (error ? failed(error) : done(address))),
    );
    expect(one).toBe(elsewhere);
  });

  it('without an address fails', async () => {
    const { post } = await safePost(() => []);
    const posted = await post('http://nothing.example/', {}, '{}');
    expect(posted).toMatchObject({ status: null, error: 'The name of the host has no address.' });
  });

  it('fails if the name server is silent', async () => {
    const post = createPost({ allowPrivate: false, dnsServers: ['127.0.0.1:1'], timeoutMs });
    afterAll(() => post.close());
    const posted = await post('http://silent.example/', {}, '{}');
    expect(posted.status).toBeNull();
    expect(posted.error).toMatch(/^(The name server did not respond\.|No response within 0\.7 seconds\.)$/);
  });
});
