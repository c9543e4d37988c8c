import { VisuallyHidden } from '@mantine/core';
import { IconEqual, IconEqualNot } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Missing } from '../../ui/Values.tsx';
import classes from './Comparison.module.css';
import type { Compared } from './comparison.ts';

interface ComparisonProps {
  label: string;
  /** The titles of the two columns. */
  left: ReactNode;
  right: ReactNode;
  rows: Compared[];
}

function markOf({ left, right, isDecisive }: Compared): 'same' | 'differs' | undefined {
  if (!isDecisive || left === '' || right === '') return undefined;
  return left.toLowerCase() === right.toLowerCase() ? 'same' : 'differs';
}

/** Compares two guests side by side. */
export function Comparison({ label, left, right, rows }: ComparisonProps) {
  return (
    <table className={classes.table} aria-label={label}>
      <thead>
        <tr>
          <td />
          <th scope="col">{left}</th>
          <th scope="col">{right}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const mark = markOf(row);
          const Icon = mark && { same: IconEqual, differs: IconEqualNot }[mark];
          return (
            <tr key={row.name} data-mark={mark}>
              <th scope="row">
                <span className={classes.name}>
                  {row.name}
                  {Icon && <Icon size={14} aria-hidden />}
                  {mark && <VisuallyHidden>({mark})</VisuallyHidden>}
                </span>
              </th>
              {[row.left, row.right].map((value, side) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: index 0 is left, 1 is right
                <td key={side}>{value ? <span className={classes.value}>{value}</span> : <Missing />}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
