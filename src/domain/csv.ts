/** Texts that a spreadsheet could take for a formula (OWASP, CSV Injection), also in full width. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * One line of a CSV file (RFC 4180): every cell in quotation marks, and a ' before what a spreadsheet could take for a
 * formula.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(',')}\r\n`

const cellOf = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
