import type { CSSProperties } from 'react';
import classes from './Swatch.module.css';

/** A spot of colour, before the name of what is drawn in it. */
export function Swatch({ color }: { color: string }) {
  return <span className={classes.swatch} style={{ '--swatch': color } as CSSProperties} />;
}
