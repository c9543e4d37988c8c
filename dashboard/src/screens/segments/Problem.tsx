import { Text } from '@mantine/core';
import classes from './Builder.module.css';

/** The message about a condition or group. */
export function Problem({ of, id }: { of: string | undefined; id?: string }) {
  if (of === undefined) return null;
  return (
    <Text c="red" size="sm" id={id} role="alert" className={classes.problem}>
      {of}
    </Text>
  );
}
