const key = 'regulars.account';

/** The last opened account. Without local storage, the dashboard opens the first account. */
export const lastAccount = {
  read(): number | undefined {
    try {
      return Number(localStorage.getItem(key)) || undefined;
    } catch {
      return undefined;
    }
  },
  store(id: number): void {
    try {
      localStorage.setItem(key, String(id));
    } catch {}
  },
};
