/**
 * Seconds of the machine's steady clock. All processes of a machine read the same clock, so a time that one process wrote
 * down can be compared with a time of another.
 *
 * @returns {number}
 */
export function steadySeconds() {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds + nanoseconds / 1e9
}
