import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';

/** The state of a window and its subject. The subject stays during the closing animation. */
export function useWindow<Subject>() {
  const [opened, { open, close }] = useDisclosure();
  const [subject, setSubject] = useState<Subject>();
  return {
    opened,
    subject,
    close,
    open: (about: Subject) => {
      setSubject(about);
      open();
    },
  };
}
