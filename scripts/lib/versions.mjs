/**
 * Whether a dotted version is at least another one; missing parts count as 0.
 *
 * @param {string} version
 * @param {string} least
 * @returns {boolean}
 */
export function isAtLeast(version, least) {
  const [have, need] = [version, least].map((text) => text.split('.').map(Number))
  for (let i = 0; i < need.length; i++) {
    if ((have[i] ?? 0) !== need[i]) return (have[i] ?? 0) > need[i]
  }
  return true
}
