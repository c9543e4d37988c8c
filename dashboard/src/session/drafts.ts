/** What somebody wrote and has not sent yet, by where it will be sent to. In memory alone: no browser keeps what is about a guest. */
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
  /** Of everybody; or, where somebody comes back after their session ended, of everybody else. */
  clear(exceptOf?: number): void {
    for (const [path, { by }] of kept) if (by !== exceptOf) kept.delete(path);
  },
};

window.addEventListener('beforeunload', (event) => {
  if (kept.size > 0) event.preventDefault();
});
