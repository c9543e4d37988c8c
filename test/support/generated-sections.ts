import { verifyCode } from '../../dashboard/src/screens/developers/webhooks/verify-code.ts';
import { eventKinds } from '../../src/features/exchange/events/schema.ts';

/** Replaces the part of a page between the comments of this name. */
export function withSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run generate -->\n`, `<!-- /${name} -->`];
  const [before, rest, ...others] = page.split(begin);
  const [, after, ...more] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined || others.length > 0 || more.length > 0)
    throw new Error(`The page must have the comments of ${name} once.`);
  return `${before}${begin}${text}${end}${after}`;
}

/** The types of events, with the fields of their data. */
export function eventTable(): string {
  const rows = eventKinds.map(({ type, description, data }) => {
    const fields = Object.keys(data.properties).map((name) => `\`${name}\``);
    return `| \`${type}\` | ${description} | ${fields.join(', ')} |\n`;
  });
  return `| type | when | fields of \`data\` |\n| --- | --- | --- |\n${rows.join('')}`;
}

const names: Record<string, string> = { TypeScript: 'ts', PHP: 'php', Python: 'python' };

/** The examples that `test/dashboard/verify-code.test.ts` runs. */
export function verifyExamples(): string {
  const examples = verifyCode.map(
    ({ language, code }) => `**${language}**\n\n\`\`\`${names[language] ?? ''}\n${code.trimEnd()}\n\`\`\`\n`,
  );
  return `\n${examples.join('\n')}\n`;
}
