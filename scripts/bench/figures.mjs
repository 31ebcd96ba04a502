/**
 * @param {readonly number[]} values
 * @param {number} share 0.99 for p99
 * @returns {number} the smallest value that at least this share of the values does not exceed; NaN without values
 */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN
}
