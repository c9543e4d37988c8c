import { notifications } from '@mantine/notifications';

/** A short word at the foot of the page on what was done, or why it was not. */
export const say = {
  done: (message: string) => notifications.show({ message, color: 'green' }),
  failed: (error: Error) => notifications.show({ title: 'That did not work', message: error.message, color: 'red' }),
};
