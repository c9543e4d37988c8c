import { notifications } from '@mantine/notifications';

/** Shows a short notification after an action or an error. */
export const say = {
  done: (message: string) => notifications.show({ message, color: 'green' }),
  failed: (error: Error) => notifications.show({ title: 'That did not work', message: error.message, color: 'red' }),
};
