import type { CSSProperties } from 'react';
import classes from './Swatch.module.css';

/** The colour of a chart series, beside its name. */
export function Swatch({ color }: { color: string }) {
  return <span className={classes.swatch} style={{ '--swatch': color } as CSSProperties} />;
}
