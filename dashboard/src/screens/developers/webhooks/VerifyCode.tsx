import { Tabs, Text } from '@mantine/core';
import { CodeBlock } from '../CodeBlock.tsx';
import { verifyCode } from './verify-code.ts';

/** How a receiver checks a signature, in three languages. */
export function VerifyCode() {
  return (
    <Tabs defaultValue={verifyCode[0]?.language} keepMounted={false}>
      <Tabs.List aria-label="Language">
        {verifyCode.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {verifyCode.map(({ language, file, note, code }) => (
        <Tabs.Panel key={language} value={language} pt="sm">
          <Text size="sm" c="dimmed" mb="xs">
            {note}
          </Text>
          <CodeBlock what={`${language} code`} title={file}>
            {code}
          </CodeBlock>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
