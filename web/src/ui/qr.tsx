import { encode } from 'uqr';
import type { ReactElement } from 'react';

/** The most bytes that a QR code holds at its lowest correction of errors (ISO/IEC 18004, version 40-L). */
const mostBytes = 2953;

/** A text as a QR code, for cameras; nothing where the text is too long for one. */
export function QrCode({ text, label }: { text: string; label: string }): ReactElement | null {
  if (new TextEncoder().encode(text).length > mostBytes) return null;
  const { data, size } = encode(text, { ecc: 'L', border: 0 });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg
      className="qr"
      viewBox={`-2 -2 ${size + 4} ${size + 4}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={modules.join('')} />
    </svg>
  );
}
