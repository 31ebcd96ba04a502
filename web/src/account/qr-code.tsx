import { encode } from 'uqr'

/** The width of the light border around the code, in modules. Readers need it. */
const BORDER = 2

/** A QR code as an image. It is always dark on light, because some readers cannot read the reverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: BORDER })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={200} height={200}>
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" shapeRendering="crispEdges" />
    </svg>
  )
}
