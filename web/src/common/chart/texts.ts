export const texts = {
  // scale.ts
  thousands: ({ number }: { number: number }) => `${number} k`,
  millions: ({ number }: { number: number }) => `${number} M`,

  // chart-tip.tsx
  all: 'all deliveries',
  clickOpens: ({ unit, part }: { unit: string; part: string }) => `Click: ${part} of this ${unit}`,

  // time-chart.tsx
  none: 'none',
  plotLabel: ({ title, summary }: { title: string; summary: string }) =>
    `${title}. ${summary} Arrow keys go through it.`,
}
