/** Unsent texts by the path that they will be sent to. Only in memory, because guest data must not stay in the browser. */
const kept = new Map<string, { by: number; text: string }>();

export const drafts = {
  read(path: string, userId: number): string {
    const draft = kept.get(path);
    return draft?.by === userId ? draft.text : '';
  },
  keep(path: string, userId: number, text: string): void {
    if (text.trim() === '') kept.delete(path);
    else kept.set(path, { by: userId, text });
  },
  /** Deletes all drafts, or those of other users when a user signs in again after their session ended. */
  clear(exceptOf?: number): void {
    for (const [path, { by }] of kept) if (by !== exceptOf) kept.delete(path);
  },
};

window.addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault();
});
