import { asSuperuser, type Service } from './load/service.ts';

export interface GeneratingResult {
  count: number;
  /** Seconds per turn. */
  turns: { ours: number; plain: number }[];
}

/** Compares code generation through the admin API with a plain INSERT of as many rows, in turns. */
export async function benchGenerating(
  service: Service,
  { count, rounds, say }: { count: number; rounds: number; say(text: string): void },
): Promise<GeneratingResult> {
  const { account, newGroup } = await prepare(service);
  const result: GeneratingResult = { count, turns: [] };
  for (let round = 1; round <= rounds; round++) {
    const [theirs, ours] = [await newGroup(), await newGroup()];
    const plain = await timed(() =>
      asSuperuser(service, async (client) => {
        await client.query(
          `insert into unique_codes (account_id, group_id, unique_code)
           select $1, $2, upper(substr(md5($2::bigint || '-' || n), 1, 14)) from generate_series(1, $3) as n`,
          [account, theirs, count],
        );
      }),
    );
    const generated = await timed(async () => {
      const { created } = await service.admin('POST', `/accounts/${account}/unique_code_groups/${ours}/codes`, {
        count,
      });
      if (created !== count) throw new Error(`${created} codes were generated instead of ${count}.`);
    });
    result.turns.push({ ours: generated, plain });
    say(`Turn ${round} of ${rounds}: the plain INSERT ${plain.toFixed(1)} s, ours ${generated.toFixed(1)} s.`);
  }
  return result;
}

async function prepare(service: Service) {
  const { id: account } = await service.admin('POST', '/accounts', { name: 'The Harbour Group' });
  const at = `/accounts/${account}`;
  const { id: unit } = await service.admin('POST', `${at}/units`, { name: 'The Anchor' });
  let groups = 0;
  const newGroup = async () =>
    (await service.admin('POST', `${at}/unique_code_groups`, { unit_id: unit, name: `Group ${++groups}` })).id;
  return { account, newGroup };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}
