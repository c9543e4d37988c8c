const key = 'regulars.account';

/** Which account one was at last. A browser that keeps nothing just begins with the first. */
export const lastAccount = {
  read(): number | undefined {
    try {
      return Number(localStorage.getItem(key)) || undefined;
    } catch {
      return undefined;
    }
  },
  keep(id: number): void {
    try {
      localStorage.setItem(key, String(id));
    } catch {}
  },
};
