/**
 * Unsent texts by the path that they will be sent to. Only in memory, because guest data must not stay in the browser.
 */
const texts = new Map<string, { by: number; text: string }>();

export const drafts = {
  read(path: string, userId: number): string {
    const draft = texts.get(path);
    return draft?.by === userId ? draft.text : '';
  },
  store(path: string, userId: number, text: string): void {
    if (text.trim() === '') texts.delete(path);
    else texts.set(path, { by: userId, text });
  },
  /** Deletes all drafts, or those of other users when a user signs in again after their session ended. */
  clear(exceptOf?: number): void {
    for (const [path, { by }] of texts) if (by !== exceptOf) texts.delete(path);
  },
};

window.addEventListener('beforeunload', (event) => {
  if (texts.size > 0) event.preventDefault();
});
