import { Stack, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import type { StaffNote } from '#service/features/guests/notes/schema.ts';
import { api } from '../../api/client.ts';
import { getPages, refresh } from '../../api/queries.ts';
import { drafts } from '../../session/drafts.ts';
import { useAccount, useHasRole, useSession } from '../../session/session.ts';
import { CharacterCount, FormEnd, useServerForm } from '../../ui/form.tsx';
import { MoreList } from '../../ui/MoreList.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { WallClock } from '../../ui/Values.tsx';
import classes from './GuestNotes.module.css';
import { notesPath } from './queries.ts';

/** The notes on a guest, newest first. */
export function GuestNotes({ id }: { id: number }) {
  const path = notesPath(useAccount().path, id);
  const notes = useInfiniteQuery(getPages<StaffNote>(path));
  const mayWrite = useHasRole('staff');
  return (
    <Panel title="Notes" flush>
      {mayWrite && <NewNote path={path} />}
      <MoreList
        label="Notes"
        of={notes}
        first={4}
        rowKey={(note) => note.id}
        render={(note) => (
          <>
            <Text className={classes.text}>{note.text}</Text>
            <Text size="sm" c="dimmed">
              {note.author ?? 'Sent by a partner'} · <WallClock at={note.created_at} />
            </Text>
          </>
        )}
        empty={
          <Text c="dimmed" p="md">
            No notes yet. Add what the next shift should know, such as an allergy, a favourite table or a birthday.
          </Text>
        }
      />
    </Panel>
  );
}

const maxLength = 500;

function NewNote({ path }: { path: string }) {
  const { user } = useSession();
  const form = useServerForm({
    initialValues: { text: drafts.read(path, user.id) },
    onValuesChange: ({ text }) => drafts.store(path, user.id, text),
    send: ({ text }) => api.post(path, { text: text.trim() }),
    onDone: async () => {
      form.setValues({ text: '' });
      // Clear the draft even if the user left the page meanwhile.
      drafts.store(path, user.id, '');
      await refresh(path);
    },
  });
  const { text } = form.getValues();
  const isBlank = text.trim() === '';
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isBlank || form.busy) return;
    event.preventDefault();
    form.submit();
  };
  return (
    <form onSubmit={form.submit} className={classes.form}>
      <Stack gap="xs">
        <Textarea
          aria-label="New note"
          placeholder="Add a note for the next shift"
          autosize
          minRows={1}
          maxRows={8}
          maxLength={maxLength}
          onKeyDown={sendByKey}
          {...form.getInputProps('text')}
        />
        <CharacterCount text={text} max={maxLength} />
        {!isBlank && (
          <FormEnd
            form={form}
            aside={
              <Text size="xs" c="dimmed" mr="auto" visibleFrom="sm">
                {isMac ? '⌘' : 'Ctrl'} + Enter to send
              </Text>
            }
          >
            Add note
          </FormEnd>
        )}
      </Stack>
    </form>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
