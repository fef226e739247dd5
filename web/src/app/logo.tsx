import type { ReactElement } from 'react';

/** The mark of Ply: three layers. */
export function Logo(): ReactElement {
  return (
    <span className="logo">
      <svg viewBox="0 0 28 28" aria-hidden="true" focusable="false">
        <path className="logo-low" d="M3 19 14 24.500 25 19l-3.500-1.700L14 21l-7.500-3.700z" />
        <path className="logo-middle" d="M3 14 14 19.500 25 14l-3.500-1.700L14 16l-7.500-3.700z" />
        <path className="logo-top" d="M14 3.500 25 9l-11 5.500L3 9z" />
      </svg>
      Ply
    </span>
  );
}
