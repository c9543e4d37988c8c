/*
 * Parses plans that auto_explain writes to the server's log.
 */

export interface Execution {
  /** The statement on one line. */
  statement: string;
  /** The logged plan with costs. */
  plan: string;
}

export interface Picked {
  name: string;
  /** The number of executions. */
  ran: number;
  execution: Execution;
}

/** The hot statements; for those with several kinds of plans, the kind to show. */
const hot: { name: string; is: RegExp; with?: RegExp }[] = [
  { name: 'Contact write: whose these identities are', is: /^select identity\.contact_id as contact/ },
  { name: 'Contact write: the contacts that own them, locked', is: /^select contact\.\* from .* for no key update/ },
  { name: 'Contact write: the new contacts', is: /^insert into contacts /, with: /Tuples Inserted: [1-9]/ },
  { name: 'Contact write: their identities', is: /^insert into identities /, with: /Tuples Inserted: [1-9]/ },
  { name: 'Redeeming vouchers', is: /^update unique_codes .* plain/ },
  { name: 'Booking search', is: /^select sent\.place, booking\.\*/ },
  { name: 'PoP search: the purchases', is: /^select asked\.place, page\.\* .* from purchases / },
  { name: "The requests' log", is: /^insert into request_log / },
];

export function executions(log: string): Execution[] {
  const entries = log.split(/^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)/m);
  return entries.flatMap((entry) => {
    if (!/^.*LOG: {2}duration: .* plan:\n\tQuery Text: /.test(entry)) return [];
    const lines = entry.split('\n').map((line) => line.replace(/^\t/, ''));
    const start = lines.findIndex((line) => line.includes('  (cost='));
    if (start < 0) return [];
    const text = lines.slice(1, start).map((line) => line.replace(/(^|\s)-- .*$/, ''));
    const statement = text.join(' ').replace('Query Text: ', '').replace(/\s+/g, ' ').trim();
    return [{ statement, plan: lines.slice(start).join('\n').trimEnd() }];
  });
}

/** Picks an execution from the middle, to avoid the cold cache at the start and the small batches at the end. */
export function pick(all: Execution[]): Picked[] {
  return hot.map(({ name, is, with: kind = /./ }) => {
    const ran = all.filter(({ statement }) => is.test(statement));
    const fitting = ran.filter(({ plan }) => kind.test(plan));
    const execution = fitting[Math.floor(fitting.length / 2)];
    if (!execution) throw new Error(`No plan was logged of: ${name}.`);
    return { name, ran: ran.length, execution };
  });
}

/** Suspicious parts of a plan: sequential scans, and estimates that are wrong by ten times or more. */
export function suspiciousLines(plan: string): string[] {
  return plan.split('\n').flatMap((line) => {
    const [, node = '', guess, rows, loops] =
      /^\W*(\w.*?) {2}\(cost=.* rows=(\d+) .*actual .*?rows=([\d.]+) loops=(\d+)\)/.exec(line) ?? [];
    if (guess === undefined) return [];
    // An insert without RETURNING has 0 estimated and 0 actual rows.
    const ratio = Math.max(Number(rows), 1) / Math.max(Number(guess), 1);
    const off = ratio >= 10 || ratio <= 0.1;
    const whole = node.includes('Seq Scan');
    if (!off && !whole) return [];
    return [`${node}: ${Number(rows)} rows, ${loops} times${off ? `, where ${guess} were expected` : ''}`];
  });
}

export function markdown(picked: Picked[], of: { connections: number; requests: number }): string {
  return `# The plans of the statements that count

Written by \`npm run bench -- explain\`: what \`auto_explain\` logged while a service answered ${of.requests} requests of each kind over ${of.connections} connections, in the account of 10,000 guests that [performance.md](../performance.md) is measured in.
Requests that come at the same time are written together, so one execution stands for many of them. Plans are generic ones (\`plan_cache_mode=force_generic_plan\`), as the service always has them; the one shown is from the middle of the run. \`One-Time Filter\` is row-level security.

${picked.map(section).join('\n')}`;
}

function section({ name, ran, execution: { statement, plan } }: Picked): string {
  const shown = plan.replaceAll(/ {2}\(cost=[^)]*\)/g, ' ');
  return `## ${name}

Run ${ran} times.

\`\`\`sql
${wrapped(shortened(statement))}
\`\`\`

\`\`\`text
${shown}
\`\`\`
`;
}

/** Shortens long column lists to the first two. */
export function shortened(statement: string): string {
  const item = String.raw`(?:\w+\.)?[a-z_]+(?: = excluded\.[a-z_]+| text| bigint| boolean| date)?`;
  return statement.replaceAll(new RegExp(String.raw`(?<![\w.])(${item}, ${item}, )(?:${item}, ){4,}`, 'g'), '$1…, ');
}

function wrapped(text: string, most = 120): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + word.length >= most) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
