export const texts = {
  // audit.tsx
  audit: 'Audit',
}
