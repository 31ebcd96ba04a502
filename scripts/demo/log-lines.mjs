const LEVELS = new Map([
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
])

/**
 * Picks the lines of a process for the terminal: warnings and worse of its JSON log, and everything that is no log line.
 * The log file has them all.
 *
 * @param {string} line
 * @returns {string | undefined} the text to show
 */
export function notableLine(line) {
  if (line.trim() === '') return undefined
  try {
    const { level, msg, err } = JSON.parse(line)
    const name =
      LEVELS.get(level) ?? (/^(warn|error|fatal)$/.test(level) ? String(level).toUpperCase() : undefined)
    return name && [name, msg, err?.message].filter((part) => part !== undefined).join(' ')
  } catch {
    return line
  }
}
