import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';

/** A window, and what it is about; that stays known while it closes, so that nothing in it changes on the way out. */
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
