import { notifications } from '@mantine/notifications';

/** Shows a short notification after an action or an error. */
export const notify = {
  success: (message: string) => notifications.show({ message, color: 'green' }),
  error: (error: Error) => notifications.show({ title: 'That did not work', message: error.message, color: 'red' }),
};
