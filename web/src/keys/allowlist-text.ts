/** Adds an address as the last line of an allowlist, unless a line has it already. */
export function addLine(text: string, address: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  if (lines.includes(address)) return text
  return [...lines.filter((line) => line !== ''), address].join('\n')
}
